"""Afterstate values of Onitama: added to the lead in students.

The board is shown by the code of each square, so an afterstate costs sums of table rows. The
features are the cards, the ply, and how many squares each plane of the observation has: moves,
captures, wins and threats of both sides.
"""

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, UInt8

from jaxgames.boards import bits
from jaxgames.onitama import cards
from jaxgames.onitama.rules import Onitama, OnitamaState
from jaxgames.players.onitama.score import material
from jaxgames.rules import Rules, Seat
from jaxgames.search.planning.afterstate_domain import ScoredAfterstates

_SQUARES_UNIT = 8.0  # squares of a plane that count as one
_OWN, _OWN_MASTER, _OTHER, _OTHER_MASTER = range(1, 5)  # codes; 0 is an empty square


@dataclasses.dataclass(frozen=True)
class OnitamaAfterstates(ScoredAfterstates):
    """Values are expected returns, in [-1, 1]."""

    rules: Onitama

    @property
    def num_cell_codes(self) -> int:
        """Codes that a square may have."""
        return 1 + _OTHER_MASTER

    def cells(self, state: OnitamaState, seat: Seat) -> UInt8[Array, "25"]:
        """Returns the code of every square in the frame of `seat`."""
        is_own = seat == state.seat
        pieces = jnp.stack([state.own_pieces, state.other_pieces])
        masters = bits.single(jnp.stack([state.own_master, state.other_master]))
        pieces, masters = (jnp.where(is_own, x, x[::-1]) for x in (pieces, masters))
        theirs, their_master = (bits.reverse(x[1], cards.NUM_SQUARES) for x in (pieces, masters))
        code = jnp.zeros((cards.NUM_SQUARES,), jnp.uint8)
        for number, board in (
            (_OWN, pieces[0]),
            (_OWN_MASTER, masters[0]),
            (_OTHER, theirs),
            (_OTHER_MASTER, their_master),
        ):
            code = jnp.where(bits.to_mask(board, cards.NUM_SQUARES), jnp.uint8(number), code)
        return code

    def features(self, state: OnitamaState, seat: Seat) -> Float[Array, "features"]:
        """Returns the cards of both sides and of the table, the squares of each plane, the ply."""
        is_own = seat == state.seat
        hands = jnp.stack([state.own_hand, state.other_hand])
        hands = jnp.where(is_own, hands, hands[::-1])
        hands = jnp.append(hands, bits.single(state.side_card))
        held = jax.vmap(bits.to_mask, (0, None))(hands, cards.NUM_CARDS).astype(jnp.float32)
        planes = self.rules.observe(state, seat)
        squares = bits.count(planes.words).sum(axis=0).astype(jnp.float32) / _SQUARES_UNIT
        assert planes.levels is not None  # the ply
        return jnp.concatenate([held.reshape(-1), squares, planes.levels])


def make(rules: Rules) -> OnitamaAfterstates:
    """Returns the domain, which suits all options of the rules.

    It counts all planes, whichever of them the game shows.
    """
    assert isinstance(rules, Onitama)
    return OnitamaAfterstates(dataclasses.replace(rules, planes="moves"), material)
