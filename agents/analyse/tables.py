"""Analyses as tables for the terminal."""

from typing import Any

from rich.table import Table

from jaxgames.analysis.analysis import Analysis

_MOST_PLIES = 8  # of a variation in the table


def summary(analysis: Analysis) -> str:
    """Returns the move that is played, the values of the seats, and the effort, as one line."""
    parts = [f"seat {analysis.seat} to move", f"plays {analysis.move}"]
    if analysis.values is not None:
        values = " ".join(f"{value:+.3f}" for value in analysis.values)
        parts.append(f"values by seat {values}")
    if analysis.score is not None:
        parts.append(f"score {analysis.score} at depth {analysis.depth}")
    if analysis.visits is not None:
        parts.append(f"{analysis.visits} visits")
    return ", ".join(parts)


def moves_table(analysis: Analysis) -> Table:
    """Returns the best moves, without the columns that the agent does not compute."""
    rows = [
        {
            "move": ("* " if move.action == analysis.action else "  ") + move.move,
            "visits": None if move.visits is None else str(move.visits),
            "value": None if move.value is None else f"{move.value:+.3f}",
            "prior": None if move.prior is None else f"{move.prior:.1%}",
            "policy": None if move.policy is None else f"{move.policy:.1%}",
            "variation": _shortened(move.variation),
        }
        for move in analysis.moves
    ]
    table = Table()
    names = [name for name in rows[0] if any(row[name] is not None for row in rows)] if rows else []
    for name in names:
        table.add_column(name, justify="left" if name in ("move", "variation") else "right")
    for row in rows:
        table.add_row(*(row[name] or "-" for name in names))
    return table


def _shortened(variation: tuple[str, ...]) -> str:
    rest = ", ..." if len(variation) > _MOST_PLIES else ""
    return ", ".join(variation[:_MOST_PLIES]) + rest


def review_summary(told: dict[str, Any]) -> str:
    """Returns a line about each seat of a review, as `review_document` tells it."""
    lines = [f"{told['title']}, {len(told['line']) - 1} moves, by {told['review']['player']}"]
    for seat in told["seats"]:
        average = seat["average_loss"]
        loss = "no choice" if average is None else f"{amount(average, told['unit'])} a move"
        marks = ", ".join(f"{count} {mark}" for mark, count in seat["marks"].items() if count)
        lines.append(f"{seat['name']} ({seat['agent']}): loses {loss}; {marks or 'no large loss'}")
    return "\n".join(lines)


def review_table(told: dict[str, Any]) -> Table:
    """Returns the moves of a review with what each of them lost."""
    table = Table()
    for name in ("", "seat", "move", "best", "expected", "loss", "mark"):
        table.add_column(name, justify="right" if name in ("", "expected", "loss") else "left")
    names, unit = [seat["name"] for seat in told["seats"]], told["unit"]
    for number, move in told["review"]["moves"].items():
        is_best = move["move"] == move["best"]
        table.add_row(
            number,
            names[move["seat"]],
            move["move"],
            "" if is_best else move["best"],
            amount(move["reached"][move["seat"]], unit),
            "" if is_best else amount(move["loss"], unit),
            move["mark"],
        )
    return table


def amount(value: float, unit: str) -> str:
    """Returns points or a chance in words."""
    return f"{value:.1f}" if unit == "points" else f"{value:.1%}"
