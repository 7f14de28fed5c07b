"""Pictures of `onitama_report`: those of the base game, which do not show the pawns' numbers."""

from jaxgames.onitama import notation as base_notation
from jaxgames.onitama import render as base_render
from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.renderer import Renderer
from papers.onitama_report.game import notation
from papers.onitama_report.game.notation import base_position
from papers.onitama_report.game.rules import OnitamaReport, ReportState


def _drawing(
    rules: OnitamaReport, game: ReportState, theme: svg.Theme, seat: int | None
) -> base_render.OnitamaDrawing:
    return base_render.OnitamaDrawing(rules.base, base_position(game), theme, seat)


RENDERER = Renderer("Onitama", _drawing)
render, animate = RENDERER.render, RENDERER.animate


def click_paths(rules: OnitamaReport, game: ReportState) -> list[ClickPath]:
    """Returns the clicks for each legal action, as `jaxgames.onitama.render.click_paths` does."""
    base = base_position(game)
    texts = base_notation.playable_moves(rules.base, base).values()
    by_text = dict(zip(texts, base_render.click_paths(rules.base, base), strict=True))
    return [
        by_text[text]._replace(action=action)
        for action, text in notation.playable_moves(rules, game).items()
    ]


def seat_looks(rules: OnitamaReport, game: ReportState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat."""
    return base_render.seat_looks(rules.base, base_position(game), theme)
