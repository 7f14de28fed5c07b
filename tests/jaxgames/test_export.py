"""Steps of every game can be exported (`jax.export`), for a batch of one size and of any size."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import jaxgames

LARGE = ("terra_mystica", "terra_mystica_alphatm", "tribes")  # take seconds to trace
SIZES = {"games": 8, "any number of games": "b"}


def arrays(size, states):
    return [jax.ShapeDtypeStruct((size, *x.shape[1:]), x.dtype) for x in jax.tree.leaves(states)]


def exported_step(env, size, states):
    """Returns a step of a batch as an exported program of arrays, and its results' structure."""
    structure = jax.tree.structure(states)

    def step(action, word, *leaves):
        keys = jax.vmap(jax.random.key)(word)  # an exported program takes no keys
        after = jax.vmap(env.step)(jax.tree.unflatten(structure, leaves), action, keys)
        return jax.tree.leaves(after)

    if isinstance(size, str):
        (size,) = export.symbolic_shape(size)
    of_lanes = (jax.ShapeDtypeStruct((size,), dtype) for dtype in (jnp.int32, jnp.uint32))
    return export.export(jax.jit(step))(*of_lanes, *arrays(size, states))


def steps():
    """Returns every game and size.

    What takes any number of games takes a fixed one, too; the game of a paper is slow.
    """
    for env_id in jaxgames.available():
        for name, size in SIZES.items():
            is_slow = env_id in LARGE and (size == 8 or env_id == "terra_mystica_alphatm")
            marks = pytest.mark.slow if is_slow else ()
            yield pytest.param(env_id, size, id=f"{env_id}-{name}", marks=marks)


@pytest.mark.parametrize(("env_id", "size"), list(steps()))
def test_step_can_be_exported(env_id, size):
    env = jaxgames.make(env_id)
    keys = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), 8))
    states = jax.eval_shape(jax.vmap(env.init), keys)
    exported = exported_step(env, size, states)
    types = [(x.shape[1:], x.dtype) for x in jax.tree.leaves(states)]
    assert [(x.shape[1:], x.dtype) for x in exported.out_avals] == types


def test_exported_steps_of_any_number_of_games_are_those_of_the_game():
    env = jaxgames.make("onitama")
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 3))
    exported = exported_step(env, "b", states)
    action = jax.vmap(env.sample_action)(states, jax.random.split(jax.random.key(1), 3))
    found = exported.call(action, np.zeros(3, np.uint32), *jax.tree.leaves(states))
    wanted = jax.jit(jax.vmap(env.step))(states, action)
    jax.tree.map(np.testing.assert_array_equal, list(found), jax.tree.leaves(wanted))
