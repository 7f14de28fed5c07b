"""The pictures of the rulebook: parts of one position."""

import functools
import importlib.resources

from jaxgames.internal import texts
from jaxgames.pictures import svg
from jaxgames.tribes.render import ground, panels, pieces
from jaxgames.tribes.render.scene import Scene
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.text import commands, position_reading

MARGIN = 6
CITY = "a1", "e4"  # upper left and lower right tile of the picture of a city
TRIBE = 0  # whose technologies are shown


@functools.cache
def _scene() -> Scene:
    """Returns the position: two tribes in the middle of a game."""
    rules = Tribes()
    file = importlib.resources.files("jaxgames.tribes") / "rulebook_position.json"
    text = texts.decode(file.read_bytes())
    return Scene(rules, position_reading.text_to_state(text, rules.config))


def _board(theme: str) -> svg.Picture:
    pen, scene = svg.Pen(svg.get_theme(theme)), _scene()
    parts = [*ground.parts(scene), *pieces.cities(pen, scene), *pieces.units(pen, scene, None)]
    size = ground.CELL * scene.side
    body = svg.Group([svg.stacked(parts)], font_family=svg.SERIF)
    return svg.Picture(body, size, size, "Tribes: the board")


def _city(theme: str) -> svg.Picture:
    (left, top), (right, low) = (ground.corner(_tile(name), _scene().side) for name in CITY)
    width, height = right - left + ground.CELL, low - top + ground.CELL
    return svg.crop(_board(theme), left, top, width, height)


def _panel(theme: str) -> svg.Picture:
    pen, scene = svg.Pen(svg.get_theme(theme)), _scene()
    body = svg.Group(font_family=svg.SERIF)
    panel = svg.stacked(panels.parts(pen, scene, TRIBE))
    body.append(svg.placed(MARGIN, MARGIN, drawings=[panel]))
    return svg.Picture(
        body, panels.WIDTH + 2 * MARGIN, panels.HEIGHT + 2 * MARGIN, "Tribes: a panel"
    )


def _tile(name: str) -> int:
    side = _scene().side
    return next(tile for tile in range(side**2) if commands.tile_name(tile, side) == name)


FIGURES = {"board": _board, "city": _city, "panel": _panel}
"""The pictures of the rulebook, as functions of a theme."""
