"""Pictures of AlphaTM: those of the full game, whose positions it has."""

from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.renderer import Renderer
from jaxgames.terra_mystica import render as full_render
from jaxgames.terra_mystica.render import clicks
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.terrain import LAND_NAMES
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES
from papers.alphatm.game import notation, outputs
from papers.alphatm.game.rules import AlphaTM


def _drawing(
    rules: AlphaTM, game: TerraMysticaState, theme: svg.Theme, seat: int | None
) -> full_render.TableDrawing:
    return full_render.TableDrawing(rules.full, game, theme, seat)


RENDERER = Renderer("Terra Mystica", _drawing)
render, animate = RENDERER.render, RENDERER.animate


def click_paths(rules: AlphaTM, game: TerraMysticaState) -> list[ClickPath]:
    """Returns the clicks for each legal output: those of the action that it begins with."""
    return [
        path for output in notation.playable_moves(rules, game) for path in _paths_of(game, output)
    ]


def _paths_of(game: TerraMysticaState, output: int) -> list[ClickPath]:
    if outputs.PLANE_OF[output] >= 0:
        return [ClickPath(output, (f"hex:{LAND_NAMES[outputs.LAND_OF[output]]}",))]
    if output == outputs.CARD_SPECIAL:
        card = int(game.players.card[int(game.seat)])
        return [ClickPath(output, (f"own:{CARD_NAMES[card - 1]}",))]
    paths = clicks.paths_of(int(outputs.FIRST_ACTIONS[output]))
    return [path._replace(action=output) for path in paths]


def seat_looks(rules: AlphaTM, game: TerraMysticaState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat, as `jaxgames.terra_mystica.render` does."""
    return full_render.seat_looks(rules.full, game, theme)
