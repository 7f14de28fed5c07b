"""What an agent finds in a position, as JSON for pages."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.play.engine.names import name_of
from agents.play.engine.thinker import Thought
from jaxgames.analysis.afterstate_values import Expectation, Unit, own
from jaxgames.analysis.analysis import MoveAnalysis
from jaxgames.analysis.chances import chance
from jaxgames.pictures.click_paths import ClickPath


def document(
    number: int,
    spec: str,
    thought: Thought,
    paths: Sequence[ClickPath],
    in_words: Callable[[str], str],
    judged: Mapping[int, Expectation],
    unit: Unit,
) -> dict[str, Any]:
    """Returns the analysis of a position.

    Args:
        number: the position.
        spec: the agent.
        thought: what it has found.
        paths: the ways to click each legal move.
        in_words: returns a move as people say it.
        judged: what it expects after moves, by their actions.
        unit: in what that is told.
    """
    analysis = thought.analysis
    decided = judged.get(analysis.action)
    clicks = {path.action: path for path in reversed(paths)}
    nothing = ClickPath(0)
    return {
        "number": number,
        "player": name_of(spec),
        "spec": spec,
        "final": thought.is_final,
        "seat": analysis.seat,
        "move": analysis.move,
        "words": in_words(analysis.move),
        "values": analysis.values,
        "chances": None if analysis.values is None else [chance(x) for x in analysis.values],
        "unit": unit if judged else "chance",
        "points": None if decided is None or unit == "chance" else [round(x, 1) for x in decided],
        "visits": analysis.visits,
        "score": analysis.score,
        "depth": analysis.depth,
        "explanation": analysis.explanation,
        "moves": [
            {
                "action": move.action,
                "move": move.move,
                "words": in_words(move.move),
                "visits": move.visits,
                "chance": None if move.value is None else chance(move.value),
                **_gain(judged.get(move.action), move, analysis.seat, unit),
                "prior": move.prior,
                "policy": move.policy,
                "variation": [in_words(text) for text in move.variation[:8]],
                "parts": clicks.get(move.action, nothing).parts
                + clicks.get(move.action, nothing).refinements,
            }
            for move in analysis.moves
        ],
    }


def _gain(
    expected: Expectation | None, move: MoveAnalysis, seat: int, unit: Unit
) -> dict[str, float | None]:
    """Returns what a move is worth to the seat to move: its `own` chance or lead, its `points`."""
    if expected is None:
        return {"own": None if move.value is None else chance(move.value), "points": None}
    points = expected[seat] if unit == "points" else None
    return {"own": own(expected, seat, unit), "points": points}
