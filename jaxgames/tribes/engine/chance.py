"""Chance: a sequence of random words, recorded or made when they are needed.

Source: the game's document, section 15.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling


class Chance(NamedTuple):
    """Random words that are read one after the other. Either `words` or `seed` is given."""

    words: UInt32[Array, "D"] | None
    seed: UInt32[Array, "2"] | None
    used: Int32[Array, ""]

    def word(self, number: Int32[Array, ""]) -> UInt32[Array, ""]:
        """Returns word `number`; past the end of `words`, the last word."""
        if self.words is not None:
            return self.words[jnp.minimum(number, self.words.shape[0] - 1)]
        assert self.seed is not None
        key = jax.random.wrap_key_data(self.seed, impl="threefry2x32")
        return jax.random.bits(jax.random.fold_in(key, number), (), jnp.uint32)

    def next_words(self, number: int) -> UInt32[Array, "number"]:
        """Returns the next words; `after` then marks as used what has been used."""
        return jax.vmap(self.word)(self.used + jnp.arange(number))

    def draw(self, bound: Int32[Array, ""] | int) -> Int32[Array, ""]:
        """Returns the next draw, `0 <= draw < bound`; `after` then marks its word as used."""
        return sampling.bounded(self.word(self.used), bound)

    def after(self, draws: Int32[Array, ""] | int = 1) -> "Chance":
        """Returns the chance that is left after `draws` more words have been used."""
        return self._replace(used=self.used + draws)


def from_key(key: PRNGKeyArray) -> Chance:
    """Returns chance that generates each word when it is read, since most actions read none."""
    return Chance(None, jax.random.bits(key, (2,), jnp.uint32), jnp.int32(0))


def recorded(words: UInt32[Array, "D"]) -> Chance:
    """Returns chance that reads an array."""
    return Chance(words, None, jnp.int32(0))


def all_words(key: PRNGKeyArray, number: int) -> UInt32[Array, "number"]:
    """Returns the first words of `from_key`."""
    return jax.vmap(from_key(key).word)(jnp.arange(number))
