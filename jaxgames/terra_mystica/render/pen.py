"""Drawing tools for all parts of a picture, besides `svg.Pen`: hexagons, discs, crosses."""

import math
from collections.abc import Iterable

from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import palette


def hexagon(x: float, y: float, radius: float) -> str:
    """Returns the path of a hexagon that stands on a corner."""
    return polygon(x, y, radius, 6, 30)


def polygon(x: float, y: float, radius: float, corners: int, turn: float) -> str:
    """Returns the path of a regular polygon; `turn` is the direction of a corner in degrees."""
    angles = [math.radians(turn + 360 * corner / corners) for corner in range(corners)]
    points = [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]
    return "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points) + "Z"


def discs(places: Iterable[tuple[float, float]], radius: float) -> str:
    """Returns one path of many discs."""
    r = f"{radius:g}"
    arc = f"a{r} {r} 0 1 0 {2 * radius:g} 0a{r} {r} 0 1 0-{2 * radius:g} 0Z"
    return "".join(f"M{x - radius:.1f} {y:.1f}{arc}" for x, y in places)


def cross(x: float, y: float, width: float, height: float) -> svg.Path:
    """Returns the cross over something that has been used; `(x, y)` is its middle."""
    w, h = width / 2, height / 2
    path = f"M{x - w:g} {y - h:g}l{width:g} {height:g}M{x + w:g} {y - h:g}l{-width:g} {height:g}"
    return svg.Path(path, stroke=palette.CROSS, stroke_width=3, stroke_linecap="round", fill="none")
