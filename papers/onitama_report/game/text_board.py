"""The board of `onitama_report` in a terminal: that of the base game."""

from jaxgames.onitama import text_board
from jaxgames.pictures.ansi import Paint
from papers.onitama_report.game.notation import base_position
from papers.onitama_report.game.rules import OnitamaReport, ReportState


def draw(rules: OnitamaReport, game: ReportState, paint: Paint, seat: int | None = None) -> str:
    """Returns the board and the cards, as `jaxgames.onitama.text_board.draw` does."""
    return text_board.draw(rules.base, base_position(game), paint, seat)
