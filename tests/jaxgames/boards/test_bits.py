"""Bitboards against plain Python integers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxgames.boards import bits

WORDS = st.lists(st.integers(0, 2**32 - 1), min_size=8, max_size=8).map(
    lambda words: [*words, 0, 1, 2**31, 2**32 - 1]
)


def u32(words):
    return jnp.asarray(np.array(words, np.uint32))


def set_bits(word):
    return [i for i in range(32) if word >> i & 1]


@given(WORDS)
def test_count_lowest_and_highest_are_those_of_the_integers(words):
    assert bits.count(u32(words)).tolist() == [word.bit_count() for word in words]
    lowest = [set_bits(word)[0] if word else 32 for word in words]
    assert bits.lowest(u32(words)).tolist() == lowest
    assert bits.highest(u32(words)).tolist() == [word.bit_length() - 1 for word in words]


@given(WORDS)
def test_select_finds_the_bit_of_each_rank(words):
    for word in words:
        expected = set_bits(word)
        ranks = jnp.arange(32)
        found = SELECT(jnp.full((32,), word, jnp.uint32), ranks)
        assert found[: len(expected)].tolist() == expected


SELECT = jax.jit(bits.select)


@given(WORDS, st.integers(1, 31))
def test_rotation_keeps_all_bits(words, amount):
    rotated = bits.rotate_right(u32(words), jnp.uint32(amount)).tolist()
    assert rotated == [(word >> amount | word << (32 - amount)) & 0xFFFFFFFF for word in words]


@pytest.mark.parametrize("width", [1, 9, 25, 32])
def test_reverse_mirrors_the_lowest_bits(width):
    words = np.random.default_rng(0).integers(0, 2**width, 50)
    expected = [int(f"{word:0{width}b}"[::-1], 2) for word in words]
    assert bits.reverse(u32(words), width).tolist() == expected


@pytest.mark.parametrize("size", [1, 31, 32, 33, 202])
def test_pack_numbers_bits_from_the_lowest(size):
    mask = np.random.default_rng(size).random(size) < 0.5
    packed = bits.pack(jnp.asarray(mask))
    assert packed.shape == (-(-size // 32),)
    for number, word in enumerate(packed):
        here = mask[32 * number : 32 * (number + 1)]
        assert int(word) == sum(1 << i for i in np.flatnonzero(here))


def test_to_mask_lists_the_bits_of_one_word():
    assert bits.to_mask(jnp.uint32(0b1011), 5).tolist() == [True, True, False, True, False]


def test_bits_outside_of_the_word_are_empty():
    indices = jnp.array([-1, 0, 31, 32, 100])
    assert bits.single(indices).tolist() == [0, 1, 2**31, 0, 0]
    everything = jnp.full((5,), 2**32 - 1, jnp.uint32)
    assert bits.contains(everything, indices).tolist() == [False, True, True, False, False]


def test_computed_once_changes_nothing():
    words = u32(np.random.default_rng(0).integers(0, 2**32, 12)).reshape(3, 4)
    assert (bits.computed_once(words) == words).all()
    assert (jax.jit(jax.vmap(bits.computed_once))(words) == words).all()
    assert (jax.vmap(jax.vmap(bits.computed_once))(words) == words).all()  # single words


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="about XLA's compiler for CPUs")
@pytest.mark.parametrize(("once", "has_memory"), [(False, False), (True, True)])
def test_value_that_is_computed_once_has_memory_of_its_own(once, has_memory):
    def expanded(words):
        costly = bits.reverse(words, 32)
        costly = bits.computed_once(costly) if once else costly
        return (costly[:, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1

    words = jax.ShapeDtypeStruct((1024,), jnp.uint32)
    memory = jax.jit(expanded).lower(words).compile().memory_analysis()
    assert (memory.temp_size_in_bytes >= 4 * 1024) == has_memory
