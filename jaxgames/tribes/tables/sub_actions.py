"""Sub-actions of tiles and units, as far as they do not depend on other tiles.

Source: the game's document, sections 5, 9.1 and 12.1.
"""

import enum
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jaxgames.tribes.tables.buildings import (
    BUILT_ON,
    BUILT_WITH,
    GROUND,
    NUM_BUILDINGS,
    PAIRS,
    BuildingKind,
)
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import GATHERING, NUM_RESOURCES, NUM_TERRAINS, Terrain
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


class UnitSubAction(enum.IntEnum):
    """What a unit does where it stands."""

    CAPTURE = 0
    DISBAND = 1
    EXAMINE = 2
    HEAL_OTHERS = 3
    MAKE_VETERAN = 4
    RECOVER = 5
    UPGRADE = 6


class TileSubAction(enum.IntEnum):
    """What is done to a tile, besides building on it."""

    BURN_FOREST = 0
    CLEAR_FOREST = 1
    DESTROY = 2
    GROW_FOREST = 3
    GATHER = 4
    BUILD_ROAD = 5


# The sub-actions on a tile, as bits: buildings, then `TileSubAction`.
NUM_TILE_SUB_ACTIONS = NUM_BUILDINGS + len(TileSubAction)


BURN, CLEAR, DESTROY, GROW, GATHER, ROAD = (1 << (NUM_BUILDINGS + sub) for sub in TileSubAction)
_ROAD_GROUND = (Terrain.PLAIN, Terrain.FOREST, Terrain.VILLAGE)


def _sub_actions_on(terrain: int, resource: int, building: int) -> int:
    sub_actions = 0
    for kind, ground in GROUND.items():
        fits = BUILT_ON.get(kind, resource) == resource
        if building == BuildingKind.NONE and terrain in ground and fits:
            sub_actions |= 1 << kind
    if building != BuildingKind.NONE:
        sub_actions |= DESTROY
    if terrain == Terrain.FOREST:
        sub_actions |= BURN | CLEAR
    if terrain == Terrain.PLAIN:
        sub_actions |= GROW
    if terrain in _ROAD_GROUND:
        sub_actions |= ROAD
    if resource in GATHERING:
        sub_actions |= GATHER
    return sub_actions


# [terrain, resource + 1, building + 1], as one vector.
TILE_SUB_ACTIONS = np.array(
    [
        _sub_actions_on(terrain, resource, building)
        for terrain in range(NUM_TERRAINS)
        for resource in range(-1, NUM_RESOURCES)
        for building in range(-1, NUM_BUILDINGS)
    ],
    np.uint32,
)
DISBANDED_WITH = Technology.FREE_SPIRIT  # units
DONE_WITH = {
    TileSubAction.BURN_FOREST: Technology.CHIVALRY,
    TileSubAction.CLEAR_FOREST: Technology.FORESTRY,
    TileSubAction.DESTROY: Technology.CONSTRUCTION,
    TileSubAction.GROW_FOREST: Technology.SPIRITUALISM,
    TileSubAction.BUILD_ROAD: Technology.ROADS,
}


def _bits_for(kinds: Iterable[int], needed: Mapping[Any, Technology]) -> np.ndarray:
    """Returns the technology that each kind needs, as a bit; 0 for kinds that need none."""
    return np.array([1 << needed[kind] if kind in needed else 0 for kind in kinds], np.uint32)


KNOWN_FOR = np.concatenate(
    [_bits_for(range(NUM_BUILDINGS), BUILT_WITH), _bits_for(TileSubAction, DONE_WITH)]
)
TRAINED_BITS = _bits_for(range(NUM_SPAWNED), TRAINED_WITH)
# Pairs (building, partner): the building needs the partner beside it and stands once in a city.
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
