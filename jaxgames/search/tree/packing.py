"""Packing of game states into rows of 32-bit words.

A tree stores one state in each node. Packed, a state is read by one gather and written by one
scatter, however many arrays it consists of.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Shaped, UInt32

from jaxgames.internal import device_kind
from jaxgames.search.agent import GameStates

WORD_BYTES = 4
_MOST_ELEMENTS = 64  # more take longer to compile
_UNSIGNED = {1: jnp.uint8, 2: jnp.uint16, 4: jnp.uint32}


def one_of(states: GameStates) -> Any:
    """Returns the abstract form (shapes and dtypes) of one game state of a batch."""
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), states)


def num_words(state: Any) -> int:
    """Returns the number of words of one packed game state; `state` may be abstract."""
    sizes = dict.fromkeys(_UNSIGNED, 0)
    for leaf in jax.tree.leaves(state):
        _check(leaf.dtype)
        sizes[leaf.dtype.itemsize] += leaf.size * leaf.dtype.itemsize
    return sum(-(-size // WORD_BYTES) for size in sizes.values())


def pack(states: GameStates) -> UInt32[Array, "B words"]:
    """Returns packed states. Leaves are grouped by the byte size of their elements.

    Raises:
        ValueError: for a leaf whose elements are not bool or numbers of 1, 2 or 4 bytes.
    """
    leaves = jax.tree.leaves(states)
    parts = []
    for size, unsigned in _UNSIGNED.items():
        rows = [_as_unsigned(leaf, unsigned) for leaf in leaves if _check(leaf.dtype) == size]
        if rows and _is_by_element(sum(row.shape[1] for row in rows)):
            parts += _words_of_elements([x for row in rows for x in row.T], WORD_BYTES // size)
        elif rows:
            parts.append(_to_words(jnp.concatenate(rows, axis=1), WORD_BYTES // size))
    return jnp.concatenate(parts, axis=1)


def unpack(words: UInt32[Array, "B words"], like: Any) -> GameStates:
    """Returns the states that `pack` packed; `like` is one state, which may be abstract."""
    batch_size = words.shape[0]
    leaves, structure = jax.tree.flatten(like)
    found: list[Array | None] = [None] * len(leaves)
    first_word = 0
    for size, unsigned in _UNSIGNED.items():
        group = [index for index, leaf in enumerate(leaves) if leaf.dtype.itemsize == size]
        count = sum(leaves[index].size for index in group)
        taken = -(-count * size // WORD_BYTES)
        of_group = words[:, first_word : first_word + taken]
        if _is_by_element(count):
            row = _elements_of_words(of_group, count, unsigned)
        else:
            row = jax.lax.bitcast_convert_type(of_group, unsigned).reshape(batch_size, -1)
        first_word += taken
        first = 0
        for index in group:
            leaf = leaves[index]
            part = row[:, first : first + leaf.size].reshape(batch_size, *leaf.shape)
            found[index] = _from_unsigned(part, leaf.dtype)
            first += leaf.size
    return jax.tree.unflatten(structure, found)


def _check(dtype: Any) -> int:
    if dtype != jnp.bool_ and _num_bits(dtype) not in (8 * size for size in _UNSIGNED):
        raise ValueError(
            f"a search keeps game states of numbers of 1, 2 or 4 bytes or bool, got {dtype}"
        )
    return int(dtype.itemsize)


def _num_bits(dtype: Any) -> int:
    """Returns the bits of a number type, which may be less than 8; 0 for other types."""
    if jnp.issubdtype(dtype, jnp.integer):
        return int(jnp.iinfo(dtype).bits)
    return int(jnp.finfo(dtype).bits) if jnp.issubdtype(dtype, jnp.floating) else 0


def _as_unsigned(leaf: Shaped[Array, "B ..."], unsigned: Any) -> Shaped[Array, "B n"]:
    if leaf.dtype == jnp.bool_:
        leaf = leaf.astype(unsigned)
    return jax.lax.bitcast_convert_type(leaf, unsigned).reshape(leaf.shape[0], -1)


def _from_unsigned(part: Shaped[Array, "B ..."], dtype: Any) -> Shaped[Array, "B ..."]:
    return part != 0 if dtype == jnp.bool_ else jax.lax.bitcast_convert_type(part, dtype)


def _is_by_element(count: int) -> bool:
    """Returns whether the elements of a group are shifted into words one by one.

    On a TPU the bytes of a word would be the last axis of an array, whose last axis is filled up to
    128 entries.
    """
    return device_kind.is_tpu() and count <= _MOST_ELEMENTS


def _words_of_elements(
    elements: list[Shaped[Array, "B"]], per_word: int
) -> list[UInt32[Array, "B 1"]]:
    words = []
    for first in range(0, len(elements), per_word):
        parts = [
            x.astype(jnp.uint32) << (place * 32 // per_word)
            for place, x in enumerate(elements[first : first + per_word])
        ]
        words.append(functools.reduce(jnp.bitwise_or, parts)[:, None])
    return words


def _elements_of_words(
    words: UInt32[Array, "B words"], count: int, unsigned: Any
) -> Shaped[Array, "B n"]:
    size = jnp.dtype(unsigned).itemsize
    per_word = WORD_BYTES // size
    elements = [
        (words[:, i // per_word] >> (i % per_word * 8 * size)).astype(unsigned)
        for i in range(count)
    ]
    return jnp.stack(elements, axis=1) if elements else words.astype(unsigned)


def _to_words(row: Shaped[Array, "B n"], per_word: int) -> UInt32[Array, "B words"]:
    padded = jnp.pad(row, ((0, 0), (0, -row.shape[1] % per_word)))
    if per_word > 1:
        padded = padded.reshape(row.shape[0], -1, per_word)
    return jax.lax.bitcast_convert_type(padded, jnp.uint32)
