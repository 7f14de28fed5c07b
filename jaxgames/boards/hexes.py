"""Sets of cells of a hexagonal board, as one word of bits for each row.

The board has offset rows: odd rows are shifted right by half a cell. Cell `(row, column)` is bit
`column` of word `row`; its number is `row * columns + column`. All functions take one set.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt16

Cells = UInt16[Array, "rows"]
"""A set of cells of a board with at most 16 columns."""


def from_cells(cells: list[int] | np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Returns the set that holds the numbered cells, as a `[rows]` uint16 table."""
    words = np.zeros(rows, np.uint16)
    for cell in cells:
        words[cell // columns] |= np.uint16(1 << (cell % columns))
    return words


def neighbours(cells: Cells) -> Cells:
    """Returns the cells that share a side with one of `cells`; may include cells off the board.

    Bits beyond the last column may be set; mask the result with the cells that exist.
    """
    odd = np.arange(cells.shape[0]) % 2 == 1
    # Of the two cells above (and below), one has the same column; the other lies to the left of
    # an even row's cell and to the right of an odd row's.
    aside = jnp.where(odd, cells << 1, cells >> 1)
    beyond = cells | aside
    none = jnp.zeros((1,), cells.dtype)
    above = jnp.concatenate([beyond[1:], none])
    below = jnp.concatenate([none, beyond[:-1]])
    return (cells << 1) | (cells >> 1) | above | below


def contains(cells: Cells, row: Int32[Array, "*any"], column: Int32[Array, "*any"]) -> Array:
    """Returns whether each of some cells belongs to the set."""
    words = jnp.asarray(cells)[row]
    return ((words >> column.astype(cells.dtype)) & 1).astype(bool)


def single(row: Int32[Array, ""], column: Int32[Array, ""], rows: int) -> Cells:
    """Returns the set of one cell; the empty set for a row outside the board."""
    bit = jnp.uint16(1) << column.astype(jnp.uint16)
    return jnp.where(jnp.arange(rows) == row, bit, jnp.uint16(0))


def count(cells: UInt16[Array, "*any rows"]) -> Int32[Array, "*any"]:
    """Returns the number of cells in each set."""
    return jax.lax.population_count(cells).astype(jnp.int32).sum(axis=-1)


def is_empty(cells: UInt16[Array, "*any rows"]) -> Bool[Array, "*any"]:
    """Returns whether each set is empty."""
    return (cells == 0).all(axis=-1)


def union(sets: UInt16[Array, "sets rows"]) -> Cells:
    """Returns the cells that belong to at least one of some sets."""
    return jax.lax.reduce(sets, np.uint16(0), jax.lax.bitwise_or, (0,))


def first(cells: Cells) -> Cells:
    """Returns the set of the lowest-numbered cell; empty for the empty set."""
    row = jnp.argmax(cells != 0)
    lowest = cells & (~cells + jnp.uint16(1))
    return jnp.where(jnp.arange(cells.shape[0]) == row, lowest, jnp.uint16(0))
