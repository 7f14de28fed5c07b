"""What an agent finds in a position, as JSON for pages."""

from collections.abc import Sequence
from typing import Any

from agents.play.engine.names import name_of
from agents.play.engine.thinker import Thought
from agents.play.session.session import Search
from jaxgames.pictures.click_paths import ClickPath


def document(
    search: Search, thought: Thought, paths: Sequence[ClickPath], points: list[float] | None
) -> dict[str, Any]:
    """Returns the analysis of a position, with the final points that the agent expects."""
    analysis = thought.analysis
    clicks = {path.action: path for path in reversed(paths)}
    nothing = ClickPath(0)
    return {
        "number": search.number,
        "player": name_of(search.player),
        "spec": search.player,
        "final": thought.is_final,
        "seat": analysis.seat,
        "move": analysis.move,
        "values": analysis.values,
        "points": points,
        "visits": analysis.visits,
        "score": analysis.score,
        "depth": analysis.depth,
        "explanation": analysis.explanation,
        "moves": [
            {
                "action": move.action,
                "move": move.move,
                "visits": move.visits,
                "value": move.value,
                "prior": move.prior,
                "policy": move.policy,
                "variation": move.variation[:8],
                "parts": clicks.get(move.action, nothing).parts
                + clicks.get(move.action, nothing).refinements,
            }
            for move in analysis.moves
        ],
    }
