"""Icons of resources, buildings and kinds of units. Each is drawn around (0, 0)."""

import math
from typing import NamedTuple

from jaxgames.pictures import svg
from jaxgames.tribes.render import palette
from jaxgames.tribes.tables.buildings import FIRST_MONUMENT, BuildingKind
from jaxgames.tribes.tables.terrain import Resource
from jaxgames.tribes.tables.units import UnitKind


def disc(x: float, y: float, radius: float) -> str:
    """Returns the path of a disc."""
    r, across = f"{radius:g}", f"{2 * radius:g}"
    return f"M{x - radius:g} {y:g}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0-{across} 0Z"


class Layer(NamedTuple):
    """One path of an icon."""

    path: str
    fill: str = "none"
    edge: str = palette.OUTLINE
    width: float = 1.2


_EAR = "q-4.5 5 0 11q4.5-6 0-11Z"
RESOURCES: dict[Resource, tuple[Layer, ...]] = {
    Resource.FISH: (
        Layer("M-13 0Q-4-10 7-1L13-7Q11 0 13 7L7 1Q-4 10-13 0Z", "#f3f7f9", "#245a80"),
        Layer(disc(-7, -1, 1.3), "#245a80", "none"),
        Layer("M-3-4Q0 0-3 4", edge="#245a80"),
    ),
    Resource.FRUIT: (
        Layer(disc(-5, 4, 6), "#e2402f", "#7d1710"),
        Layer(disc(6, 5, 5.5), "#ef5a3c", "#7d1710"),
        Layer("M-5-2Q-3-8 1-10M6 0Q5-7 1-10", edge="#5b3a1c", width=1.6),
        Layer("M1-10Q6-15 12-11Q8-6 1-10Z", "#4d9a35", "#2b5a1d"),
    ),
    Resource.ANIMAL: (
        Layer("M6-9Q4-14 7-17M6-13L3-15M9-9Q12-13 11-17M11-13L14-14", edge="#5b3a1c", width=1.7),
        Layer(
            "M-13 10V0Q-13-5-8-5H2L5-10H10L14-6L12-3H9V10H5.5V3H-8V10Z", "#b3733d", "#4d2c12", 1.4
        ),
    ),
    Resource.WHALES: (
        Layer("M-5-7Q-6-14-11-13M-5-7Q-4-14 1-13", edge="#ffffff", width=2),
        Layer("M-14 3Q-14-7-3-7Q8-7 9 1Q10-3 9-6L13-4L17-7Q16 10 2 10Q-14 10-14 3Z", "#2f4f7d"),
        Layer("M-13 5Q-5 7 1 10Q-12 10-13 5Z", "#dfe9f2", "none"),
        Layer(disc(-8, 0, 1.3), "#ffffff", "none"),
    ),
    Resource.ORE: (
        Layer("M-14 9L-10-3L-4-8L2-1L1 9Z", "#8b8e97"),
        Layer("M-2 9L2-2L9-5L14 9Z", "#a7aab3"),
        Layer("M-8 2l3-3.5l3 3.5l-3 3.5ZM5 3l3-3.5l3 3.5l-3 3.5Z", "#ffb02e", "#8a5206"),
    ),
    Resource.CROPS: (
        Layer("M-8 12V0M0 12V-4M8 12V0", edge="#a8740f", width=1.8),
        Layer(f"M-8-6{_EAR}M0-12{_EAR}M8-6{_EAR}", "#ffcf3f", "#8a5a06"),
        Layer("M-8 8q-4 0-5-4M0 6q4 0 5-4M8 9q4 0 5-4", edge="#a8740f", width=1.4),
    ),
    Resource.RUINS: (
        Layer("M-13 7H13V11H-13Z", "#d8d2c2"),
        Layer("M-10 7V-7H-5V7ZM4 7V-1L6-4L9-1V7Z", "#eee9dc"),
        Layer("M-13-12H-2V-7H-13Z", "#d8d2c2"),
        Layer("M-3 7L2 3L4 7Z", "#b6af9d"),
    ),
}

_DARK = "#3a2c1a"


def _saw() -> str:
    teeth = 12
    points = [
        (radius * math.cos(angle), radius * math.sin(angle))
        for tooth in range(teeth)
        for radius, angle in (
            (9.0, math.tau * tooth / teeth),
            (12.5, math.tau * (tooth + 0.55) / teeth),
        )
    ]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


_TEMPLE = "M-12-4L0-12L12-4ZM-10-3H-6V6H-10ZM-2-3H2V6H-2ZM6-3H10V6H6ZM-12 7H12V11H-12Z"
BUILDINGS: dict[BuildingKind, tuple[Layer, ...]] = {
    BuildingKind.PORT: (
        Layer(
            "M-1.7-6H1.7V7Q6 6 8 1L11.5 4Q8 12 0 12Q-8 12-11.5 4L-8 1Q-6 6-1.7 7ZM-6-5H6V-2H-6Z",
            "#1f4f86",
            "none",
        ),
        Layer(disc(0, -9, 2.6), edge="#1f4f86", width=2.2),
    ),
    BuildingKind.MINE: (
        Layer("M8-9L10-7L-7 11L-10 8Z", palette.WOOD),
        Layer("M-6-9Q5-15 10-9Q15-4 9 7Q9-1 5-5Q1-9-6-9Z", "#8b8e97"),
    ),
    BuildingKind.FORGE: (
        Layer("M-13-6H12Q11 1 4 2V5L9 10H-9L-4 5V2Q-11 1-13-6Z", "#565a63"),
        Layer("M-4-9L0-14L4-9Z", "#f08a24", "none"),
    ),
    BuildingKind.FARM: (
        Layer("M-13 11L-6-1H6L13 11Z", "#f5c23c", "#8a5a06"),
        Layer("M-6 11L-3-1M0 11V-1M6 11L3-1", edge="#8a5a06", width=1.4),
        Layer("M-5-3A5 5 0 0 1 5-3Z", "#f08a24", "none"),
    ),
    BuildingKind.WINDMILL: (
        Layer("M-5 12L-3-3H3L5 12Z", "#d7b98a"),
        Layer(
            "M0-3L-12-9L-9-12ZM0-3L9-13L12-10ZM0-3L12 3L9 6ZM0-3L-9 6L-12 3Z", "#ffffff", _DARK, 1
        ),
        Layer(disc(0, -3, 1.6), _DARK, "none"),
    ),
    BuildingKind.CUSTOMS_HOUSE: (
        Layer("M-11 0V11H11V0Z", "#e8d2a4"),
        Layer("M-13 0L0-11L13 0Z", "#b04a35"),
        Layer(disc(0, 5, 4), palette.GOLD, palette.GOLD_DARK),
    ),
    BuildingKind.LUMBER_HUT: (
        Layer("M6-6L9-4L-8 12L-10 9Z", palette.WOOD),
        Layer("M1-8L7-13Q13-9 13 0L8-3L5-1Z", "#a7aab3"),
    ),
    BuildingKind.SAWMILL: (
        Layer(_saw(), "#c3c6cc"),
        Layer(disc(0, 0, 3), palette.PLATE),
    ),
    BuildingKind.TEMPLE: (Layer(_TEMPLE, "#ffffff", _DARK),),
    BuildingKind.WATER_TEMPLE: (Layer(_TEMPLE, "#6db5ea", "#15426b"),),
    BuildingKind.FOREST_TEMPLE: (Layer(_TEMPLE, "#6dbb5f", "#1d4a18"),),
    BuildingKind.MOUNTAIN_TEMPLE: (Layer(_TEMPLE, "#a9adb6", "#33363d"),),
    BuildingKind.ALTAR_OF_PEACE: (
        Layer("M-11 11V7H-7V2H-10V-1H10V2H7V7H11V11Z", "#ffffff"),
        Layer("M0-13Q6-7 3-2H-3Q-6-7 0-13Z", "#f08a24"),
    ),
    BuildingKind.EMPERORS_TOMB: (
        Layer("M-14 11L0-12L14 11Z", "#e5b94a"),
        Layer("M0-12L14 11H4Z", "#bd9330", "none"),
        Layer("M-3 11V5H2V11Z", _DARK, "none"),
    ),
    BuildingKind.EYE_OF_GOD: (
        Layer("M-14 0Q0-13 14 0Q0 13-14 0Z", "#ffffff"),
        Layer(disc(0, 0, 5.5), "#2b7fc4"),
        Layer(disc(0, 0, 2.2), _DARK, "none"),
    ),
    BuildingKind.GATE_OF_POWER: (
        Layer(
            "M-14-11Q0-8 14-11V-6Q0-4-14-6ZM-10-5H-6V12H-10ZM6-5H10V12H6ZM-6-2H6V1H-6Z", "#c53a2b"
        ),
    ),
    BuildingKind.GRAND_BAZAR: (
        Layer("M-10-1H-7V11H-10ZM7-1H10V11H7Z", palette.WOOD),
        Layer("M-14 0L0-12L14 0Z", "#ffffff"),
        Layer("M-9 0L0-12L-4 0ZM9 0L0-12L4 0Z", "#c53a2b", "none"),
    ),
    BuildingKind.PARK_OF_FORTUNE: (
        Layer("M-1.6 12V0H1.6V12Z", palette.WOOD),
        Layer(disc(-5, -1, 5) + disc(5, -1, 5) + disc(0, -8, 5), "#4fa53c", "#1d4a18"),
    ),
    BuildingKind.TOWER_OF_WISDOM: (
        Layer("M-6 12L-4-5H-7V-12H-4V-9H-1.5V-12H1.5V-9H4V-12H7V-5H4L6 12Z", "#d9dce2"),
        Layer("M-1.5 3V-1a1.5 1.5 0 0 1 3 0V3Z", _DARK, "none"),
    ),
}

# Outlines in the ink of a tribe.
UNITS: dict[UnitKind, str] = {
    UnitKind.WARRIOR: "M-8 10L-10 8L-1-2Q-2-8 3-10Q10-11 9-4Q8 1 2 1Z",
    UnitKind.RIDER: "M-7 10Q-8 1-2-3L-5-7L-3-10L0-7Q8-7 10 2L7 5L3 2Q0 2 2 5Q5 7 5 10Z",
    UnitKind.DEFENDER: "M0-11L9-8Q10 5 0 11Q-10 5-9-8ZM-1.5-6V6H1.5V-6ZM-6-2V1H6V-2Z",
    UnitKind.SWORDSMAN: "M-2 3V-9L0-12L2-9V3H6V6H1.5V11H-1.5V6H-6V3Z",
    UnitKind.ARCHER: (
        "M-3-11Q9-7 9 0Q9 7-3 11L-2 8.5Q6 6 6.3 1.2H-5L-7 3H-10L-8 0L-10-3H-7L-5-1.2H6.3Q6-6-2-8.5Z"
    ),
    UnitKind.CATAPULT: "M-10 3H-4L4-7L6.5-5L0 3H10V6H-10Z"
    + disc(-6, 8, 2.8)
    + disc(6, 8, 2.8)
    + disc(7, -8, 3.2),
    UnitKind.KNIGHT: (
        "M-7 10V-3Q-7-9 0-9Q7-9 7-3V10H2.5V2H6V-1.5H-6V2H-2.5V10ZM0-10Q4-15 10-12Q7-9 2-9.5Z"
    ),
    UnitKind.MIND_BENDER: "M0-12L2.4-5.5L9-3L2.4-.5L0 6L-2.4-.5L-9-3L-2.4-5.5ZM-1.3 5H1.3V11H-1.3Z",
    UnitKind.BOAT: "M-10 3H10L6 10H-6ZM-1 1V-10L8 1Z",
    UnitKind.SHIP: "M-11 3H11L7 10H-7ZM1 1V-11Q9-7 9 1ZM-1 1V-9Q-9-6-9 1Z",
    UnitKind.BATTLESHIP: (
        "M-12 2H12L8 10H-8ZM-9 0V-7H-4V0ZM-2.5 0V-12L7-8L2.5-6V0ZM4 0V-4H12V-1.5H9V0Z"
    ),
    UnitKind.SUPERUNIT: "M-11 9L-12-6L-5.5 0L0-10L5.5 0L12-6L11 9ZM-9 5H9V6.5H-9Z",
}

STAR = "M0-6L1.6-2L5.8-1.8L2.5 .9L3.6 5L0 2.7L-3.6 5L-2.5 .9L-5.8-1.8L-1.6-2Z"
CROWN = "M-7 4V-4L-3.5-.5L0-5L3.5-.5L7-4V4Z"
SWORDS = (
    "M-6-6L4 4L6 2L7.5 3.5L3.5 7.5L2 6L3 5L-6-4ZM6-6L-4 4L-6 2L-7.5 3.5L-3.5 7.5L-2 6L-3 5L6-4Z"
)
HOUSE = "M-6 6V-1L0-6L6-1V6H1.5V1.5H-1.5V6Z"
PEACE = (
    disc(0, 0, 7.5)
    + disc(0, 0, 5.8)
    + "M-.9-6H.9V6H-.9ZM-.9 0L-5 4L-4 5.2L-.9 2.2ZM.9 0L5 4L4 5.2L.9 2.2Z"
)
HELMET = UNITS[UnitKind.KNIGHT]


def drawn(layers: tuple[Layer, ...], x: float, y: float, scale: float, name: str) -> svg.Group:
    """Returns an icon of several colours; `name` becomes its class."""
    group = svg.placed(x, y, scale, class_=name)
    for layer in layers:
        look = {"stroke": layer.edge, "stroke_width": layer.width, "stroke_linejoin": "round"}
        group.append(svg.Path(layer.path, fill=layer.fill, **look))
    return group


def resource(kind: Resource, x: float, y: float, scale: float) -> svg.Group:
    """Returns the icon of a resource."""
    return drawn(RESOURCES[kind], x, y, scale, f"resource {_name(kind)}")


def building(kind: BuildingKind, x: float, y: float, scale: float) -> svg.Group:
    """Returns the icon of a building on a plate; the plate of a monument is golden."""
    group = svg.placed(x, y, scale, class_=f"building {_name(kind)}")
    is_monument = kind >= FIRST_MONUMENT
    plate = palette.MONUMENT_PLATE if is_monument else palette.PLATE
    edge = palette.GOLD_DARK if is_monument else palette.PLATE_EDGE
    group.append(svg.Rectangle(-17, -16, 34, 32, rx=7, fill=plate, stroke=edge, stroke_width=1.6))
    group.append(drawn(BUILDINGS[kind], 0, 0, 1, "face"))
    return group


def glyph(path: str, colour: str, x: float, y: float, scale: float = 1) -> svg.Group:
    """Returns an icon of one colour."""
    return svg.placed(x, y, scale, [svg.Path(path, fill=colour, fill_rule="evenodd")])


def _name(kind: Resource | BuildingKind) -> str:
    return kind.name.lower().replace("_", "-")
