"""The material count of the Onitama report's minimax opponent, for both encodings of the game."""

import jax.numpy as jnp

from jaxgames.boards import bits
from jaxgames.onitama.report import ReportState, to_base
from jaxgames.onitama.rules import OnitamaState
from jaxgames.types import SeatValues

MAX_STUDENTS = 4  # of each side


def material(state: OnitamaState | ReportState) -> SeatValues:
    """Returns own students less enemy students, divided by four, for each seat.

    The position must not be over: both masters are then on the board and cancel out.
    """
    position = to_base(state) if isinstance(state, ReportState) else state
    lead = bits.count(position.own_pieces) - bits.count(position.other_pieces)
    share = lead.astype(jnp.float32) / MAX_STUDENTS
    return jnp.where(jnp.arange(2) == position.seat, share, -share)
