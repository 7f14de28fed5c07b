"""Tactics for the ordering of moves and for quiescence, one for each game.

They judge moves without playing them. Values of a full-width search do not depend on them.
"""

import importlib
from typing import Any

from jaxgames.env import Env
from jaxgames.search.depth_first import ordering

WIN_BONUS = 2**ordering.BONUS_BITS - 1  # of a move that wins at once: the largest there is

_TACTICS = {
    "murus_gallicus": "agents.games.murus_gallicus.tactics:MurusTactics",
    "onitama": "agents.games.onitama.tactics:OnitamaTactics",
    "onitama_report": "agents.games.onitama.tactics:ReportTactics",
}


def tactics_of(env: Env[Any]) -> ordering.Tactics | None:
    """Returns the tactics of a game; None if nobody has written any."""
    if env.id not in _TACTICS:
        return None
    module, _, name = _TACTICS[env.id].partition(":")
    tactics: ordering.Tactics = getattr(importlib.import_module(module), name)(env.rules)
    return tactics
