"""Bitboards: sets of up to 32 squares in one `uint32`, any larger set in several.

All functions work element-wise on arrays of any shape unless a docstring says otherwise.
"""

from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.internal import device_kind

WORD_BITS = 32
ValuesT = TypeVar("ValuesT")  # arrays of integers or booleans


def single(index: Int32[Array, "*any"]) -> UInt32[Array, "*any"]:
    """Returns the word with only bit `index` set; zero when `index` is not in 0..31."""
    index = jnp.asarray(index).astype(jnp.int32)
    word = jnp.uint32(1) << (index & 31).astype(jnp.uint32)
    return jnp.where((index >= 0) & (index < WORD_BITS), word, jnp.uint32(0))


def contains(word: UInt32[Array, "*any"], index: Int32[Array, "*any"]) -> Bool[Array, "*any"]:
    """Returns whether bit `index` is set; false when `index` is not in 0..31."""
    return (word & single(index)) != 0


def count(word: UInt32[Array, "*any"]) -> Int32[Array, "*any"]:
    """Returns the number of set bits."""
    return jax.lax.population_count(word).astype(jnp.int32)


def lowest(word: UInt32[Array, "*any"]) -> Int32[Array, "*any"]:
    """Returns the index of the lowest set bit; 32 for zero."""
    return count(~word & (word - 1))


def highest(word: UInt32[Array, "*any"]) -> Int32[Array, "*any"]:
    """Returns the index of the highest set bit; -1 for zero."""
    return 31 - jax.lax.clz(word).astype(jnp.int32)


def select(word: UInt32[Array, "*any"], rank: Int32[Array, "*any"]) -> Int32[Array, "*any"]:
    """Returns the index of the set bit with `rank` set bits below it, for `0 <= rank < count`.

    Binary search by halves: five population counts, no loop over bits.
    """
    index = jnp.zeros_like(rank)
    for half in (16, 8, 4, 2, 1):
        below = count(word & jnp.uint32((1 << half) - 1))
        skip = rank >= below
        rank = jnp.where(skip, rank - below, rank)
        word = jnp.where(skip, word >> half, word)
        index = jnp.where(skip, index + half, index)
    return index


def select_packed(words: UInt32[Array, "words"], rank: Int32[Array, ""]) -> Int32[Array, ""]:
    """Returns the index of the set bit of rank `rank` in a packed vector.

    `rank` must be below the number of set bits; otherwise the index is arbitrary.
    """
    counts = count(words)
    upto = jnp.cumsum(counts)
    # The number of words whose bits all rank lower; ranks past the end fall into the last word.
    index = (upto[:-1] <= rank).sum(dtype=jnp.int32)
    return WORD_BITS * index + select(words[index], rank - (upto[index] - counts[index]))


def contains_packed(words: UInt32[Array, "words"], index: Int32[Array, ""]) -> Bool[Array, ""]:
    """Returns whether a bit of a packed vector is set; false when there is no such bit."""
    place = jnp.clip(index // WORD_BITS, 0, words.shape[0] - 1)
    return contains(words[place], index - WORD_BITS * place)


def reverse(word: UInt32[Array, "*any"], width: int) -> UInt32[Array, "*any"]:
    """Returns the lowest `width` bits in reverse order: bit `i` moves to `width - 1 - i`."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        low = jnp.uint32(mask)
        word = ((word >> shift) & low) | ((word & low) << shift)
    word = (word >> 16) | (word << 16)
    return word >> (WORD_BITS - width)


def computed_once(values: ValuesT) -> ValuesT:
    """Returns integers or booleans, computed before the loops that use them, not inside each loop.

    XLA on a CPU recomputes a value in every array that depends on it, and for every element of a
    larger array. That is right for a few operations, but makes a move generator very slow: a mask
    of 896 actions took 7.9 microseconds a game without this function, and 0.6 with it. It makes
    compiling slow as well, which takes a time in proportion to all copies of an operation.
    `jax.lax.optimization_barrier` does not help, since XLA removes it before it forms loops. A
    reduction over windows of one element stays. On an accelerator it would be a kernel of its own.

    Args:
        values: a structure of arrays; its scalars of one dtype are computed together.
    """
    if not device_kind.is_cpu():
        return values
    leaves, structure = jax.tree.flatten(values)
    scalars: dict[np.dtype, list[int]] = {}
    for place, leaf in enumerate(leaves):
        if leaf.ndim == 0:
            scalars.setdefault(leaf.dtype, []).append(place)
        else:
            leaves[place] = _in_windows_of_one(leaf)
    for places in scalars.values():
        for start in range(0, len(places), device_kind.MOST_CONCATENATED):
            some = places[start : start + device_kind.MOST_CONCATENATED]
            together = _in_windows_of_one(jnp.stack([leaves[place] for place in some]))
            for row, place in enumerate(some):
                leaves[place] = together[row]
    return jax.tree.unflatten(structure, leaves)


def _in_windows_of_one(words: Array) -> Array:
    one = (1,) * words.ndim
    return jax.lax.reduce_window(words, words.dtype.type(0), jax.lax.bitwise_or, one, one, "VALID")


def rotate_right(
    word: UInt32[Array, "*any"], amount: UInt32[Array, "*any"]
) -> UInt32[Array, "*any"]:
    """Returns `word` rotated right by `amount` in 1..31 (to the left by `32 - amount`)."""
    return (word >> amount) | (word << (jnp.uint32(WORD_BITS) - amount))


def pack(mask: Bool[Array, "bits"]) -> UInt32[Array, "words"]:
    """Packs a boolean vector into words; bit `i` of the result is `mask[i]`."""
    padding = -mask.shape[0] % WORD_BITS
    padded = jnp.pad(mask, (0, padding)).reshape(-1, WORD_BITS)
    weights = jnp.asarray(np.uint32(1) << np.arange(WORD_BITS, dtype=np.uint32))
    return jnp.where(padded, weights, jnp.uint32(0)).sum(axis=-1, dtype=jnp.uint32)


def to_mask(word: UInt32[Array, ""], size: int) -> Bool[Array, "size"]:
    """Returns the first `size <= 32` bits of one word as booleans."""
    return ((word >> jnp.arange(size, dtype=jnp.uint32)) & 1).astype(bool)
