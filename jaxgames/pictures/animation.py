"""Animations of SVG pictures: SMIL inside one file, without a script.

A viewer that does not know SMIL shows the first frame.
"""

import dataclasses
import math
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from jaxgames.internal import files
from jaxgames.pictures import svg

SLIDE = 0.4  # part of a frame in which things move
HOLD = 2  # frames for which an animation rests at the end


@dataclasses.dataclass(frozen=True)
class Animation:
    """A game as a film; a notebook shows it by itself."""

    film: svg.Picture
    """All positions in one picture, in which parts glide."""
    stills: Callable[[], Sequence[svg.Picture]]
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
        if svg.check_kind(path, (".svg", ".gif")) == ".svg":
            self.film.save(path)
            return
        from jaxgames.pictures import raster

        frames = [picture.as_svg() for picture in self.stills()]
        files.replace(pathlib.Path(path), raster.gif(frames, self.seconds_per_frame, HOLD))

    def _repr_svg_(self) -> str:
        return self.film._repr_svg_()


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

    def show(self, part: svg.Group, intervals: Sequence[tuple[float, float]]) -> None:
        """Makes a group visible in ascending, disjoint intervals `(start, end)` only."""
        changes: dict[float, str] = {0: "hidden"}
        for start, end in intervals:
            changes[start] = "visible"
            changes[end] = "hidden"
        changes.pop(self.num_frames, None)
        part.args["visibility"] = changes[0]
        if len(changes) > 1:
            part.append_anim(
                svg.Animate(
                    "visibility",
                    self._duration(),
                    ";".join(changes.values()),
                    keyTimes=self._key_times(changes),
                    calcMode="discrete",
                    repeatCount="indefinite",
                )
            )

    def slide(self, part: svg.Group, start: float, end: float, dx: float, dy: float) -> None:
        """Makes a group glide from `(dx, dy)` beside its place to its place."""
        begin, rest = f"{dx:g},{dy:g}", "0,0"
        part.append_anim(
            svg.AnimateTransform(
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


def film_of(title: str, positions: Sequence[svg.Drawable], seconds_per_frame: float) -> svg.Picture:
    """Returns an animation of the positions of a game, in order.

    Parts that have moved glide to their places at the start of their frame; at the end the last
    position rests.

    Raises:
        ValueError: if there is no position or the time is not positive.
    """
    if not positions:
        raise ValueError("expected at least one position, got none")
    first, last = positions[0], positions[-1]
    before = [None, *positions]
    frames = [list(now.parts(then)) for now, then in zip(positions, before, strict=False)]
    body = first.backdrop()
    timeline = Timeline(len(frames) + HOLD, seconds_per_frame)
    parts: dict[str, svg.Part] = {}
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
        holder = svg.Group([parts[name].drawing])
        timeline.show(holder, intervals[name])
        body.append(holder)
    words = f"A game of {title}: from {first.description} to {last.description}"
    return svg.Picture(body, *first.size, words)


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
