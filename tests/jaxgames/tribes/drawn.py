"""Drawings of Tribes as trees of elements, and what tests look for in them."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from jaxgames.tribes import render
from jaxgames.tribes.render import ground, palette
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables.tribes import Tribe
from tests.svg_trees import SVG, tree

RULES = Tribes()
XIN_XI, IMPERIUS = (palette.SHADES[tribe] for tribe in (Tribe.XIN_XI, Tribe.IMPERIUS))


def draw(state, previous=None, seat=None, theme="light", **options) -> ET.Element:
    rules = Tribes(**options) if options else RULES
    return tree(render.render(rules, state, previous, theme, seat))


def title(root: ET.Element) -> str:
    (found,) = root.iter(f"{SVG}title")
    return found.text


def fills(root: ET.Element) -> set[str]:
    return {shape.get("fill") for shape in root.iter()}


def placed(root: ET.Element, x: float = 0, y: float = 0) -> Iterator[tuple[ET.Element, str]]:
    """Yields all elements with the name of the tile at whose corner, or right of it, they begin."""
    match = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", root.get("transform") or "")
    if match:
        x, y = x + float(match[1]), y + float(match[2])
    row, column = (y - render.BOARD_Y) // ground.CELL, (x - render.BOARD_X) // ground.CELL
    yield root, f"{chr(ord('a') + int(column))}{int(row) + 1}" if row >= 0 <= column else ""
    for child in root:
        yield from placed(child, x, y)


def where(root: ET.Element, *classes: str) -> str:
    """Returns the tiles, in order of their names, of things that have all of some classes."""
    wanted = set(classes)
    found = {
        name
        for element, name in placed(root)
        if wanted <= set((element.get("class") or "").split())
    }
    return " ".join(sorted(found))
