"""Analyses and reviews as tables of text, which terminals and notebooks show."""

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jaxgames.analysis.analysis import Analysis
    from jaxgames.analysis.review import Review

_MOST_PLIES = 8  # of a variation
_TEXTS = ("move", "variation", "seat", "best", "mark")  # columns of words; the others hold numbers


class TextTable(NamedTuple):
    """A table whose cells are texts."""

    names: tuple[str, ...]
    """Of the columns."""
    rows: tuple[tuple[str, ...], ...]

    def is_text(self, column: int) -> bool:
        """Whether a column holds words, which begin at its left edge."""
        return self.names[column] in _TEXTS

    def as_html(self, *lines: str) -> str:
        """Returns the table as HTML, below some lines of text."""
        head = "".join(self._cell("th", column, name) for column, name in enumerate(self.names))
        body = "".join(
            f"<tr>{''.join(self._cell('td', column, text) for column, text in enumerate(row))}</tr>"
            for row in self.rows
        )
        above = "".join(f"<div>{html.escape(line)}</div>" for line in lines)
        return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _cell(self, tag: str, column: int, text: str) -> str:
        edge = "left" if self.is_text(column) else "right"
        space = "normal" if self.names[column] == "variation" else "nowrap"
        style = f"text-align: {edge}; white-space: {space}"
        return f'<{tag} style="{style}">{html.escape(text)}</{tag}>'


def summary(analysis: "Analysis") -> str:
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


def best_moves(analysis: "Analysis") -> TextTable:
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
    names = [name for name in rows[0] if any(row[name] is not None for row in rows)] if rows else []
    return TextTable(tuple(names), tuple(tuple(row[name] or "-" for name in names) for row in rows))


def reviewed_moves(review: "Review", seats: Sequence[str] = ()) -> TextTable:
    """Returns the moves of a review with what each of them lost; `seats`: their names, if any."""
    rows = []
    for number, move in enumerate(review.moves, start=1):
        is_best = move.move == move.best
        rows.append(
            (
                str(number),
                seats[move.seat] if seats else str(move.seat),
                move.move,
                "" if is_best else move.best,
                amount(move.reached[move.seat], review.unit),
                "" if is_best else amount(move.loss, review.unit),
                move.mark(review.unit),
            )
        )
    return TextTable(("", "seat", "move", "best", "expected", "loss", "mark"), tuple(rows))


def amount(value: float, unit: str) -> str:
    """Returns points or a chance in words."""
    return f"{value:.1f}" if unit == "points" else f"{value:.1%}"


def _shortened(variation: tuple[str, ...]) -> str:
    rest = ", ..." if len(variation) > _MOST_PLIES else ""
    return ", ".join(variation[:_MOST_PLIES]) + rest
