"""What may be done to a tile and what units may do, as far as that needs no look around.

Source: the game's document, sections 5, 9.1 and 12.1.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jaxgames.tribes.engine.actions import TileDeed
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
_DONE_WITH = {
    TileDeed.BURN_FOREST: Technology.CHIVALRY,
    TileDeed.CLEAR_FOREST: Technology.FORESTRY,
    TileDeed.DESTROY: Technology.CONSTRUCTION,
    TileDeed.GROW_FOREST: Technology.SPIRITUALISM,
    TileDeed.BUILD_ROAD: Technology.ROADS,
}


def _bits_for(kinds: Iterable[int], needed: Mapping[Any, Technology]) -> np.ndarray:
    """Returns the technology that each kind needs, as a bit; 0 for those that need none."""
    return np.array([1 << needed[kind] if kind in needed else 0 for kind in kinds], np.uint32)


KNOWN_FOR = np.concatenate(
    [_bits_for(range(NUM_BUILDINGS), BUILT_WITH), _bits_for(TileDeed, _DONE_WITH)]
)
TRAINED_BITS = _bits_for(range(NUM_SPAWNED), TRAINED_WITH)
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
