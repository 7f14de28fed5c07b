"""Icons: structures, resources, cults. Each is drawn around (0, 0)."""

from typing import NamedTuple

from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import palette
from jaxgames.terra_mystica.render.pen import polygon
from jaxgames.terra_mystica.tables.factions import Structure
from jaxgames.terra_mystica.tables.tiles import NUM_CULTS, Gain


class Silhouette(NamedTuple):
    """A structure as seen from the front and a little from above, at most 36 pixels wide."""

    body: str
    light: str  # what faces the sky
    width: float


SILHOUETTES = {
    Structure.DWELLING: Silhouette("M-10 11V-1L0-11L10-1V11Z", "M-10-1L0-11L10-1Z", 20),
    Structure.TRADING_POST: Silhouette(
        "M-15 12V1L-8.5-5L-4-1V-6L5.5-15L15-6V12Z", "M-15 1L-8.5-5L-4-1V1ZM-4-6L5.5-15L15-6Z", 30
    ),
    Structure.TEMPLE: Silhouette(
        "M-12-6V7A12 5.5 0 0 0 12 7V-6A12 5.5 0 0 0-12-6Z",
        "M-12-6A12 5.5 0 0 0 12-6A12 5.5 0 0 0-12-6Z",
        24,
    ),
    Structure.STRONGHOLD: Silhouette(
        "M-14 13V-13H-8V-8H-3V-13H3V-8H8V-13H14V13H4V6A4 4 0 0 0-4 6V13Z",
        "M-14-13H-8V-8H-3V-13H3V-8H8V-13H14V-5H-14Z",
        28,
    ),
    Structure.SANCTUARY: Silhouette(
        "M-18-5V6A7 6 0 0 0-11 12H11A7 6 0 0 0 18 6V-5A7 6 0 0 0 11-11H-11A7 6 0 0 0-18-5Z",
        "M-11-11H11A7 6 0 0 1 11 1H-11A7 6 0 0 1-11-11Z",
        36,
    ),
}

PRIEST = "M-6 8L-2.2-1A4.2 4.2 0 1 1 2.2-1L6 8Z"
SPADE = "M-1.2-8H1.2V-1H4.5V3Q4.5 7 0 9Q-4.5 7-4.5 3V-1H-1.2ZM-3.5-9H3.5V-7H-3.5Z"
BRIDGE = "M-10 6V-1Q0-9 10-1V6H7Q6 0 0 0Q-6 0-7 6Z"
SHIP = "M-9 2H9L6 8H-6ZM-0.8 1V-9L7 1ZM-2 1V-7L-7 1Z"
KEY = "M-9 0A4 4 0 1 1-1.6 1.5H8V5H5.5V2.5H3.5V4.5H1.5V1.5H-1.6A4 4 0 0 1-9 0Z"
CULT_SHAPES = (
    "M0-9Q2-5 5-2Q7 4 3.5 7.5Q0 9.5-3.5 7.5Q-7 4-4.5-1Q-3 1-2 0Q-3-5 0-9Z",  # flame
    "M0-9Q6 0 6 3.5A6 6 0 0 1-6 3.5Q-6 0 0-9Z",  # drop
    "M-9 7L-3-6L0-1L3-8L9 7Z",  # mountains
    "M-9-3H3A3 3 0 1 0 0-6M-7 1H6A3 3 0 1 1 3 4.5M-4 5H-1A2 2 0 1 1-3 7",  # wind
)


class Item(NamedTuple):
    """An icon with a number."""

    kind: str | Structure
    """A structure, `cult` (any one), a key of `_WIDTHS`."""
    number: int = 1


Items = list[Item | str]
"""Icons and words in a row."""

CULT_KINDS = ("fire", "water", "earth", "air")
_WIDTHS: dict[str | Structure, float] = {
    "coins": 17,
    "workers": 16,
    "priests": 13,
    "power": 17,
    "spades": 11,
    "bridges": 21,
    "ship": 19,
    "vp": 20,
    "keys": 19,
    "cult": 19,
    **dict.fromkeys(CULT_KINDS, 16),
    **{kind: 0.72 * shape.width + 1 for kind, shape in SILHOUETTES.items()},
}
_INSIDE = ("coins", "workers", "power", "vp")  # icons with room for the number
_GAP = 3
_DIGIT = 7.2  # width of a digit
_LETTER = 6.2


def of_gain(gain: Gain) -> Items:
    """Returns the items of what a player receives."""
    return [Item(name, number) for name, number in zip(gain._fields, gain, strict=True) if number]


def structure(
    kind: Structure, colour: str, x: float, y: float, scale: float = 1, is_ghost: bool = False
) -> svg.Group:
    """Returns a structure; a ghost is an empty place for one."""
    name = kind.name.lower().replace("_", "-")
    shape = SILHOUETTES[kind]
    place = svg.translate(round(x, 1), round(y, 1)) + (f" scale({scale:g})" if scale != 1 else "")
    group = svg.Group(transform=place, class_=f"place {name}" if is_ghost else f"structure {name}")
    if is_ghost:
        group.append(_ghost(shape.body, colour))
        return group
    _solid(group, shape.body, colour)
    group.append(svg.Path(shape.light, fill="#ffffff", fill_opacity=0.32))
    return group


def bridge(colour: str, x: float, y: float, is_ghost: bool = False) -> svg.Group:
    """Returns a bridge as it lies in the stock; a ghost is an empty place for one."""
    place = svg.translate(round(x, 1), round(y, 1))
    group = svg.Group(transform=place, class_="place bridge" if is_ghost else "spare bridge")
    if is_ghost:
        group.append(_ghost(BRIDGE, colour))
    else:
        _solid(group, BRIDGE, colour)
    return group


def priest(colour: str, x: float, y: float, scale: float = 1) -> svg.Group:
    """Returns a priest in a player's colour."""
    place = f"{svg.translate(round(x, 1), round(y, 1))} scale({scale:g})"
    group = svg.Group(transform=place, class_="priest")
    _solid(group, PRIEST, colour)
    return group


def _ghost(path: str, colour: str) -> svg.Path:
    stroke = {"stroke": colour, "stroke_opacity": 0.45, "stroke_width": 1.2}
    return svg.Path(path, fill="none", stroke_dasharray="2.5 2.5", **stroke)


def _solid(group: svg.Group, path: str, colour: str) -> None:
    """Adds a piece with an outline, and a rim that sets it off from ground of its own colour."""
    rim = {"stroke": palette.HALO, "stroke_width": 4.5, "stroke_linejoin": "round"}
    edge = {"stroke": palette.OUTLINE, "stroke_width": 1.4, "stroke_linejoin": "round"}
    group.append(svg.Path(path, fill=palette.HALO, **rim))
    group.append(svg.Path(path, fill=colour, **edge))


def row(pen: svg.Pen, items: Items, x: float, y: float, scale: float = 1) -> svg.Group:
    """Returns icons and words side by side; `(x, y)` is the middle of the row."""
    group = svg.Group(transform=f"{svg.translate(round(x, 1), round(y, 1))} scale({scale:.3g})")
    left = -row_width(items) / 2
    for item in items:
        group.append(_item(pen, item, left))
        left += _width(item) + _GAP
    return group


def row_width(items: Items) -> float:
    """Returns the width of a row at scale 1."""
    return sum(map(_width, items)) + _GAP * (len(items) - 1)


def _width(item: Item | str) -> float:
    if isinstance(item, str):
        return _LETTER * len(item)
    width = _WIDTHS[item.kind]
    if item.kind not in _INSIDE and item.number != 1:
        width += _DIGIT * len(str(item.number)) + 1
    return width


def _item(pen: svg.Pen, item: Item | str, left: float) -> svg.Group:
    group = svg.Group()
    width = _width(item)
    if isinstance(item, str):
        group.append(pen.text(item, 11, left + width / 2, 0))
        return group
    icon_width = _WIDTHS[item.kind]
    if width > icon_width:
        group.append(pen.text(item.number, 12, left, 0, anchor="start", weight="bold"))
    group.append(icon(item.kind, left + width - icon_width / 2, 0))
    if item.kind in _INSIDE:
        ink = "#ffffff" if item.kind == "power" else palette.TEXT_ON_ICON
        size = 11 if item.number < 10 else 9.5
        middle = left + width - icon_width / 2
        group.append(pen.text(item.number, size, middle, 0, ink, weight="bold"))
    return group


def icon(kind: str | Structure, x: float, y: float, scale: float = 1) -> svg.Group:
    """Returns the icon of an item without its number."""
    if isinstance(kind, Structure):
        return structure(kind, "#a89f90", x, y, 0.72 * scale)
    place = svg.translate(round(x, 1), round(y, 1)) + (f" scale({scale:g})" if scale != 1 else "")
    line = {"stroke": palette.OUTLINE, "stroke_width": 1, "stroke_linejoin": "round"}
    group = svg.Group(transform=place, **line)
    if kind == "coins":
        group.append(svg.Circle(0, 0, 8, fill=palette.GOLD, stroke=palette.GOLD_DARK))
    elif kind == "workers":
        group.append(svg.Rectangle(-7, -7, 14, 14, rx=2, fill=palette.WORKER))
    elif kind == "power":
        group.append(svg.Path(polygon(0, 0, 8.8, 6, 0), fill=palette.POWER))
    elif kind == "vp":
        group.append(svg.Circle(0, 0, 8, fill="#f7efcf", stroke="none"))
        ring = {"stroke": "#7d8f2f", "stroke_width": 3, "stroke_dasharray": "3.1 1.1"}
        group.append(svg.Circle(0, 0, 8, fill="none", **ring))
    elif kind == "cult":
        for cult, (dx, dy) in enumerate(((-4.5, -4.5), (4.5, -4.5), (-4.5, 4.5), (4.5, 4.5))):
            look = {"fill": palette.CULTS[cult], "stroke_width": 0.8}
            group.append(svg.Rectangle(dx - 4.5, dy - 4.5, 9, 9, rx=2, **look))
    elif kind in CULT_KINDS:
        group.append(_cult(CULT_KINDS.index(kind)))
    else:
        path, colour = _PLAIN[kind]
        group.append(svg.Path(path, fill=colour))
    return group


_PLAIN = {
    "priests": (PRIEST, "#f3eee2"),
    "spades": (SPADE, "#a98a5a"),
    "bridges": (BRIDGE, "#a98a5a"),
    "ship": (SHIP, "#cfe0ee"),
    "keys": (KEY, palette.GOLD),
}


def _cult(cult: int) -> svg.Path:
    colour = palette.CULTS[cult]
    if cult == NUM_CULTS - 1:  # wind is made of lines
        return svg.Path(CULT_SHAPES[cult], fill="none", stroke="#8fa3b3", stroke_width=2.2)
    return svg.Path(CULT_SHAPES[cult], fill=colour, stroke_width=0.8)
