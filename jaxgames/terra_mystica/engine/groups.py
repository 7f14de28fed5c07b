"""The structures of a seat as a list, and the groups into which they are joined.

A seat has at most 17 structures. In the order of their hexes, a set of them is a word of bits, and
what is joined to what is a matrix of bits. Its closure takes four products of matrices, while a
search over the map takes as many rounds as a group is long, and a loop.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt8, UInt16, UInt32

from jaxgames.batching.arrays import has_bit
from jaxgames.boards import bits, hexes
from jaxgames.boards.hexes import Cells
from jaxgames.internal import device_kind
from jaxgames.terra_mystica.tables.factions import STOCK
from jaxgames.terra_mystica.tables.terrain import BRIDGE_CELLS, ROWS

MAX_STRUCTURES = int(STOCK.sum())
_NUMBERS = np.arange(MAX_STRUCTURES)
_DOUBLINGS = (MAX_STRUCTURES - 2).bit_length()  # of the length of a way; the longest has 16 joints
_BIT = np.uint32(1) << np.arange(MAX_STRUCTURES, dtype=np.uint32)
_IS_ABOVE = np.tri(ROWS, k=-1, dtype=np.int32)

Structures = UInt16[Array, "17 9"]
"""The hex of each structure of a seat as a set, in reading order; empty past the last."""
Members = UInt32[Array, "*any"]
"""A set of structures: bit `n` is structure `n`."""


def listed(own: Cells) -> Structures:
    """Returns the list of the structures on some hexes, at most 17."""
    counts = bits.count(own)
    rank = _NUMBERS[:, None] - (_IS_ABOVE * counts).sum(axis=1)  # among the structures of each row
    is_row = (rank >= 0) & (rank < counts)
    row = jnp.where(is_row, own, jnp.uint16(0)).sum(axis=1, dtype=jnp.uint32)
    column = bits.select(row, jnp.where(is_row, rank, 0).sum(axis=1))
    cell = jnp.uint16(1) << column.astype(jnp.uint16)
    return bits.computed_once(jnp.where(is_row, cell[:, None], jnp.uint16(0)))


def members(structures: Structures, cells: UInt16[Array, "*any 9"]) -> Members:
    """Returns the structures on each of some sets of cells."""
    there = _in_pairs(structures) & _in_pairs(cells)[..., None, :]
    there = jnp.where(there != 0, _BIT[:, None], np.uint32(0))
    return jax.lax.reduce(there, np.uint32(0), jax.lax.bitwise_or, (there.ndim - 2, there.ndim - 1))


def _in_pairs(cells: UInt16[Array, "*any 9"]) -> Array:
    """Returns sets with two rows in a word on a CPU, for which that halves the work on them."""
    if not device_kind.is_cpu():
        return cells
    wide = jnp.pad(cells.astype(jnp.uint32), [(0, 0)] * (cells.ndim - 1) + [(0, 1)])
    return bits.computed_once(wide[..., ::2] | wide[..., 1::2] << 16)


def is_in(chosen: Members) -> Bool[Array, "*any 17"]:
    """Returns which structures of the list belong to each set."""
    return has_bit(chosen[..., None], _NUMBERS)


def cells_of(structures: Structures, chosen: Members) -> Cells:
    """Returns the hexes of a set of structures."""
    return hexes.union(jnp.where(is_in(chosen)[:, None], structures, jnp.uint16(0)))


def joined_to_any(chosen: Members, joined: UInt32[Array, "17"]) -> Members:
    """Returns all structures that are joined to one of each set of structures."""
    each = jnp.where(is_in(chosen), joined, jnp.uint32(0))
    return jax.lax.reduce(each, np.uint32(0), jax.lax.bitwise_or, (each.ndim - 1,))


def by_bridges(structures: Structures, bridges: UInt8[Array, "bridges"]) -> UInt32[Array, "17"]:
    """Returns the structures at the other ends of the bridges of each structure.

    Args:
        structures: the list.
        bridges: place of each bridge + 1; 0 for none.
    """
    place = jnp.maximum(bridges.astype(jnp.int32) - 1, 0)
    ends = members(structures, jnp.asarray(BRIDGE_CELLS)[place])  # [bridges, 2]
    ends = jnp.where(bridges[:, None] > 0, ends, jnp.uint32(0)).reshape(-1)
    others = ends.reshape(-1, 2)[:, ::-1].reshape(-1)
    across = jnp.where(is_in(ends).T, others, jnp.uint32(0))  # [17, ends]
    return jax.lax.reduce(across, np.uint32(0), jax.lax.bitwise_or, (1,))


def groups(structures: Structures, joined: UInt32[Array, "17"]) -> UInt32[Array, "17"]:
    """Returns the group of each structure; the empty set past the last structure.

    Args:
        structures: the list.
        joined: the structures that each structure is joined to directly.
    """
    is_there = (structures != 0).any(axis=1)
    result = jnp.where(is_there, joined | _BIT, 0)
    for _ in range(_DOUBLINGS):
        result = bits.computed_once(result)
        result = joined_to_any(result, result)
    return bits.computed_once(result)


def earlier(chosen: Members) -> UInt32[Array, "*any 17"]:
    """Returns, for each structure of the list, the chosen ones before it."""
    return chosen[..., None] & (_BIT - np.uint32(1))
