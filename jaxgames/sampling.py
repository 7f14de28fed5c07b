"""Choice among legal actions, uniform or by a policy, at the price of one random word a game.

`jax.random.categorical` over a mask draws one random number for every *possible* action. Counting
the legal ones and selecting the r-th needs a single word, whatever the size of the action space.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames.boards import bits

RandomWord = UInt32[Array, ""]
ROW = 32  # actions whose weights `sample_weights` adds up before it looks at single ones


def random_words(key: PRNGKeyArray, num_games: int) -> UInt32[Array, "B"]:
    """Returns one random 32-bit word for each game of a batch."""
    return jax.random.bits(key, (num_games,), jnp.uint32)


def bounded(word: RandomWord, bound: Int32[Array, ""] | int) -> Int32[Array, ""]:
    """Maps a random word to `0 .. bound - 1`, for `1 <= bound < 2**16`.

    This is the high half of `word * bound`, computed in 32 bits. The chances of two outcomes
    differ by less than `bound / 2**32`, relatively.
    """
    bound = jnp.asarray(bound).astype(jnp.uint32)
    low = (word & jnp.uint32(0xFFFF)) * bound
    high = (word >> 16) * bound
    return ((high + (low >> 16)) >> 16).astype(jnp.int32)


def sample_mask(mask: Bool[Array, "actions"], word: RandomWord) -> Int32[Array, ""]:
    """Returns a uniformly random true index of `mask` (fewer than 2**16 entries).

    An all-false mask gives 0.
    """
    return sample_packed(bits.pack(mask), word)


def sample_packed(words: UInt32[Array, "words"], word: RandomWord) -> Int32[Array, ""]:
    """Returns the index of a uniformly random set bit; bit `i` is bit `i % 32` of word `i // 32`.

    No set bit gives 0.
    """
    number = bits.count(words).sum()
    chosen = bits.select_packed(words, bounded(word, jnp.maximum(number, 1)))
    return jnp.where(number > 0, chosen, 0).astype(jnp.int32)


def legal_or_drawn(
    words: UInt32[Array, "B words"], action: Int32[Array, "B"], key: PRNGKeyArray
) -> Int32[Array, "B"]:
    """Returns the actions; a uniformly random set bit of `words` replaces each that is not set."""
    drawn = jax.vmap(sample_packed)(words, random_words(key, len(action)))
    is_legal = jax.vmap(bits.contains_packed)(words, action)
    return jnp.where(is_legal, action, drawn)


def sample_weights(weights: Float[Array, "actions"], word: RandomWord) -> Int32[Array, ""]:
    """Returns an index drawn with chances in proportion to weights, from one random word.

    This inverts the cumulative sum of the weights, to about 24 bits of the word. An index whose
    weight is zero is never drawn; if all weights are zero, the result is 0.

    Args:
        weights: non-negative numbers, which need not sum to one: probabilities or visits, with
            zeros for illegal actions.
        word: a random 32-bit word; `random_words` draws them for a batch.
    """
    weights = weights.astype(jnp.float32)
    # A short sum over rows, then one in a row: a cumulative sum over all actions costs more.
    rows = jnp.pad(weights, (0, -weights.size % ROW)).reshape(-1, ROW)
    sums = rows.sum(axis=1)
    threshold = (word >> 8).astype(jnp.float32) * jnp.float32(2**-24) * sums.sum()
    row, before = _first_above(sums, threshold)
    place, _ = _first_above(rows[row], threshold - before)
    return (row * ROW + place).astype(jnp.int32)


def sample_logits(
    logits: Float[Array, "actions"], mask: Bool[Array, "actions"], word: RandomWord
) -> Int32[Array, ""]:
    """Returns a legal action drawn from a softmax, from one random word, as `sample_weights` does.

    Args:
        logits: finite logits of all actions; those of illegal actions have no effect.
        mask: the legal actions, at least one.
        word: a random 32-bit word; `random_words` draws them for a batch.
    """
    legal = jnp.where(mask, logits.astype(jnp.float32), -jnp.inf)
    return sample_weights(jnp.exp(legal - legal.max()), word)


def _first_above(
    weights: Float[Array, "items"], threshold: Float[Array, ""]
) -> tuple[Int32[Array, ""], Float[Array, ""]]:
    """Returns the first positive item up to which weights exceed a threshold, and the sum before.

    If rounding lets none exceed it, that is the last positive item.
    """
    upto = jnp.where(weights > 0, jnp.cumsum(weights), 0.0)
    is_found = (upto > threshold) | ((upto > 0) & (upto == upto.max()))
    index = jnp.argmax(is_found)
    return index, upto[index] - weights[index]
