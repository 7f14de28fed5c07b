"""What may be done to a tile and what units may do, as far as that needs no look around.

Source: the game's document, sections 5, 9.1 and 12.1.
"""

import numpy as np

from jaxgames.tribes.actions import (
    TileDeed,
)
from jaxgames.tribes.tables.buildings import (
    BUILT_ON,
    BUILT_WITH,
    GROUND,
    NUM_BUILDINGS,
    PAIRS,
    BuildingKind,
)
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import (
    GATHERING,
    NUM_RESOURCES,
    NUM_TERRAINS,
    Terrain,
)
from jaxgames.tribes.tables.units import (
    AFTER_ATTACK,
    AFTER_MOVE,
    NEVER,
    NUM_SPAWNED,
    NUM_STATUSES,
    NUM_UNIT_KINDS,
    TRAINED_WITH,
    Status,
)

# The deeds on a tile, as bits: buildings, then those of `TileDeed`.
NUM_TILE_DEEDS = NUM_BUILDINGS + len(TileDeed)


def _bit_of(deed: TileDeed) -> int:
    return 1 << (NUM_BUILDINGS + deed)


BURN, CLEAR, DESTROY, GROW, GATHER, ROAD = (_bit_of(deed) for deed in TileDeed)
_ROAD_GROUND = (Terrain.PLAIN, Terrain.FOREST, Terrain.VILLAGE)


def _deeds_on(terrain: int, resource: int, building: int) -> int:
    deeds = 0
    for kind, ground in GROUND.items():
        fits = BUILT_ON.get(kind, resource) == resource
        if building == BuildingKind.NONE and terrain in ground and fits:
            deeds |= 1 << kind
    if building != BuildingKind.NONE:
        deeds |= DESTROY
    if terrain == Terrain.FOREST:
        deeds |= BURN | CLEAR
    if terrain == Terrain.PLAIN:
        deeds |= GROW
    if terrain in _ROAD_GROUND:
        deeds |= ROAD
    if resource in GATHERING:
        deeds |= GATHER
    return deeds


# [terrain, resource + 1, building + 1], as one vector.
DEEDS = np.array(
    [
        _deeds_on(terrain, resource, building)
        for terrain in range(NUM_TERRAINS)
        for resource in range(-1, NUM_RESOURCES)
        for building in range(-1, NUM_BUILDINGS)
    ],
    np.uint32,
)
KNOWN_FOR = np.zeros(NUM_TILE_DEEDS, np.uint32)  # bits of technologies
for _kind, _technology in BUILT_WITH.items():
    KNOWN_FOR[_kind] = 1 << _technology
for _deed, _technology in (
    (TileDeed.BURN_FOREST, Technology.CHIVALRY),
    (TileDeed.CLEAR_FOREST, Technology.FORESTRY),
    (TileDeed.DESTROY, Technology.CONSTRUCTION),
    (TileDeed.GROW_FOREST, Technology.SPIRITUALISM),
    (TileDeed.BUILD_ROAD, Technology.ROADS),
):
    KNOWN_FOR[NUM_BUILDINGS + _deed] = 1 << _technology
TRAINED_BITS = np.zeros(NUM_SPAWNED, np.uint32)
for _unit, _technology in TRAINED_WITH.items():
    TRAINED_BITS[_unit] = 1 << _technology
# Pairs of buildings: those that need a partner beside them stand once in a city.
BESIDE = tuple((second, first) for first, second in PAIRS)

# What kinds of units may do in a status, as bits.
MOVES, ATTACKS, IS_FRESH, IS_AWAKE = 1, 2, 4, 8
ABILITIES = np.array(
    [
        MOVES * (AFTER_MOVE[kind, status] != NEVER)
        | ATTACKS * (AFTER_ATTACK[kind, status] != NEVER)
        | IS_FRESH * (status == Status.FRESH)
        | IS_AWAKE * (status != Status.FINISHED)
        for kind in range(NUM_UNIT_KINDS)
        for status in range(NUM_STATUSES)
    ],
    np.uint8,
)
