"""Kinds of buildings: where they stand, what they need, which of them help each other.

Source: the game's document, section 5. Their prices and gains are parameters.
"""

import enum

from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import WATERS, Resource, Terrain


class BuildingKind(enum.IntEnum):
    """What a building is."""

    NONE = -1
    PORT = 0
    MINE = 1
    FORGE = 2
    FARM = 3
    WINDMILL = 4
    CUSTOMS_HOUSE = 5
    LUMBER_HUT = 6
    SAWMILL = 7
    TEMPLE = 8
    WATER_TEMPLE = 9
    FOREST_TEMPLE = 10
    MOUNTAIN_TEMPLE = 11
    ALTAR_OF_PEACE = 12
    EMPERORS_TOMB = 13
    EYE_OF_GOD = 14
    GATE_OF_POWER = 15
    GRAND_BAZAR = 16
    PARK_OF_FORTUNE = 17
    TOWER_OF_WISDOM = 18


NUM_BUILDINGS = len(BuildingKind) - 1
FIRST_TEMPLE, LAST_TEMPLE = BuildingKind.TEMPLE, BuildingKind.MOUNTAIN_TEMPLE
FIRST_MONUMENT = BuildingKind.ALTAR_OF_PEACE
NUM_MONUMENTS = NUM_BUILDINGS - FIRST_MONUMENT
MAX_TEMPLE_LEVEL = 5
TEMPLE_COUNTDOWN = 3  # turns until a temple grows


class Monument(enum.IntEnum):
    """Monuments, in the order of their buildings."""

    ALTAR = 0
    TOMB = 1
    EYE = 2
    GATE = 3
    BAZAR = 4
    PARK = 5
    TOWER = 6


class MonumentState(enum.IntEnum):
    """Whether a tribe may build a monument."""

    UNAVAILABLE = 0
    AVAILABLE = 1
    BUILT = 2


_MONUMENT_GROUND = (Terrain.PLAIN, Terrain.SHALLOW_WATER)

GROUND: dict[BuildingKind, tuple[Terrain, ...]] = {
    BuildingKind.PORT: (Terrain.SHALLOW_WATER,),
    BuildingKind.MINE: (Terrain.MOUNTAIN,),
    BuildingKind.FORGE: (Terrain.PLAIN,),
    BuildingKind.FARM: (Terrain.PLAIN,),
    BuildingKind.WINDMILL: (Terrain.PLAIN,),
    BuildingKind.CUSTOMS_HOUSE: (Terrain.PLAIN,),
    BuildingKind.LUMBER_HUT: (Terrain.FOREST,),
    BuildingKind.SAWMILL: (Terrain.PLAIN,),
    BuildingKind.TEMPLE: (Terrain.PLAIN,),
    BuildingKind.WATER_TEMPLE: WATERS,
    BuildingKind.FOREST_TEMPLE: (Terrain.FOREST,),
    BuildingKind.MOUNTAIN_TEMPLE: (Terrain.MOUNTAIN,),
    **{BuildingKind(b): _MONUMENT_GROUND for b in range(FIRST_MONUMENT, NUM_BUILDINGS)},
}
BUILT_WITH = {
    BuildingKind.PORT: Technology.SAILING,
    BuildingKind.MINE: Technology.MINING,
    BuildingKind.FORGE: Technology.SMITHERY,
    BuildingKind.FARM: Technology.FARMING,
    BuildingKind.WINDMILL: Technology.CONSTRUCTION,
    BuildingKind.CUSTOMS_HOUSE: Technology.TRADE,
    BuildingKind.LUMBER_HUT: Technology.FORESTRY,
    BuildingKind.SAWMILL: Technology.MATHEMATICS,
    BuildingKind.TEMPLE: Technology.FREE_SPIRIT,
    BuildingKind.WATER_TEMPLE: Technology.AQUATISM,
    BuildingKind.FOREST_TEMPLE: Technology.SPIRITUALISM,
    BuildingKind.MOUNTAIN_TEMPLE: Technology.MEDITATION,
    BuildingKind.ALTAR_OF_PEACE: Technology.MEDITATION,
    BuildingKind.EMPERORS_TOMB: Technology.TRADE,
    BuildingKind.EYE_OF_GOD: Technology.NAVIGATION,
    BuildingKind.GRAND_BAZAR: Technology.ROADS,
    BuildingKind.TOWER_OF_WISDOM: Technology.PHILOSOPHY,
}
BUILT_ON = {BuildingKind.MINE: Resource.ORE, BuildingKind.FARM: Resource.CROPS}

# Pairs: the second building gains from each first building beside it.
PAIRS = (
    (BuildingKind.MINE, BuildingKind.FORGE),
    (BuildingKind.FARM, BuildingKind.WINDMILL),
    (BuildingKind.PORT, BuildingKind.CUSTOMS_HOUSE),
    (BuildingKind.LUMBER_HUT, BuildingKind.SAWMILL),
)
PARTNER = {**dict(PAIRS), **{second: first for first, second in PAIRS}}
# The buildings whose pairs bring production instead of population.
OF_PRODUCTION = (BuildingKind.PORT, BuildingKind.CUSTOMS_HOUSE)
# The new owner of a captured city loses the matching gains of these buildings (section 12.4).
BASES = (BuildingKind.FARM, BuildingKind.LUMBER_HUT, BuildingKind.MINE)
