"""Analyses as tables for the terminal."""

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
