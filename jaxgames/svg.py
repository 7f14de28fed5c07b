"""SVG pictures: themes, a picture that shows itself, grids of pictures, animations.

Games draw with the shapes that this module re-exports, so that only it needs the SVG library.
Animations are SMIL inside one file: no script, and a viewer without SMIL shows the first frame.
"""

import dataclasses
import math
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from jaxgames import files, messages

try:
    from drawsvg import Animate, AnimateTransform, Drawing
    from drawsvg import Circle as Circle
    from drawsvg import Ellipse as Ellipse
    from drawsvg import Group as Group
    from drawsvg import Path as Path
    from drawsvg import Rectangle as Rectangle
    from drawsvg import Text as Text
except ImportError as error:
    raise ImportError("drawing needs drawsvg; pip install 'jaxgames[render]'") from error

SERIF = "Georgia, 'DejaVu Serif', serif"
SLIDE = 0.4  # part of a frame in which things move
HOLD = 2  # frames for which an animation rests at the end


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
            round(x, 2),
            round(y + size / 3, 2),
            text_anchor=anchor,
            fill=colour or self.theme.ink,
            font_weight=weight,
        )

    def box(
        self, x: float, y: float, width: float, height: float, radius: float = 6, **style: object
    ) -> Rectangle:
        """Returns a rounded rectangle, by default in the colour of things on the background."""
        look = {"fill": self.theme.surface, "stroke": self.theme.line, **style}
        return Rectangle(x, y, width, height, rx=radius, **look)


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
        kind = _kind(path, (".svg", ".png"))
        files.replace(pathlib.Path(path), self._file() if kind == ".svg" else self._png())

    def _file(self) -> str:
        return self.as_svg() + "\n"

    def _png(self) -> bytes:
        from jaxgames import raster

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


@dataclasses.dataclass(frozen=True)
class Animation:
    """A game as a film; a notebook shows it by itself."""

    film: Picture
    """All positions in one picture, in which parts glide."""
    stills: Callable[[], Sequence[Picture]]
    """Draws each position by itself."""
    seconds_per_frame: float

    def as_svg(self) -> str:
        """Returns the text of an SVG file; equal films give equal texts."""
        return self.film.as_svg()

    def save(self, path: str | pathlib.Path) -> None:
        """Writes a file, which appears complete or not at all; its suffix says of which kind.

        Args:
            path: ends in `.svg`, or in `.gif`, which needs the extra `pictures`.

        Raises:
            ValueError: for another suffix; offers the nearest.
        """
        if _kind(path, (".svg", ".gif")) == ".svg":
            self.film.save(path)
            return
        from jaxgames import raster

        frames = [picture.as_svg() for picture in self.stills()]
        files.replace(pathlib.Path(path), raster.gif(frames, self.seconds_per_frame, HOLD))

    def _repr_svg_(self) -> str:
        return self.film._repr_svg_()


def _kind(path: str | pathlib.Path, kinds: tuple[str, ...]) -> str:
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
        cell = Group(transform=translate(column * width, row * height))
        cell.append(picture.body)
        body.append(cell)
    titles = "; ".join(picture.title for picture in pictures if picture.title)
    return Picture(body, columns * width - gap, rows * height - gap, titles)


def animate(pictures: Sequence[Picture], seconds_per_frame: float = 1.0) -> Picture:
    """Returns a picture that shows one picture after the other, again and again.

    Raises:
        ValueError: if there is no picture or the time is not positive.
    """
    timeline = Timeline(len(pictures), seconds_per_frame)
    body = Group()
    for frame, picture in enumerate(pictures):
        layer = Group()
        layer.append(picture.body)
        timeline.show(layer, [(frame, frame + 1)])
        body.append(layer)
    width = max(picture.width for picture in pictures)
    height = max(picture.height for picture in pictures)
    return Picture(body, width, height, pictures[0].title)


@dataclasses.dataclass(frozen=True)
class Timeline:
    """When parts of an endlessly repeated animation are visible. Times are counted in frames.

    Raises:
        ValueError: if there is no frame or the time is not positive.
    """

    num_frames: int
    seconds_per_frame: float

    def __post_init__(self) -> None:
        """Checks the numbers."""
        if self.num_frames < 1:
            raise ValueError(f"an animation needs at least one frame, got {self.num_frames}")
        seconds = self.seconds_per_frame
        if not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
            raise ValueError(
                f"the seconds for each move must be a positive number such as 1.0, got {seconds!r}"
            )

    def show(self, part: Group, intervals: Sequence[tuple[float, float]]) -> None:
        """Makes a group visible in ascending, disjoint intervals `(start, end)` only."""
        changes: dict[float, str] = {0: "hidden"}
        for start, end in intervals:
            changes[start] = "visible"
            changes[end] = "hidden"
        changes.pop(self.num_frames, None)
        part.args["visibility"] = changes[0]
        if len(changes) > 1:
            part.append_anim(
                Animate(
                    "visibility",
                    self._duration(),
                    ";".join(changes.values()),
                    keyTimes=self._key_times(changes),
                    calcMode="discrete",
                    repeatCount="indefinite",
                )
            )

    def slide(self, part: Group, start: float, end: float, dx: float, dy: float) -> None:
        """Makes a group glide from `(dx, dy)` beside its place to its place."""
        begin, rest = f"{dx:g},{dy:g}", "0,0"
        part.append_anim(
            AnimateTransform(
                "translate",
                self._duration(),
                ";".join((begin, begin, rest, rest)),
                keyTimes=self._key_times((0, start, end, self.num_frames)),
                calcMode="spline",
                keySplines="0 0 1 1;0.4 0 0.2 1;0 0 1 1",
                repeatCount="indefinite",
            )
        )

    def _duration(self) -> str:
        return f"{self.num_frames * self.seconds_per_frame:g}s"

    def _key_times(self, times: Sequence[float] | dict[float, str]) -> str:
        return ";".join(f"{time / self.num_frames:.5g}" for time in times)


class Part(NamedTuple):
    """Something that moves or changes during a game."""

    name: str  # equal names mean equal drawings
    layer: float  # higher ones cover lower ones
    drawing: Group
    slide: tuple[float, float] | None = None
    """Pixels from its place to where it was a ply ago, if it has moved."""
    is_leaving: bool = False
    """Whether it is gone after this ply: only animations show it, until moving parts arrive."""


def still(backdrop: Group, parts: Iterable[Part]) -> Group:
    """Returns a backdrop with the parts of one position on it."""
    for part in sorted(parts, key=lambda part: part.layer):
        if not part.is_leaving:
            backdrop.append(part.drawing)
    return backdrop


def film(backdrop: Group, frames: Sequence[Iterable[Part]], seconds_per_frame: float) -> Group:
    """Returns a backdrop with the positions of a game on it, one after the other.

    Parts that have moved glide to their places at the start of their frame; at the end the last
    position rests.

    Raises:
        ValueError: if there is no frame or the time is not positive.
    """
    if not frames:
        raise ValueError("expected at least one position, got none")
    timeline = Timeline(len(frames) + HOLD, seconds_per_frame)
    parts: dict[str, Part] = {}
    intervals: dict[str, list[tuple[float, float]]] = {}
    for frame, seen in enumerate(frames):
        for part in seen:
            moves = part.slide is not None or part.is_leaving
            name = f"{part.name} {frame}" if moves else part.name
            parts.setdefault(name, part)
            shown = intervals.setdefault(name, [])
            start: float = frame
            end: float = timeline.num_frames if frame == len(frames) - 1 else frame + 1
            if part.is_leaving:
                end = frame + SLIDE
            if shown and shown[-1][1] == start:
                start = shown.pop()[0]
            shown.append((start, end))
            if part.slide is not None:
                timeline.slide(part.drawing, frame, frame + SLIDE, *part.slide)
    for name in sorted(parts, key=lambda name: parts[name].layer):
        holder = Group()
        holder.append(parts[name].drawing)
        timeline.show(holder, intervals[name])
        backdrop.append(holder)
    return backdrop


class Area(NamedTuple):
    """A part of a picture that can be clicked: an invisible shape above what is drawn."""

    part: str
    """The name of the part, `kind:name`, as `click_paths.ClickPath` uses it."""
    label: str
    """The part in words, for readers who do not see the picture."""
    shape: Rectangle | Path
    place: tuple[float, float] = (0, 0)
    """Where the origin of the shape is, in pixels."""


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
        """Returns the parts that can be clicked."""
        ...


def picture_of(title: str, position: Drawable, before: Drawable | None = None) -> Picture:
    """Returns a drawing of a position; what changed since `before` is marked."""
    body = still(position.backdrop(), position.parts(before))
    for area in position.areas():
        look = {"fill": "none", "pointer-events": "all", "class": "area"}
        if area.place != (0, 0):
            look["transform"] = translate(*area.place)
        area.shape.args.update(look | {"data-part": area.part})
        area.shape.append_title(area.label)
        body.append(area.shape)
    return Picture(body, *position.size, f"{title}: {position.description}")


def in_order(positions: Any) -> list[Any]:
    """Returns the positions of an animation as a list.

    Raises:
        ValueError: if they are no sequence, for instance a single position.
    """
    try:
        return list(positions)
    except TypeError:
        raise ValueError(
            f"animate takes a list of positions, in order, got {type(positions).__name__}; "
            "for one position use render"
        ) from None


def film_of(title: str, positions: Sequence[Drawable], seconds_per_frame: float) -> Picture:
    """Returns an animation of the positions of a game, in order.

    Raises:
        ValueError: if there is no position or the time is not positive.
    """
    if not positions:
        raise ValueError("expected at least one position, got none")
    before = [None, *positions]
    frames = [list(now.parts(then)) for now, then in zip(positions, before, strict=False)]
    first, last = positions[0], positions[-1]
    body = film(first.backdrop(), frames, seconds_per_frame)
    words = f"A game of {title}: from {first.description} to {last.description}"
    return Picture(body, *first.size, words)


def translate(x: float, y: float) -> str:
    """Returns the value of a `transform` attribute that shifts by `(x, y)` pixels."""
    return f"translate({x:g},{y:g})"
