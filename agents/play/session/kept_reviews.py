"""Reviews as plain values, for the files of games: analyses of positions, and judged moves."""

import dataclasses
import math
from typing import Any

from agents.play.session.game_tree import GameTree, Reviewed
from jaxgames.analysis.analysis import Analysis, MoveAnalysis
from jaxgames.analysis.review import LEAST_LOSSES, ReviewedMove

MOST_PLIES = 8  # of a variation that is kept
MOST_TEXT = 2000  # characters of a text that is read
Plain = dict[str, Any]


def shortened(analysis: Analysis) -> Analysis:
    """Returns an analysis whose variations have at most `MOST_PLIES` moves."""
    moves = tuple(
        dataclasses.replace(move, variation=move.variation[:MOST_PLIES]) for move in analysis.moves
    )
    return dataclasses.replace(analysis, moves=moves)


def to_plain(tree: GameTree, numbers: dict[int, int]) -> Plain:
    """Returns the review of a game that has one, as values that fit into JSON.

    Args:
        tree: the game.
        numbers: the positions whose review is wanted, with the number that each has in the file.
    """
    assert tree.reviewed is not None
    nodes = [(number, tree.nodes[at]) for at, number in numbers.items()]
    return {
        **tree.reviewed._asdict(),
        "positions": [
            [number, dataclasses.asdict(node.analysis)]
            for number, node in nodes
            if node.analysis is not None
        ],
        "moves": [
            [number, dataclasses.asdict(node.reviewed)]
            for number, node in nodes
            if node.reviewed is not None
        ],
    }


def read(tree: GameTree, plain: Any) -> None:
    """Adds the review of a file to its game.

    Raises:
        ValueError: if it is damaged.
    """
    players = tree.env.num_players
    try:
        unit = plain["unit"]
        if unit not in LEAST_LOSSES:
            raise ValueError(f"unit: expected one of {', '.join(LEAST_LOSSES)}, got {unit!r}")
        reviewed = Reviewed(_text(plain["player"]), unit)
        analyses = [(tree.nodes[at], _analysis(found, players)) for at, found in plain["positions"]]
        moves = [(tree.nodes[at], _move(found, players)) for at, found in plain["moves"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the review is damaged: {error!r}") from error
    tree.reviewed = reviewed
    for node, analysis in analyses:
        node.analysis = analysis
    for node, move in moves:
        node.reviewed = move


def _analysis(plain: Any, players: int) -> Analysis:
    moves = tuple(
        MoveAnalysis(
            **{
                **move,
                "move": _text(move["move"]),
                "action": _whole(move["action"]),
                "variation": tuple(map(_text, move["variation"])),
                **{name: _maybe(_number, move[name]) for name in ("value", "prior", "policy")},
                "visits": _maybe(_whole, move["visits"]),
            }
        )
        for move in plain["moves"]
    )
    values = plain["values"]
    return Analysis(
        **{
            **plain,
            "moves": moves,
            "seat": _seat(plain["seat"], players),
            "action": _whole(plain["action"]),
            "move": _text(plain["move"]),
            "values": None if values is None else _row(values, players),
            **{name: _maybe(_whole, plain[name]) for name in ("visits", "score", "depth")},
            "explanation": _maybe(_text, plain["explanation"]),
        }
    )


def _move(plain: Any, players: int) -> ReviewedMove:
    return ReviewedMove(
        **{
            **plain,
            "seat": _seat(plain["seat"], players),
            "move": _text(plain["move"]),
            "best": _text(plain["best"]),
            "is_forced": bool(plain["is_forced"]),
            "expected": _row(plain["expected"], players),
            "reached": _row(plain["reached"], players),
            "loss": _number(plain["loss"]),
        }
    )


def _maybe(read: Any, value: Any) -> Any:
    return None if value is None else read(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise ValueError(f"expected a text of at most {MOST_TEXT} characters")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"expected a number, got {value!r}")
    return float(value)


def _whole(value: Any) -> int:
    if type(value) is not int or not -(2**31) <= value < 2**31:
        raise ValueError(f"expected a whole number, got {value!r}"[:100])
    return value


def _seat(value: Any, players: int) -> int:
    if not 0 <= _whole(value) < players:
        raise ValueError(f"expected a seat from 0 to {players - 1}, got {value}")
    return int(value)


def _row(values: Any, players: int) -> tuple[float, ...]:
    if len(values) != players:
        raise ValueError(f"expected {players} numbers, got {len(values)}")
    return tuple(map(_number, values))
