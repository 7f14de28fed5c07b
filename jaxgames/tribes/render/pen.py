"""Tools to draw parts of a picture, besides `svg.Pen`: groups and discs around a point."""

from jaxgames.pictures import svg


def placed(x: float, y: float, scale: float = 1, **style: object) -> svg.Group:
    """Returns an empty group whose origin is at `(x, y)`."""
    place = svg.translate(round(x, 2), round(y, 2))
    return svg.Group(transform=place + (f" scale({scale:g})" if scale != 1 else ""), **style)


def disc(x: float, y: float, radius: float) -> str:
    """Returns the path of a disc."""
    r, across = f"{radius:g}", f"{2 * radius:g}"
    return f"M{x - radius:g} {y:g}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0-{across} 0Z"
