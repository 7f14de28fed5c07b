"""Uniform choice among legal actions at the price of one random word a game.

`jax.random.categorical` over a mask draws one random number for every *possible* action. Counting
the legal ones and selecting the r-th needs a single word, whatever the size of the action space.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

from jaxgames.boards import bits
from jaxgames.types import RandomWord


def random_words(key: PRNGKeyArray, num_games: int) -> UInt32[Array, "B"]:
    """Returns one random 32-bit word for each game of a batch."""
    return jax.random.bits(key, (num_games,), jnp.uint32)


def check_key(key: PRNGKeyArray, where: str) -> None:
    """Checks that `key` is one random key, for the method `where` of an `Env` or its rules.

    Raises:
        ValueError: if it is another value, or a batch of keys.
    """
    if not isinstance(key, jax.Array | np.ndarray):
        raise ValueError(f"{where} takes a random key, for instance jax.random.key(0); got {key!r}")
    is_typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    if key.shape != (() if is_typed else (2,)):
        raise ValueError(
            f"{where} takes one random key, got shape {key.shape}; "
            f"for a batch of games use jax.vmap(env.{where})"
        )


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
