"""`TerraMysticaDomain`: the actions of Terra Mystica that planners look at."""

import dataclasses

import jax.numpy as jnp
import numpy as np

from jaxgames.players.terra_mystica import score
from jaxgames.rules import LegalMask, Rules
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.terra_mystica.engine import actions, decisions, seats
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState

_TRADES = [
    actions.encode(actions.Kind.CONVERT, conversion)
    for conversion in (actions.VP_TO_COIN, actions.COINS_TO_VP)
]
_IS_CONVERSION = actions.KIND_OF == actions.Kind.CONVERT


@dataclasses.dataclass(frozen=True)
class TerraMysticaDomain(PlannerDomain):
    """Terra Mystica as planners see it."""

    rules: TerraMystica

    def look_ahead(self, state: TerraMysticaState) -> LegalMask:
        """Returns the mask of all actions but the trades of Alchemists in points.

        A trade of points for coins and back loses a point. One step of look-ahead sees a third of
        the loss at a time, which is less than what passing seems to lose, and would go round until
        no point is left. At the end of the game, coins become points by themselves.
        """
        return _without_trades(self.rules.legal_actions(state))

    def choices(self, state: TerraMysticaState, legal: LegalMask) -> LegalMask:
        """Returns the same actions; after the action of a turn, those that are no conversions.

        A turn ends by one of them.
        """
        options, mover = self.rules.options, seats.of_seat(state, state.seat.astype(jnp.int32))
        is_done = decisions.due(state, options, mover) == decisions.Due.DONE
        return _without_trades(legal) & ~(is_done & _IS_CONVERSION)


def _without_trades(legal: LegalMask) -> LegalMask:
    others = legal & ~np.isin(np.arange(legal.shape[0]), _TRADES)
    return jnp.where(others.any(), others, legal)


def make(rules: Rules) -> TerraMysticaDomain:
    """Returns the domain, which suits all options of the rules."""
    assert isinstance(rules, TerraMystica)
    return TerraMysticaDomain(rules, score.make(rules))
