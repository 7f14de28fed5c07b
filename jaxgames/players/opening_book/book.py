"""`Book`: positions with some moves each, looked up for whole batches on the device.

Positions are told apart by all that their state holds, as words (`packing.py`); so a game that
counts its plies finds a position at its own ply only. The entries are sorted by a hash of 64
bits, which a binary search finds; the words then decide, so another position is never taken for one
of the book.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int32, UInt32

from jaxgames.search.agent import GameStates
from jaxgames.search.depth_first import zobrist
from jaxgames.search.tree import packing

NO_MOVE = -1


class Book(struct.PyTreeNode):
    """`N` positions with up to `M` moves each, sorted by key."""

    keys: UInt32[Array, "N 2"]  # hash, the more significant word first
    words: UInt32[Array, "N words"]  # the packed state
    actions: Int32[Array, "N M"]  # best first; NO_MOVE where there are fewer
    shares: Float[Array, "N M"]  # of the visits of these moves; they add up to 1
    values: Float[Array, "N players"]  # expected return of every seat

    def __len__(self) -> int:
        return self.keys.shape[0]


class LookupResult(NamedTuple):
    """What a book says of the positions of a batch; any numbers where a position is not in it."""

    is_known: Bool[Array, "B"]
    actions: Int32[Array, "B M"]
    shares: Float[Array, "B M"]
    values: Float[Array, "B players"]


def make(
    words: UInt32[np.ndarray, "N words"],
    actions: Int32[np.ndarray, "N M"],
    shares: Float[np.ndarray, "N M"],
    values: Float[np.ndarray, "N players"],
) -> Book:
    """Returns a book of different positions, in any order.

    Raises:
        ValueError: without positions, or if two have the same hash.
    """
    if len(words) == 0:
        raise ValueError("a book needs at least one position, got none")
    keys = np.asarray(jax.jit(zobrist.position_hash)(words))
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    keys = keys[order]
    if (keys[1:] == keys[:-1]).all(axis=1).any():
        raise ValueError("two positions of a book are the same, or have the same hash")
    rows = (np.asarray(x)[order] for x in (words, actions, shares, values))
    return Book(*(jnp.asarray(x) for x in (keys, *rows)))


def find(book: Book, state: GameStates) -> LookupResult:
    """Returns what a book says of a batch of positions."""
    words = packing.pack(state)
    wanted = zobrist.position_hash(words)
    size = len(book)

    def halve(
        _: Int32[Array, ""], bounds: tuple[Int32[Array, "B"], Int32[Array, "B"]]
    ) -> tuple[Int32[Array, "B"], Int32[Array, "B"]]:
        low, high = bounds  # the first key that is not less lies from `low` to `high`
        middle = (low + high) // 2
        key = book.keys[jnp.minimum(middle, size - 1)]
        is_less = (key[:, 0] < wanted[:, 0]) | (
            (key[:, 0] == wanted[:, 0]) & (key[:, 1] < wanted[:, 1])
        )
        is_less &= low < high
        return jnp.where(is_less, middle + 1, low), jnp.where(is_less, high, middle)

    first = jnp.zeros(len(words), jnp.int32)
    place, _ = jax.lax.fori_loop(0, size.bit_length(), halve, (first, first + size))
    row = jnp.minimum(place, size - 1)
    is_known = (book.words[row] == words).all(axis=-1)
    return LookupResult(is_known, book.actions[row], book.shares[row], book.values[row])
