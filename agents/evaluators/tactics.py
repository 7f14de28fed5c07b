"""`Tactics`: what a depth-first search asks about the moves of a position, one for each game.

It decides in which order moves are searched, and which of them a quiescence search goes on with.
Values never depend on the order.
"""

import importlib
from typing import Any, Protocol

from jaxtyping import Array, Int32

from jaxgames.env import Env
from jaxgames.types import LegalMask

WIN_BONUS = 255  # of a move that wins at once: the largest bonus there is


class Tactics(Protocol):
    """Judges moves of one position without playing them; must be hashable."""

    def noisy(self, state: Any) -> LegalMask:
        """Returns which legal actions change the balance at once: captures, and steps that win."""
        ...

    def bonus(self, state: Any, actions: Int32[Array, "slots"]) -> Int32[Array, "slots"]:
        """Returns how early to try each action: 0 to `WIN_BONUS`, for illegal ones as well."""
        ...


_TACTICS = {
    "murus_gallicus": "agents.evaluators.murus_gallicus.tactics:MurusTactics",
    "onitama": "agents.evaluators.onitama_tactics:OnitamaTactics",
    "onitama_report": "agents.evaluators.onitama_tactics:ReportTactics",
}


def tactics_of(env: Env[Any]) -> Tactics | None:
    """Returns the tactics of a game; None if nobody has written any."""
    if env.id not in _TACTICS:
        return None
    module, _, name = _TACTICS[env.id].partition(":")
    tactics: Tactics = getattr(importlib.import_module(module), name)(env.rules)
    return tactics
