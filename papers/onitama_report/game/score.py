"""Scores of the report's encoding: those of Onitama."""

import dataclasses
from typing import Any

from jaxtyping import Array, Int32

from jaxgames.players.onitama import score
from jaxgames.rules import Rules, SeatValues
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.heuristic import Score
from papers.onitama_report.game.rules import ReportState, to_base


def material(state: ReportState) -> SeatValues:
    """Returns the lead in students for each seat, as `score.material` of Onitama."""
    return score.material(to_base(state))


def make_material(rules: Rules[Any]) -> Score:
    """Returns `material`, which suits all options of the rules."""
    del rules
    return material


@dataclasses.dataclass(frozen=True)
class ReportMobile:
    """The lead in students and in legal moves, as `score.Mobile` of Onitama."""

    def __call__(self, params: Params, state: ReportState) -> Int32[Array, ""]:
        """Returns the lead of the seat to move in a position that is not over."""
        return score.Mobile()(params, to_base(state))


def make_integer_score(rules: Rules[Any]) -> tuple[ReportMobile, Params]:
    """Returns the integer score of the game; it has no parameters."""
    del rules
    return ReportMobile(), ()
