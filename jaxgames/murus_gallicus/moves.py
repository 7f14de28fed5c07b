"""Stones, legal actions and their effects, on bitboards.

Each side's stones are kept in its own frame, as two sets of cells: the lower and the upper binary
digit of the height of each stack. Adding or taking a stone is then a binary sum in all cells at
once, and passing the turn exchanges the two sides.

Board actions are `(8 * half + direction) * 56 + cell`: the stack on `cell` acts in `direction`.

| half | a tower there | a catapult there |
| --- | --- | --- |
| 0 | moves, or strikes with one stone | fires to distance 2 |
| 1 | strikes with two stones | fires to distance 3 |

A tower cannot both move and strike in one direction: the content of the next cell decides.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames import sampling
from jaxgames.boards import bits
from jaxgames.murus_gallicus.board import (
    HALF,
    HALF_BITS,
    NUM_CELLS,
    NUM_DIRECTIONS,
    OFFSETS,
    ROW_BITS,
    Bitboard,
    Direction,
    single,
)
from jaxgames.murus_gallicus.variants import Variant
from jaxgames.rules import Action
from jaxgames.sampling import RandomWord

NUM_HALVES = 2
NUM_PLANES = NUM_HALVES * NUM_DIRECTIONS
NUM_BOARD_ACTIONS = NUM_PLANES * NUM_CELLS
NEAR_SHOT, FAR_SHOT = 2, 3  # distances that a catapult fires to
WORDS = 2 * NUM_PLANES


class Stones(struct.PyTreeNode):
    """The stones of one side, in its own frame: on each cell a stack of 0 to 3."""

    low: Bitboard  # height 1 or 3
    high: Bitboard  # height 2 or 3

    @property
    def walls(self) -> Bitboard:
        """Cells with one stone."""
        return self.low & ~self.high

    @property
    def towers(self) -> Bitboard:
        """Cells with two stones."""
        return self.high & ~self.low

    @property
    def catapults(self) -> Bitboard:
        """Cells with three stones."""
        return self.low & self.high

    @property
    def occupied(self) -> Bitboard:
        """Cells with a stone."""
        return self.low | self.high

    def turned(self) -> "Stones":
        """Returns the stones in the frame of the other side."""
        return Stones(self.low.turned(), self.high.turned())

    def reflected(self) -> "Stones":
        """Returns the stones with left and right exchanged."""
        return Stones(self.low.reflected(), self.high.reflected())


def start_stones() -> Stones:
    """Returns the stones of either side at the start: a tower on each cell of the home row."""
    none = jnp.uint32(0)
    return Stones(low=Bitboard(none, none), high=Bitboard(jnp.uint32(ROW_BITS), none))


class Sight(NamedTuple):
    """The sets of cells that decide what the side to act can do, in its own frame."""

    towers: Bitboard  # own
    catapults: Bitboard  # own
    free: Bitboard  # where a moving tower can drop a stone: no enemy, no stack that is full
    targets: Bitboard  # where a thrown stone can land: no own stack
    struck: Bitboard  # enemy stacks that a tower can strike: walls and catapults
    struck_twice: Bitboard  # enemy stacks that a tower can strike with two stones: catapults


def look(own: Stones, other: Stones, variant: Variant) -> Sight:
    """Returns the `Sight` of the side `own`."""
    enemy = other.turned()
    full = own.catapults if variant.has_catapults else own.towers
    return Sight(
        towers=own.towers,
        catapults=own.catapults,
        free=~(enemy.occupied | full),
        targets=~own.occupied,
        struck=enemy.low,
        struck_twice=enemy.catapults,
    )


def origins(
    sight: Sight, direction: int | np.ndarray, variant: Variant
) -> tuple[Bitboard, Bitboard]:
    """Returns the cells whose stack may act in a direction: for half 0 and half 1 of the actions.

    An array of directions gives arrays of sets.
    """
    moves = sight.free & sight.free.leading_here(direction, 1)
    weak = sight.towers & (moves | sight.struck).leading_here(direction, 1)
    strong = sight.towers & sight.struck_twice.leading_here(direction, 1)
    fires = np.isin(direction, variant.fire)
    if fires.any():
        # What a stone flies over does not matter.
        aimed = jnp.asarray(np.where(fires, HALF_BITS, 0).astype(np.uint32))
        able = sight.catapults & Bitboard(aimed, aimed)
        weak |= able & sight.targets.leading_here(direction, NEAR_SHOT)
        strong |= able & sight.targets.leading_here(direction, FAR_SHOT)
    return weak, strong


def can_act(own: Stones, other: Stones, variant: Variant) -> Bool[Array, ""]:
    """Returns whether the side `own` has a legal action."""
    first, *rest = _words(own, other, variant)
    for word in rest:
        first |= word
    return bits.computed_once(first) != 0


def count(own: Stones, other: Stones, variant: Variant) -> Int32[Array, ""]:
    """Returns the number of legal board actions of the side `own`."""
    counts = [bits.count(word) for word in _words(own, other, variant)]
    return sum(counts[1:], counts[0])


def legal_mask(own: Stones, other: Stones, variant: Variant) -> Bool[Array, "896"]:
    """Returns the mask of legal board actions."""
    # All directions are in one array: as fast as single words here, with a quarter of the program.
    halves = origins(look(own, other, variant), np.arange(NUM_DIRECTIONS), variant)
    weak, strong = jax.tree.map(bits.computed_once, halves)
    return jnp.concatenate([weak.cells(), strong.cells()]).reshape(-1)


def packed_legal_actions(own: Stones, other: Stones, variant: Variant) -> UInt32[Array, "28"]:
    """Returns the mask of legal board actions as words of 32 actions."""
    pieces = bits.computed_once(jnp.stack([*_words(own, other, variant), jnp.uint32(0)]))
    # Pieces of 28 bits are joined; a word takes the end of one and the start of the next.
    first = bits.WORD_BITS * np.arange(NUM_BOARD_ACTIONS // bits.WORD_BITS)
    piece, skipped = first // HALF, (first % HALF).astype(np.uint32)
    return (pieces[piece] >> skipped) | (pieces[piece + 1] << (HALF - skipped))


def sample(own: Stones, other: Stones, variant: Variant, word: RandomWord) -> Action:
    """Returns a uniformly random legal board action, counted and selected on the bitboards."""
    words = _words(own, other, variant)
    counts = [bits.count(origin) for origin in words]
    total = sum(counts[1:], counts[0])
    rank = sampling.bounded(word, jnp.maximum(total, 1))

    chosen, index, start = words[0], jnp.int32(0), jnp.int32(0)
    before = counts[0]
    for position in range(1, WORDS):
        later = rank >= before
        chosen = jnp.where(later, words[position], chosen)
        index = jnp.where(later, position, index)
        start = jnp.where(later, before, start)
        before = before + counts[position]
    action = index * HALF + bits.select(chosen, rank - start)
    return bits.computed_once(action.astype(jnp.uint32)).astype(jnp.int32)


def _words(own: Stones, other: Stones, variant: Variant) -> list[UInt32[Array, ""]]:
    """Returns the words of `origins` one by one; word `i` has the actions from `28 * i` on.

    Counting and selecting is three times as fast on single words as on arrays of eight.
    """
    sight = look(own, other, variant)
    pairs = [origins(sight, direction, variant) for direction in Direction]
    planes = [plane for half in zip(*pairs, strict=True) for plane in half]
    return [word for plane in planes for word in (plane.near, plane.far)]


def act(own: Stones, other: Stones, action: Action) -> tuple[Stones, Stones]:
    """Returns `own` and `other` after a legal board action of `own`."""
    plane, cell = action // NUM_CELLS, action % NUM_CELLS
    half = plane // NUM_DIRECTIONS
    step = jnp.asarray(OFFSETS)[plane % NUM_DIRECTIONS]
    origin = single(cell)
    fires = (own.low & origin).any()  # only towers and catapults act, and towers have no low digit
    target = cell + step * jnp.where(fires, NEAR_SHOT + half, 1)
    enemy = single(NUM_CELLS - 1 - target)
    hits = (other.occupied & enemy).any()
    strikes_twice = ~fires & (half == 1)
    hits_once = hits & ~strikes_twice

    # One stone of the enemy goes: a binary subtraction with its borrow. A double strike takes two
    # stones of a catapult: only the upper digit changes.
    taken = enemy.only_if(hits_once)
    other = Stones(
        low=other.low ^ taken,
        high=other.high ^ (taken & ~other.low) ^ enemy.only_if(strikes_twice),
    )
    # Tower 10: moves to 00, strikes once to 01, strikes twice to 00. Catapult 11: fires to 10.
    low = own.low ^ origin.only_if(fires | hits_once)
    high = own.high ^ origin.only_if(~fires)
    added = (single(target) | single(target + step).only_if(~fires)).only_if(~hits)
    return Stones(low ^ added, high ^ (added & low)), other
