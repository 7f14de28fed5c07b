"""The board of Murus Gallicus: cells, directions, and sets of cells.

Cells are numbered `8 * rank + file` in the frame of one side: rank 0 is its home row, file 0 the
file at its left hand. The other side's frame is this one turned by 180 degrees, `55 - cell`. In the
Romans' frame a1 is 0, b1 is 1 and h7 is 55.

A set of cells is a bitboard of two words, one for each half of the board. The halves are equal, 28
cells each, so that the turn exchanges them, and three steps cross at most one border.
"""

import enum

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.boards import bits

FILES = 8
RANKS = 7
NUM_CELLS = FILES * RANKS
HALF = NUM_CELLS // 2  # cells of one word
HALF_BITS = (1 << HALF) - 1
ROW_BITS = (1 << FILES) - 1
FAR_ROW_SHIFT = HALF - FILES  # position of the far row in the word of the far half
MAX_DISTANCE = 3  # the farthest cell that any action touches


class Direction(enum.IntEnum):
    """The eight neighbours, clockwise from straight ahead; N is towards the far row."""

    N = 0
    NE = 1
    E = 2
    SE = 3
    S = 4
    SW = 5
    W = 6
    NW = 7


NUM_DIRECTIONS = len(Direction)
# [direction]: files to the right and ranks ahead of one step.
STEPS = np.array([(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)], np.int32)
OFFSETS = STEPS @ np.array([1, FILES], np.int32)  # [direction]: difference of the cell numbers


def target_table() -> np.ndarray:
    """Returns `[cell, direction, distance]` int32: the cell at a distance, -1 if off the board."""
    rank, file = np.divmod(np.arange(NUM_CELLS), FILES)
    distance = np.arange(MAX_DISTANCE + 1)
    x = file[:, None, None] + STEPS[:, 0, None] * distance
    y = rank[:, None, None] + STEPS[:, 1, None] * distance
    on_board = (x >= 0) & (x < FILES) & (y >= 0) & (y < RANKS)
    return np.where(on_board, FILES * y + x, -1).astype(np.int32)


TARGETS = target_table()


def _reach_table() -> np.ndarray:
    """Returns `[direction, distance, half]` uint32: the cells from which a target is on board."""
    on_board = (TARGETS >= 0).reshape(2, HALF, NUM_DIRECTIONS, MAX_DISTANCE + 1)
    weights = np.uint32(1) << np.arange(HALF, dtype=np.uint32)
    return np.einsum("hcdk,c->dkh", on_board, weights, dtype=np.uint32)


REACH = _reach_table()


class Bitboard(struct.PyTreeNode):
    """A set of cells in the frame of one side; `&`, `|`, `^` and `~` work cell by cell."""

    near: UInt32[Array, ""]  # bit i: cell i
    far: UInt32[Array, ""]  # bit i: cell 28 + i

    def __and__(self, other: "Bitboard") -> "Bitboard":
        return Bitboard(self.near & other.near, self.far & other.far)

    def __or__(self, other: "Bitboard") -> "Bitboard":
        return Bitboard(self.near | other.near, self.far | other.far)

    def __xor__(self, other: "Bitboard") -> "Bitboard":
        return Bitboard(self.near ^ other.near, self.far ^ other.far)

    def __invert__(self) -> "Bitboard":
        everywhere = jnp.uint32(HALF_BITS)
        return Bitboard(self.near ^ everywhere, self.far ^ everywhere)

    def only_if(self, condition: Bool[Array, ""]) -> "Bitboard":
        """Returns the set if `condition` holds, else the empty set."""
        none = jnp.uint32(0)
        return Bitboard(jnp.where(condition, self.near, none), jnp.where(condition, self.far, none))

    def any(self) -> Bool[Array, ""]:
        """Returns whether the set has a cell."""
        return (self.near | self.far) != 0

    def count(self) -> Int32[Array, ""]:
        """Returns the number of cells."""
        return bits.count(self.near) + bits.count(self.far)

    def reaches_far_row(self) -> Bool[Array, ""]:
        """Returns whether the set has a cell of the other side's home row."""
        return (self.far >> FAR_ROW_SHIFT) != 0

    def leading_here(self, direction: int | np.ndarray, distance: int) -> "Bitboard":
        """Returns the cells from which the cell at `distance` in `direction` is in the set.

        An array of directions gives an array of sets.
        """
        shift = distance * OFFSETS[direction]
        right = np.maximum(shift, 0).astype(np.uint32)
        left = np.maximum(-shift, 0).astype(np.uint32)
        near, far = (self.near >> right) << left, (self.far >> right) << left
        # For directions that do not shift this way, the carried bits fall off the board.
        if right.any():
            near |= self.far << (HALF - right)
        if left.any():
            far |= self.near >> (HALF - left)
        reach = REACH[direction, distance]
        return Bitboard(near & reach[..., 0], far & reach[..., 1])

    def turned(self) -> "Bitboard":
        """Returns the set in the frame of the other side."""
        return Bitboard(bits.reverse(self.far, HALF), bits.reverse(self.near, HALF))

    def reflected(self) -> "Bitboard":
        """Returns the set with left and right exchanged."""
        # The border of the halves runs through the middle rank, so its two parts change places.
        low, high = self.near | (self.far << HALF), self.far >> (bits.WORD_BITS - HALF)
        low, high = _reverse_bytes(low), _reverse_bytes(high)
        half_bits = jnp.uint32(HALF_BITS)
        far = ((low >> HALF) | (high << (bits.WORD_BITS - HALF))) & half_bits
        return Bitboard(low & half_bits, far)

    def cells(self) -> Bool[Array, "*any 56"]:
        """Returns for each cell whether it is in the set; sets may be an array."""
        cell = np.arange(NUM_CELLS)
        words = jnp.where(cell < HALF, self.near[..., None], self.far[..., None])
        return ((words >> (cell % HALF).astype(np.uint32)) & 1).astype(bool)


def single(cell: Int32[Array, ""]) -> Bitboard:
    """Returns the set of one cell; empty when `cell` is not on the board."""
    near = bits.single(cell) & jnp.uint32(HALF_BITS)
    return Bitboard(near, bits.single(cell - HALF) & jnp.uint32(HALF_BITS))


def _reverse_bytes(word: UInt32[Array, ""]) -> UInt32[Array, ""]:
    """Returns a word with the eight bits of each byte in reverse order."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F)):
        low = jnp.uint32(mask)
        word = ((word >> shift) & low) | ((word & low) << shift)
    return word
