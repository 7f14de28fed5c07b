"""Afterstate values of Murus Gallicus: added to the paper's evaluation.

The board is shown by the code of each cell, so an afterstate costs sums of table rows. The features
are the numbers of stacks and moves of both sides, and the constants of the observation.
"""

import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Float, UInt8

from jaxgames.batching.trees import choose
from jaxgames.murus_gallicus import moves
from jaxgames.murus_gallicus.moves import Stones
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.players.murus_gallicus.evaluation import SquashedLinear, materials
from jaxgames.rules import Rules, Seat
from jaxgames.search.planning.afterstate_domain import ScoredAfterstates

_STACKS_UNIT = 8.0  # stacks of a kind that count as one
_MOVES_UNIT = 40.0
_LARGEST_STACK = 3


@dataclasses.dataclass(frozen=True)
class MurusAfterstates(ScoredAfterstates):
    """Values are expected returns, in [-1, 1]."""

    rules: MurusGallicus

    @property
    def num_cell_codes(self) -> int:
        """Codes that a cell may have."""
        return 1 + 2 * _LARGEST_STACK

    def cells(self, state: MurusState, seat: Seat) -> UInt8[Array, "56"]:
        """Returns the code of every cell in the frame of `seat`.

        0 is an empty cell, 1 to 3 the height of an own stack, 4 to 6 three more than that of the
        opponent's.
        """
        own, other = _sides(state, seat)
        theirs = _heights(other.turned())
        return _heights(own) + jnp.where(theirs > 0, theirs + _LARGEST_STACK, 0).astype(jnp.uint8)

    def features(self, state: MurusState, seat: Seat) -> Float[Array, "features"]:
        """Returns the walls, towers, catapults and moves of both sides, those of `seat` first.

        Then follow the constant planes of the observation: the ply, and what options add.
        """
        own, other = _sides(state, seat)
        numbers = []
        for side, opponent in ((own, other), (other, own)):
            numbers += [board.count() / _STACKS_UNIT for board in materials(side)]
            numbers.append(moves.count(side, opponent, self.rules.terms) / _MOVES_UNIT)
        constants = self.rules.observe(state, seat).levels
        assert constants is not None  # the ply is one of them
        return jnp.concatenate([jnp.stack(numbers).astype(jnp.float32), constants])


def _sides(state: MurusState, seat: Seat) -> tuple[Stones, Stones]:
    """Returns the stones of a seat and those of the other one, each in the frame of its owner."""
    is_own = seat == state.seat
    return choose(is_own, state.own, state.other), choose(is_own, state.other, state.own)


def _heights(stones: Stones) -> UInt8[Array, "56"]:
    return stones.low.cells().astype(jnp.uint8) + 2 * stones.high.cells().astype(jnp.uint8)


def make(rules: Rules) -> MurusAfterstates:
    """Returns the domain, which suits all options of the rules."""
    assert isinstance(rules, MurusGallicus)
    return MurusAfterstates(rules, SquashedLinear(rules))
