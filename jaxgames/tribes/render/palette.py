"""Colours that belong to the game, not to a theme."""

from typing import NamedTuple

from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.tribes import Tribe


class TribeShades(NamedTuple):
    """The colours of a tribe."""

    piece: str  # units, houses, borders
    ink: str  # on `piece`
    worn: str  # units that have acted in their turn, and may act again
    faded: str  # units that have finished their turn or were pushed


SHADES = {
    Tribe.XIN_XI: TribeShades("#cf2e26", "#ffffff", "#c45e58", "#b98f8b"),
    Tribe.IMPERIUS: TribeShades("#2558d4", "#ffffff", "#597ac8", "#8e9cbd"),
    Tribe.BARDUR: TribeShades("#3a332d", "#ffffff", "#645e58", "#8f8a84"),
    Tribe.OUMAJI: TribeShades("#f2c81b", "#2f2613", "#e0c557", "#cfc394"),
}

GROUND = {
    Terrain.PLAIN: "#bcd97c",
    Terrain.SHALLOW_WATER: "#93d6ec",
    Terrain.DEEP_WATER: "#4c8fc7",
    Terrain.MOUNTAIN: "#c4cfa0",
    Terrain.VILLAGE: "#cfdc93",
    Terrain.CITY: "#e2d8b0",
    Terrain.FOREST: "#a5cb70",
    Terrain.FOG: "#dfe5ec",
}
GRID = "#2b3a1c"  # thin lines between tiles

OUTLINE = "#1d1a16"
HALO = "#ffffff"
GOLD, GOLD_DARK = "#f4bc2a", "#8a6512"
ROAD, ROAD_EDGE = "#e4c58d", "#7d5f35"
STONE, STONE_DARK = "#b9bcc2", "#5d6068"
PLATE, PLATE_EDGE = "#f7ead0", "#6e5230"  # under buildings
MONUMENT_PLATE = "#ffd95e"
WOOD = "#7a4e28"
HP_GOOD, HP_FAIR, HP_LOW = "#3f9a38", "#c07a10", "#d9402f"
POPULATION, LACKING, NEGATIVE = "#8fe07a", "#ffffff", "#ff6a5a"
