"""Analyses and reviews for the terminal."""

from typing import Any

from rich.table import Table

from jaxgames.analysis.tables import TextTable, amount


def rich_table(table: TextTable) -> Table:
    """Returns a table as rich prints it."""
    drawn = Table()
    for column, name in enumerate(table.names):
        drawn.add_column(name, justify="left" if table.is_text(column) else "right")
    for row in table.rows:
        drawn.add_row(*row)
    return drawn


def review_summary(told: dict[str, Any]) -> str:
    """Returns a line about each seat of a review, as `review_document` tells it."""
    lines = [f"{told['title']}, {len(told['line']) - 1} moves, by {told['review']['player']}"]
    for seat in told["seats"]:
        average = seat["average_loss"]
        loss = "no choice" if average is None else f"{amount(average, told['unit'])} a move"
        marks = ", ".join(f"{count} {mark}" for mark, count in seat["marks"].items() if count)
        lines.append(f"{seat['name']} ({seat['agent']}): loses {loss}; {marks or 'no large loss'}")
    return "\n".join(lines)
