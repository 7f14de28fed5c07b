"""SVG pictures: themes, a picture that shows itself, grids of pictures.

Games and `animation.py` draw with what this module re-exports, so that only it needs the SVG
library.
"""

import dataclasses
import math
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol
from xml.sax import saxutils

from jaxgames.internal import files, messages

try:
    from drawsvg import Animate as Animate
    from drawsvg import AnimateTransform as AnimateTransform
    from drawsvg import Circle as Circle
    from drawsvg import Drawing
    from drawsvg import Ellipse as Ellipse
    from drawsvg import Group as Group
    from drawsvg import Path as Path
    from drawsvg import Rectangle as Rectangle
    from drawsvg import Text as Text
except ImportError as error:
    raise ImportError("drawing needs drawsvg; pip install 'jaxgames[render]'") from error

ALL_DECIMALS = 15  # of a pen that does not round
COORDINATES = "coordinates"  # class of the names of squares, rows and columns
SERIF = "Georgia, 'DejaVu Serif', serif"


@dataclasses.dataclass(frozen=True)
class Theme:
    """Colours of a picture."""

    background: str
    surface: str  # cards and other things that lie on the background
    ink: str  # text
    muted: str  # coordinates and other small print
    line: str
    light_square: str
    dark_square: str
    frame: str  # border of a board
    accent: str  # last move, ornaments
    seats: tuple[str, ...]  # one colour for each seat


LIGHT = Theme(
    background="#f5efe3",
    surface="#fffaf0",
    ink="#33291f",
    muted="#877862",
    line="#c9b48f",
    light_square="#efe1c6",
    dark_square="#e6d4b3",
    frame="#7a5c3b",
    accent="#e0a32e",
    seats=("#b5302a", "#2a5c8d"),
)
DARK = Theme(
    background="#1d1f24",
    surface="#2b2e35",
    ink="#ece6da",
    muted="#9a958a",
    line="#5b564d",
    light_square="#4b463e",
    dark_square="#423e37",
    frame="#8f7350",
    accent="#e0a32e",
    seats=("#e05a4e", "#5b9bd5"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def get_theme(name: str) -> Theme:
    """Returns the theme `"light"` or `"dark"`.

    Raises:
        ValueError: for another name.
    """
    if name not in THEMES:
        raise ValueError(f"unknown theme {name!r}; available: {', '.join(THEMES)}")
    return THEMES[name]


@dataclasses.dataclass(frozen=True)
class Pen:
    """Draws the elements that all pictures share, with the colours of a theme."""

    theme: Theme
    decimals: int = 2  # of the places of texts

    def text(
        self,
        text: str | int,
        size: float,
        x: float,
        y: float,
        colour: str | None = None,
        anchor: str = "middle",
        weight: str = "normal",
    ) -> Text:
        """Returns a line of text whose middle is at height `y`, by default in the theme's ink."""
        # Not every viewer centres text vertically: a third of the size is half a letter's height.
        return Text(
            str(text),
            size,
            round(x, self.decimals),
            round(y + size / 3, self.decimals),
            text_anchor=anchor,
            fill=colour or self.theme.ink,
            font_weight=weight,
        )

    def heading(self, text: str, x: float, y: float) -> Text:
        """Returns the small caption of a part of the picture."""
        return self.text(text, 11, x, y, self.theme.muted, anchor="start")

    def box(
        self, x: float, y: float, width: float, height: float, radius: float = 6, **style: object
    ) -> Rectangle:
        """Returns a rounded rectangle, by default in the colour of things on the background."""
        look = {"fill": self.theme.surface, "stroke": self.theme.line, **style}
        return Rectangle(x, y, width, height, rx=radius, **look)

    def panel(
        self, name: str, width: float, height: float, head: float, colour: str, is_active: bool
    ) -> Group:
        """Returns the panel of a seat with a head in its colour; `name` is its class."""
        group = Group(class_=name)
        rim = {"stroke": self.theme.accent, "stroke_width": 4}
        rim = rim if is_active else {"stroke": colour, "stroke_width": 1.5}
        group.append(self.box(0, 0, width, height, 12, **rim))
        top = f"M2 {head}V13A11 11 0 0 1 13 2H{width - 13}A11 11 0 0 1 {width - 2} 13V{head}Z"
        group.append(Path(top, fill=colour, stroke=self.theme.line))
        return group


@dataclasses.dataclass(frozen=True)
class Picture:
    """A drawing; a notebook shows it by itself."""

    body: Group
    width: float  # pixels
    height: float
    title: str = ""
    """Text for viewers that cannot show pictures."""

    def as_svg(self) -> str:
        """Returns the text of an SVG file; equal pictures give equal texts."""
        return self._drawing().as_svg(header="")

    def save(self, path: str | pathlib.Path) -> None:
        """Writes a file, which appears complete or not at all; its suffix says of which kind.

        Args:
            path: ends in `.svg`, or in `.png`, which needs the extra `pictures`.

        Raises:
            ValueError: for another suffix; offers the nearest.
        """
        kind = check_kind(path, (".svg", ".png"))
        files.replace(pathlib.Path(path), self.as_svg() + "\n" if kind == ".svg" else self._png())

    def _png(self) -> bytes:
        from jaxgames.pictures import raster

        return raster.png(self.as_svg())

    def _repr_svg_(self) -> str:
        # Pictures of one notebook share a document, so their element ids must differ.
        return self._drawing().as_svg(header="", randomize_ids=True)

    def _drawing(self) -> Drawing:
        drawing = Drawing(self.width, self.height, role="img")
        if self.title:
            drawing.append_title(self.title)
        drawing.append(self.body)
        return drawing


def check_kind(path: str | pathlib.Path, kinds: tuple[str, ...]) -> str:
    """Returns the suffix of a file in small letters.

    Raises:
        ValueError: if it is none of some kinds; offers the nearest.
    """
    suffix = pathlib.Path(path).suffix
    if suffix.lower() not in kinds:
        raise ValueError(f"{path}: {messages.unknown('kind of picture', suffix, kinds)}")
    return suffix.lower()


def grid(pictures: Sequence[Picture], columns: int | None = None, gap: float = 12) -> Picture:
    """Returns pictures side by side, row by row; as square as possible if `columns` is None.

    Raises:
        ValueError: if there is no picture or `columns` is below 1.
    """
    if not pictures:
        raise ValueError("expected at least one picture, got none")
    if columns is None:
        columns = math.ceil(math.sqrt(len(pictures)))
    if columns < 1:
        raise ValueError(f"columns must be at least 1, got {columns}")
    columns = min(columns, len(pictures))
    rows = math.ceil(len(pictures) / columns)
    width = max(picture.width for picture in pictures) + gap
    height = max(picture.height for picture in pictures) + gap
    body = Group()
    for index, picture in enumerate(pictures):
        row, column = divmod(index, columns)
        place = translate(column * width, row * height)
        body.append(Group([picture.body], transform=place))
    titles = "; ".join(picture.title for picture in pictures if picture.title)
    return Picture(body, columns * width - gap, rows * height - gap, titles)


class Part(NamedTuple):
    """Something that moves or changes during a game."""

    name: str  # equal names mean equal drawings
    layer: float  # higher ones cover lower ones
    drawing: Group
    slide: tuple[float, float] | None = None
    """Pixels from its place to where it was a ply ago, if it has moved."""
    is_leaving: bool = False
    """Whether it is gone after this ply: only animations show it, until moving parts arrive."""


class Area(NamedTuple):
    """A part of a picture that can be clicked or asked about: an invisible shape above it."""

    part: str
    """The name of the part, `kind:name`; `click_paths.ClickPath` uses it if it can be clicked."""
    label: str
    """The part in words, for readers who do not see the picture."""
    shape: Rectangle | Path
    place: tuple[float, float] = (0, 0)
    """Where the origin of the shape is, in pixels."""
    effect: str = ""
    """What the part is for or does, in sentences."""


class SeatLook(NamedTuple):
    """How pictures show a seat."""

    name: str
    colour: str


class Drawable(Protocol):
    """One position of a game, ready to be drawn."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture, in pixels."""
        ...

    @property
    def description(self) -> str:
        """The position in words, for readers who do not see the picture."""
        ...

    def backdrop(self) -> Group:
        """Returns what stays the same throughout a game."""
        ...

    def parts(self, before: Any) -> Iterable[Part]:
        """Returns the parts of the position; `before` is an earlier one, or None."""
        ...

    def areas(self) -> Iterable[Area]:
        """Returns the parts that can be clicked or asked about."""
        ...


def picture_of(title: str, position: Drawable, before: Drawable | None = None) -> Picture:
    """Returns a drawing of a position; what changed since `before` is marked."""
    body = stacked(position.parts(before), position.backdrop())
    for area in position.areas():
        look = {"fill": "none", "pointer-events": "all", "class": "area"}
        if area.place != (0, 0):
            look["transform"] = translate(*area.place)
        if area.effect:
            look["data-effect"] = saxutils.escape(area.effect, {'"': "&quot;"})
        area.shape.args.update(look | {"data-part": area.part})
        area.shape.append_title(area.label)
        body.append(area.shape)
    return Picture(body, *position.size, f"{title}: {position.description}")


def stacked(parts: Iterable[Part], body: Group | None = None) -> Group:
    """Returns a group of parts by their layers, on top of what it holds already."""
    body = Group() if body is None else body
    for part in sorted(parts, key=lambda part: part.layer):
        if not part.is_leaving:
            body.append(part.drawing)
    return body


def crop(picture: Picture, x: float, y: float, width: float, height: float) -> Picture:
    """Returns the part of a picture in a rectangle, in pixels from its upper left corner."""
    body = Group([picture.body], transform=translate(-x, -y))
    return Picture(body, width, height, picture.title)


def translate(x: float, y: float) -> str:
    """Returns the value of a `transform` attribute that shifts by `(x, y)` pixels."""
    return f"translate({x:g},{y:g})"


def placed(
    x: float, y: float, scale: float = 1, drawings: Sequence[Any] = (), **style: object
) -> Group:
    """Returns a group of drawings, by default none, whose origin is at `(x, y)`."""
    place = translate(round(x, 2), round(y, 2))
    return Group(drawings, transform=place + (f" scale({scale:g})" if scale != 1 else ""), **style)


def shifted(part: Part, x: float, y: float) -> Part:
    """Returns a part whose origin is at `(x, y)`."""
    # A part that glides has its outermost group moved, so the offset belongs to an inner group.
    return part._replace(drawing=Group([placed(x, y, drawings=[part.drawing])]))
