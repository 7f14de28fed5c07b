"""The pictures of the rulebook: parts of the table in one position."""

import functools
import importlib.resources
from collections.abc import Iterator

from jaxgames.internal import texts
from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import boards, cults, hexmap, supply
from jaxgames.terra_mystica.render.table import TableView
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.text.position_reading import text_to_state

MARGIN = 10
SEAT = 1  # whose board is shown


@functools.cache
def _table() -> TableView:
    """Returns the position, of nomads and mermaids."""
    rules = TerraMystica(factions="nomads,mermaids", auto_end=False)
    file = importlib.resources.files("jaxgames.terra_mystica") / "rulebook_position.json"
    return TableView(rules, text_to_state(rules, texts.decode(file.read_bytes())))


def _map(pen: svg.Pen) -> svg.Group:
    return svg.stacked(hexmap.parts(pen, _table(), None), hexmap.backdrop(pen))


def _cults(pen: svg.Pen) -> svg.Group:
    return svg.stacked(cults.parts(pen, _table(), None), cults.backdrop(pen))


def _supply(pen: svg.Pen) -> svg.Group:
    return svg.stacked(supply.parts(pen, _table()), supply.backdrop(pen))


def _board(pen: svg.Pen) -> svg.Group:
    parts: Iterator[svg.Part] = boards.parts(pen, _table(), SEAT)
    return svg.stacked(parts)


def _figure(name: str, theme: str) -> svg.Picture:
    draw, width, height = _FIGURES[name]
    pen = svg.Pen(svg.get_theme(theme))
    size = round(width + 2 * MARGIN), round(height + 2 * MARGIN)
    body = svg.Group(font_family=svg.SERIF)
    body.append(pen.box(0, 0, *size, 12, fill=pen.theme.background, stroke="none"))
    body.append(svg.placed(MARGIN, MARGIN, drawings=[draw(pen)]))
    return svg.Picture(body, *size, f"Terra Mystica: {name}")


_FIGURES = {
    "map": (_map, hexmap.WIDTH, hexmap.HEIGHT),
    "cults": (_cults, cults.WIDTH, cults.HEIGHT),
    "supply": (_supply, supply.WIDTH, supply.HEIGHT),
    "board": (_board, boards.WIDTH, boards.HEIGHT),
}
FIGURES = {name: functools.partial(_figure, name) for name in _FIGURES}
"""The pictures of the rulebook, as functions of a theme."""
