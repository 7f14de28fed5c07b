"""The order of moves in searches of the report's encoding: that of Onitama."""

import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Int32

from jaxgames.players.onitama.tactics import OnitamaTactics
from jaxgames.rules import LegalMask
from papers.onitama_report.game.rules import OnitamaReport, ReportState, base_actions, to_base


@dataclasses.dataclass(frozen=True)
class ReportTactics:
    """`OnitamaTactics` for the report's encoding."""

    rules: OnitamaReport

    def noisy(self, state: ReportState) -> LegalMask:
        """Returns the mask of captures, and of moves that conquer the temple."""
        noisy = OnitamaTactics(self.rules.base).noisy(to_base(state))
        # The numbers of a captured pawn's moves are negative.
        numbers = base_actions(state)
        return noisy[numbers] & (numbers >= 0)

    def bonus(self, state: ReportState, actions: Int32[Array, "slots"]) -> Int32[Array, "slots"]:
        """Returns a bonus for wins at once, captures, and the rank reached."""
        numbers = jnp.maximum(base_actions(state), 0)[actions]
        return OnitamaTactics(self.rules.base).bonus(to_base(state), numbers)
