"""The board of `onitama_report` in a terminal: that of the base game."""

from jaxgames.ansi import Paint
from jaxgames.onitama import text_board
from jaxgames.onitama.report import OnitamaReport, ReportState
from jaxgames.onitama.report_notation import base_position


def draw(rules: OnitamaReport, game: ReportState, paint: Paint, seat: int | None = None) -> str:
    """Returns the board and the cards, as `jaxgames.onitama.text_board.draw` does."""
    return text_board.draw(rules.base, base_position(game), paint, seat)
