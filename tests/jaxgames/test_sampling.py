"""Uniform choice from one random word: exact over all ranks, not only by statistics."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames import sampling
from jaxgames.boards import bits


def first_words(bound):
    """Returns the smallest word of each rank, `ceil(rank * 2**32 / bound)`, and the last one."""
    starts = [-(-(rank << 32) // bound) for rank in range(bound)]
    return starts, [start - 1 for start in starts[1:]] + [2**32 - 1]


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 40, 202, 16 * 15 * 14, 65535])
def test_every_rank_owns_an_equal_share_of_the_words(bound):
    starts, ends = first_words(bound)
    bounded = jax.jit(lambda words: sampling.bounded(words, bound))
    ranks = np.arange(bound)
    assert (bounded(jnp.asarray(np.array(starts, np.uint32))) == ranks).all()
    assert (bounded(jnp.asarray(np.array(ends, np.uint32))) == ranks).all()


def masks():
    rng = np.random.default_rng(0)
    return [
        np.array([True]),
        np.arange(31) == 30,
        np.arange(64) % 32 == 31,
        rng.random(202) < 0.07,
        rng.random(202) < 0.9,
        rng.random(2143) < 0.01,
    ]


@pytest.mark.parametrize("mask", masks(), ids=lambda mask: f"{mask.sum()} of {len(mask)}")
def test_each_legal_action_is_chosen_by_exactly_one_rank(mask):
    starts, ends = first_words(int(mask.sum()))
    sample = jax.jit(jax.vmap(jaxgames.sample_mask, in_axes=(None, 0)))
    for words in (starts, ends):
        chosen = sample(jnp.asarray(mask), jnp.asarray(np.array(words, np.uint32)))
        assert chosen.tolist() == np.flatnonzero(mask).tolist()


def test_packed_and_unpacked_masks_give_the_same_action():
    mask = jnp.asarray(np.random.default_rng(1).random((16, 100)) < 0.3)
    words = sampling.random_words(jax.random.key(0), 16)
    packed = jax.vmap(jaxgames.sample_packed)(jax.vmap(bits.pack)(mask), words)
    assert (packed == jax.vmap(jaxgames.sample_mask)(mask, words)).all()


def test_empty_mask_gives_action_zero():
    assert int(jaxgames.sample_mask(jnp.zeros((40,), bool), jnp.uint32(2**32 - 1))) == 0


def test_onitama_samples_each_legal_action_from_one_rank():
    env = jaxgames.make("onitama")
    state = env.init(jax.random.key(4))
    legal = np.flatnonzero(state.legal_action_mask)
    starts, ends = first_words(len(legal))
    sample = jax.jit(jax.vmap(env.rules.sample_action, in_axes=(None, 0)))
    for words in (starts, ends):
        chosen = sample(state.game, jnp.asarray(np.array(words, np.uint32)))
        assert sorted(chosen.tolist()) == legal.tolist()


def test_each_game_gets_a_word_of_its_own():
    words = sampling.random_words(jax.random.key(0), 1000)
    assert words.dtype == jnp.uint32
    assert len(set(words.tolist())) == 1000
