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


EVEN_WORDS = np.arange(2**16, dtype=np.uint32) * np.uint32(2**16) + np.uint32(2**15)


def weights():
    rng = np.random.default_rng(1)
    return [
        np.array([2.0]),
        np.array([0.0, 0.0, 3.0, 1.0, 0.0]),
        rng.random(202) * (rng.random(202) < 0.1),
        rng.random(1077) ** 8 * (rng.random(1077) < 0.3),
        np.r_[1.0, np.full(64, 1e-9), 1.0],
    ]


@pytest.mark.parametrize("chances", weights(), ids=lambda chances: str(len(chances)))
def test_weights_own_their_shares_of_the_words(chances):
    """Words at equal distances: no count is off by more than a few of 65,536."""
    draw = jax.jit(jax.vmap(sampling.sample_weights, in_axes=(None, 0)))
    drawn = np.asarray(draw(chances.astype(np.float32), EVEN_WORDS))
    counts = np.bincount(drawn, minlength=len(chances))
    np.testing.assert_allclose(counts, chances / chances.sum() * 2**16, atol=2)
    assert (counts[chances == 0] == 0).all()


def test_extreme_words_draw_the_first_and_the_last_positive_weight():
    for chances in weights():
        ends = np.array([0, 2**32 - 1], np.uint32)
        drawn = [int(sampling.sample_weights(jnp.asarray(chances), word)) for word in ends]
        assert drawn[0] == np.flatnonzero(chances)[0]
        assert chances[drawn[1]] > 0
        assert chances[drawn[1] + 1 :].sum() < 2**-22 * chances.sum()


def test_no_positive_weight_gives_zero():
    assert sampling.sample_weights(jnp.zeros(40), jnp.uint32(2**31)) == 0


def test_logits_are_drawn_by_their_softmax_over_the_legal_actions():
    rng = np.random.default_rng(2)
    logits, mask = rng.normal(size=202) * 3 + 500, rng.random(202) < 0.2
    draw = jax.jit(jax.vmap(sampling.sample_logits, in_axes=(None, None, 0)))
    counts = np.bincount(draw(logits.astype(np.float32), mask, EVEN_WORDS), minlength=202)
    expected = np.where(mask, np.exp(logits.astype(np.float32) - np.float64(500)), 0)
    np.testing.assert_allclose(counts, expected / expected.sum() * 2**16, atol=3)
    assert (counts[~mask] == 0).all()
