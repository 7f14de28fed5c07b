"""Afterstate values of Terra Mystica: in points of lead, from the estimate of the final points.

The features are the numbers of the observation and the parts of the estimate. The map is shown by
the code of each land hex.
"""

import dataclasses
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, UInt8

from jaxgames.players.terra_mystica import map_codes, score
from jaxgames.rules import Rules, Seat, SeatValues
from jaxgames.search.planning.afterstate_domain import AfterstateDomain
from jaxgames.terra_mystica import observation
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState

LEAD_UNIT = 20.0  # points of lead that count as one
_PART_UNIT = 30.0  # points of a part of the estimate that count as one
_RANK_UNIT = 18.0  # points for the largest network


@dataclasses.dataclass(frozen=True)
class TerraMysticaAfterstates(AfterstateDomain):
    """Values are leads over the mean of the other seats, in `LEAD_UNIT`."""

    rules: TerraMystica

    bounded: ClassVar[bool] = False

    def features(self, state: TerraMysticaState, seat: Seat) -> Float[Array, "features"]:
        """Returns the vector of the observation, and the parts of the estimate of each seat."""
        return self.features_and_estimate(state, seat)[0]

    def features_and_estimate(
        self, state: TerraMysticaState, seat: Seat
    ) -> tuple[Float[Array, "features"], SeatValues]:
        """Returns the features, and the estimated leads; nothing is hidden."""
        estimate = score.estimate_in_parts(state)
        by_seat = jnp.concatenate(
            [estimate.parts / _PART_UNIT, estimate.ranks / _RANK_UNIT], axis=1
        )
        by_seat = jnp.roll(by_seat, -seat, axis=0)  # the seat that acted comes first
        seen = observation.numbers_of(state, seat, self.rules.options)
        return jnp.concatenate([seen, by_seat.reshape(-1)]), _leads(estimate.points)

    @property
    def num_cell_codes(self) -> int:
        """Codes that a land hex may have."""
        return map_codes.num_codes(self.rules.num_players)

    def cells(self, state: TerraMysticaState, seat: Seat) -> UInt8[Array, "77"]:
        """Returns the code of every land hex as `seat` sees it."""
        return map_codes.codes(state, seat)

    def estimate(self, state: TerraMysticaState, seat: Seat) -> SeatValues:
        """Returns the estimated leads; nothing is hidden."""
        del seat
        return _leads(score.estimate(state))

    def outcome(self, state: TerraMysticaState) -> SeatValues:
        """Returns the final leads."""
        return _leads(self.rules.score(state))


def _leads(points: SeatValues) -> SeatValues:
    """Returns the lead of each seat over the mean of the others, in `LEAD_UNIT`."""
    points = points.astype(jnp.float32)
    others = (points.sum() - points) / (len(points) - 1)
    return (points - others) / LEAD_UNIT


def make(rules: Rules) -> TerraMysticaAfterstates:
    """Returns the domain, which suits all options of the rules.

    A turn ends with its action: conversions after it would double the decisions. In games where
    they are open, the player makes none (`TerraMysticaDomain.choices`), so the position after an
    action is judged as that after the end of the turn.
    """
    assert isinstance(rules, TerraMystica)
    return TerraMysticaAfterstates(dataclasses.replace(rules, post_conversions=False))
