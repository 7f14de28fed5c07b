"""Pictures of `onitama_report`: those of the base game, which do not show the pawns' numbers."""

from collections.abc import Sequence

from jaxgames.onitama import notation as base_notation
from jaxgames.onitama import render as base_render
from jaxgames.pictures import animation, svg
from jaxgames.pictures.click_paths import ClickPath
from papers.onitama_report.game import notation
from papers.onitama_report.game.notation import base_position
from papers.onitama_report.game.rules import OnitamaReport, ReportState


def render(
    rules: OnitamaReport,
    game: ReportState,
    previous: ReportState | None = None,
    theme: str = "light",
) -> svg.Picture:
    """Returns a drawing of a position, as `jaxgames.onitama.render.render` does.

    Raises:
        ValueError: for a batch of games or an unknown theme.
    """
    before = None if previous is None else base_position(previous)
    return base_render.render(rules.base, base_position(game), before, theme)


def animate(
    rules: OnitamaReport,
    games: Sequence[ReportState],
    seconds_per_move: float = 1.4,
    theme: str = "light",
) -> svg.Picture:
    """Returns an animation of a game, as `jaxgames.onitama.render.animate` does.

    Raises:
        ValueError: for no or a batched position, a time that is not positive or an unknown theme.
    """
    positions = [base_position(game) for game in animation.in_order(games)]
    return base_render.animate(rules.base, positions, seconds_per_move, theme)


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
