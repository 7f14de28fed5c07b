"""What all parts of a picture are drawn with: text, boxes, paths around a point."""

import dataclasses

from jaxgames import svg


@dataclasses.dataclass(frozen=True)
class Pen:
    """Draws with the colours of a theme."""

    theme: svg.Theme

    def text(
        self,
        text: str | int,
        size: float,
        x: float,
        y: float,
        colour: str | None = None,
        anchor: str = "middle",
        weight: str = "normal",
    ) -> svg.Text:
        """Returns a line of text whose middle is at height `y`, by default in the theme's ink."""
        # Not every viewer centres text vertically: a third of the size is half a letter's height.
        return svg.Text(
            str(text),
            size,
            round(x, 2),
            round(y + size / 3, 2),
            text_anchor=anchor,
            fill=colour or self.theme.ink,
            font_weight=weight,
        )

    def box(
        self, x: float, y: float, width: float, height: float, radius: float = 6, **style: object
    ) -> svg.Rectangle:
        """Returns a rounded rectangle, by default in the colour of things on the background."""
        look = {"fill": self.theme.surface, "stroke": self.theme.line, **style}
        return svg.Rectangle(x, y, width, height, rx=radius, **look)


def placed(x: float, y: float, scale: float = 1, **style: object) -> svg.Group:
    """Returns an empty group whose origin is at `(x, y)`."""
    place = svg.translate(round(x, 2), round(y, 2))
    return svg.Group(transform=place + (f" scale({scale:g})" if scale != 1 else ""), **style)


def disc(x: float, y: float, radius: float) -> str:
    """Returns the path of a disc."""
    r, across = f"{radius:g}", f"{2 * radius:g}"
    return f"M{x - radius:g} {y:g}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0-{across} 0Z"
