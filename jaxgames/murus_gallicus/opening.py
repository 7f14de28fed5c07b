"""The optional first turns: redistributing two stones, and swapping sides.

With `redistribute_start`, the first turn of each side has three plies: it takes one of its eight
towers off the home row, and puts a wall on two different cells of its second row, one at a time.
So the plies 0-2 are the Romans' first turn and 3-5 the Gauls', and the ply alone says what is due.
Source: the default set-up of AbstractPlay's implementation.

With `pie_rule`, the seat that did not begin may, as its first decision, take over the other side.
It then waits, and the seat that began plays the Gauls. Nothing moves on the board.

These actions come after the board actions, with files as the acting side sees them: `896 + file`
takes a tower off, `904 + file` puts a wall on the second row, 912 swaps.
"""

import enum

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.murus_gallicus.board import FILES, Bitboard
from jaxgames.murus_gallicus.moves import NUM_BOARD_ACTIONS, Stones
from jaxgames.rules import Action

TAKE = NUM_BOARD_ACTIONS  # first of the actions that take a tower off
PUT = TAKE + FILES  # first of the actions that put a wall
SWAP = PUT + FILES
PLIES_OF_FIRST_TURN = 3  # take, put, put
PLIES_OF_OPENING = 2 * PLIES_OF_FIRST_TURN


class OpeningPhase(enum.IntEnum):
    """The kinds of plies with `redistribute_start`: those of a first turn, and all later ones."""

    TAKE = 0
    PUT_FIRST = 1
    PUT_SECOND = 2
    ACT = 3


def phase(ply: Int32[Array, ""]) -> Int32[Array, ""]:
    """Returns the `OpeningPhase` of a ply; a swap does not count as a ply."""
    return jnp.where(ply < PLIES_OF_OPENING, ply % PLIES_OF_FIRST_TURN, OpeningPhase.ACT)


def legal_mask(own: Stones, due: Int32[Array, ""]) -> Bool[Array, "16"]:
    """Returns the mask of legal actions among `TAKE` to `SWAP - 1`."""
    files = jnp.arange(FILES, dtype=jnp.uint32)
    has_tower = ((own.high.near >> files) & 1).astype(bool)
    is_empty = ((own.occupied.near >> (FILES + files)) & 1) == 0
    puts = (due == OpeningPhase.PUT_FIRST) | (due == OpeningPhase.PUT_SECOND)
    return jnp.concatenate([has_tower & (due == OpeningPhase.TAKE), is_empty & puts])


def redistribute(own: Stones, action: Action) -> Stones:
    """Returns the stones after an action from `TAKE` to `SWAP - 1`."""
    file = action % FILES
    # Both kinds change one digit: a tower 10 goes to 00, a wall comes to an empty cell.
    tower = jnp.uint32(1) << file.astype(jnp.uint32)
    nothing = jnp.uint32(0)
    takes = action < PUT
    taken = jnp.where(takes, tower, nothing)
    put = jnp.where(takes, nothing, tower << FILES)
    return Stones(
        low=Bitboard(own.low.near ^ put, own.low.far),
        high=Bitboard(own.high.near ^ taken, own.high.far),
    )


def stones_of_first_turn(due: OpeningPhase) -> tuple[int, int]:
    """Returns the towers on the home row and the walls on the second row of the side to act."""
    return FILES - (due > OpeningPhase.TAKE), max(0, due - OpeningPhase.PUT_FIRST)
