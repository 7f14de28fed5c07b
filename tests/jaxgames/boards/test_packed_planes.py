"""Packed planes: the array that they stand for, in any batch and in every type."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.boards.packed_planes import PackedPlanes, PlaneLayout, as_floats, shapes

LAYOUT = PlaneLayout(4, 3, levels=(2,), numbers=(1,))
GENERATOR = np.random.default_rng(0)
IS_SET = GENERATOR.random((5, 12, 4)) < 0.5  # [game, cell, plane]
NUMBERS = GENERATOR.random((5, 12)).astype(np.float32)
LEVELS = np.array([0.0, 0.25, 0.5, 0.75, 1.0], np.float32)


def packed(words: int) -> PackedPlanes:
    """Returns five random boards, with the cells of a plane in some words."""
    weights = np.uint32(1) << np.arange(12 // words, dtype=np.uint32)
    by_word = IS_SET.reshape(5, words, -1, 4)
    bits = (by_word * weights[:, None]).sum(2, dtype=np.uint32)
    numbers = jnp.asarray(NUMBERS.reshape(5, 4, 3, 1))
    return PackedPlanes(jnp.asarray(bits), jnp.asarray(LEVELS)[:, None], numbers, LAYOUT)


def expected() -> np.ndarray:
    planes = IS_SET.astype(np.float32)
    planes[..., 2] *= LEVELS[:, None]
    planes[..., 1] = NUMBERS
    return planes.reshape(5, 4, 3, 4)


@pytest.mark.parametrize("words", [1, 2])
def test_planes_are_the_bits_and_levels_are_numbers(words):
    planes = packed(words)
    assert planes.shape == (5, 4, 3, 4)
    np.testing.assert_array_equal(planes.astype(jnp.float32), expected())
    np.testing.assert_array_equal(planes, expected())
    one_by_one = jax.jit(jax.vmap(lambda some: some.astype(jnp.float32)))(planes)
    np.testing.assert_array_equal(one_by_one, expected())


def test_floats_have_the_type_that_is_asked_for():
    assert packed(1).astype(jnp.bfloat16).dtype == jnp.bfloat16
    pair = {"board": packed(1), "flag": jnp.ones((2,), bool)}
    assert {part.dtype.name for part in as_floats(pair).values()} == {"float32"}
    assert shapes(pair) == {"board": (5, 4, 3, 4), "flag": (2,)}


@pytest.mark.parametrize("game", ["onitama", "murus_gallicus"])
def test_type_of_observations_is_an_option_and_changes_no_number(game):
    packed_env = jaxgames.make(game)
    float_env = jaxgames.make(game, observation_dtype="float32")
    assert float_env.observation_shape == packed_env.observation_shape
    states = [env.init(jax.random.key(0)) for env in (packed_env, float_env)]
    assert states[1].observation.dtype == jnp.float32
    np.testing.assert_array_equal(states[0].observation, states[1].observation)
    assert float_env.rules == packed_env.rules


def test_unknown_type_is_refused():
    with pytest.raises(ValueError, match=r"observation_dtype 'float16'; available: float32"):
        jaxgames.make("onitama", observation_dtype="float16")


def test_parts_of_a_pair_become_floats_too():
    env = jaxgames.make("terra_mystica", observation_dtype="float32")
    grid, vector = env.observation_spec
    assert (grid.dtype, vector.dtype) == (jnp.float32, jnp.float32)
    assert (grid.shape, vector.shape) == jaxgames.make("terra_mystica").observation_shape
