"""A review as one JSON document, which the page without a server shows, too."""

from collections.abc import Sequence
from typing import Any

from jaxgames.analysis.analysis import Analysis
from jaxgames.analysis.chances import chance
from jaxgames.analysis.review import MARKS, Review
from jaxgames.env import Env
from jaxgames.internal.messages import title
from jaxgames.pictures.seat_looks import seat_looks
from jaxgames.records import Record
from jaxgames.state import State

MOST_PLIES = 8  # of a variation
Document = dict[str, Any]


def document(
    env: Env[Any], record: Record, states: Sequence[State[Any]], review: Review
) -> Document:
    """Returns the review of a game.

    Args:
        env: the game.
        record: its record.
        states: its positions.
        review: what was found.

    Returns:
        `line` has an entry a position; the moves of `review` have the number of the position to
        which they lead. Fractions of `expected`, `reached` and `loss` are chances to win, or
        points: `unit` says which.
    """
    looks = seat_looks(env, states[0], "light")
    averages = review.average_losses(env.num_players)
    expected = [review.moves[0].expected, *(move.reached for move in review.moves)]
    return {
        "game": record.game,
        "title": title(env.id),
        "options": dict(record.options),
        "unit": review.unit,
        "seats": [
            {
                "name": look.name,
                "colour": look.colour,
                "agent": str(seat),
                "average_loss": average,
                "marks": _marks(review, number),
            }
            for number, (look, seat, average) in enumerate(
                zip(looks, record.seats, averages, strict=True)
            )
        ],
        "line": [
            {"number": at, "position": env.state_to_text(state), "expected": list(expected[at])}
            | _move_to(env, states, review, at)
            for at, state in enumerate(states)
        ],
        "positions": [None if found is None else _position(found) for found in review.analyses],
        "review": {
            "player": review.player,
            "unit": review.unit,
            "missing": 0,
            "averages": averages,
            "moves": {
                str(at): {
                    "seat": move.seat,
                    "move": move.move,
                    "best": move.best,
                    "expected": list(move.expected),
                    "reached": list(move.reached),
                    "loss": move.loss,
                    "mark": move.mark(review.unit),
                }
                for at, move in enumerate(review.moves, start=1)
            },
        },
    }


def _move_to(env: Env[Any], states: Sequence[State[Any]], review: Review, at: int) -> Document:
    """Returns the move that leads to a position; nothing for the first one."""
    if at == 0:
        return {}
    move = review.moves[at - 1]
    return {"seat": move.seat, "move": move.move, "chapter": env.chapter(states[at - 1])}


def _marks(review: Review, seat: int) -> dict[str, int]:
    marks = [move.mark(review.unit) for move in review.moves if move.seat == seat]
    return {mark: marks.count(mark) for mark in MARKS}


def _position(found: Analysis) -> Document:
    return {
        "seat": found.seat,
        "move": found.move,
        "values": None if found.values is None else list(found.values),
        "moves": [
            {
                "move": move.move,
                "visits": move.visits,
                "chance": None if move.value is None else chance(move.value),
                "variation": list(move.variation[:MOST_PLIES]),
            }
            for move in found.moves
        ],
    }
