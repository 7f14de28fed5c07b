"""A simple score for Murus Gallicus: how many stacks can act, and how far they have come.

Both sides always own equally many stones, so counting stones says nothing. A side needs towers and
catapults, to have a move at all and to carry stones over to the far row.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxgames.murus_gallicus.board import FILES, HALF, HALF_BITS, NUM_CELLS, RANKS, Board
from jaxgames.murus_gallicus.moves import Stones
from jaxgames.murus_gallicus.rules import MurusState
from jaxgames.types import SeatValues

ADVANCE = 0.25  # worth of one rank ahead, in stacks
SCALE = 1 / 16  # 8 towers on the sixth rank against none score little over 1; clipped


def active_stacks(state: MurusState) -> SeatValues:
    """Returns the lead in towers and catapults, each worth more the farther ahead, for each seat.

    The position must not be over.
    """
    lead = (_strength(state.own) - _strength(state.other)) * SCALE
    lead = jnp.clip(lead, -1.0, 1.0)
    return jnp.where(jnp.arange(2) == state.seat, lead, -lead)


def _strength(stones: Stones) -> Float[Array, ""]:
    """Returns the towers and catapults of one side, those ahead counting more."""
    stacks = stones.high
    advance = sum((stacks & _from_rank(rank)).count() for rank in range(1, RANKS))
    return stacks.count() + ADVANCE * advance


def _from_rank(rank: int) -> Board:
    """Returns all cells from a rank on."""
    cells = (1 << NUM_CELLS) - (1 << FILES * rank)
    return Board(jnp.uint32(cells & HALF_BITS), jnp.uint32(cells >> HALF))
