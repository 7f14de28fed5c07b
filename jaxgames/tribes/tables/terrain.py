"""Terrain, resources and what may be gathered.

Source: the game's document, sections 1, 2 and 5. Numbers are as in the recorded games.
"""

import enum

from jaxgames.tribes.tables.technologies import Technology


class Terrain(enum.IntEnum):
    """What a tile is."""

    PLAIN = 0
    SHALLOW_WATER = 1
    DEEP_WATER = 2
    MOUNTAIN = 3
    VILLAGE = 4  # neutral, not yet captured
    CITY = 5  # centre of a city
    FOREST = 6
    FOG = 7  # unknown; only in the state as a seat knows it


class Resource(enum.IntEnum):
    """What a tile carries. Number 4 is not used."""

    NONE = -1
    FISH = 0
    FRUIT = 1
    ANIMAL = 2
    WHALES = 3
    ORE = 5
    CROPS = 6
    RUINS = 7


NUM_TERRAINS = len(Terrain)
WATERS = (Terrain.SHALLOW_WATER, Terrain.DEEP_WATER)
NUM_RESOURCES = 8

TERRAIN_LETTERS = {
    Terrain.PLAIN: ".",
    Terrain.SHALLOW_WATER: "s",
    Terrain.DEEP_WATER: "d",
    Terrain.MOUNTAIN: "m",
    Terrain.VILLAGE: "v",
    Terrain.CITY: "c",
    Terrain.FOREST: "f",
    Terrain.FOG: " ",
}
RESOURCE_LETTERS = {
    Resource.FISH: "h",
    Resource.FRUIT: "f",
    Resource.ANIMAL: "a",
    Resource.WHALES: "w",
    Resource.ORE: "o",
    Resource.CROPS: "c",
    Resource.RUINS: "r",
}

# Resources that are gathered, and what must be known for it. Whales pay stars, others population.
GATHERING = {
    Resource.FISH: Technology.FISHING,
    Resource.FRUIT: Technology.ORGANIZATION,
    Resource.ANIMAL: Technology.HUNTING,
    Resource.WHALES: Technology.WHALING,
}
# Resources that only tribes with a technology see.
SEEN_WITH = {
    Resource.ORE: Technology.CLIMBING,
    Resource.CROPS: Technology.ORGANIZATION,
    Resource.WHALES: Technology.FISHING,
}
# What must be known to enter a terrain.
ENTERED_WITH = {
    Terrain.MOUNTAIN: Technology.CLIMBING,
    Terrain.SHALLOW_WATER: Technology.SAILING,
    Terrain.DEEP_WATER: Technology.NAVIGATION,
}
# What must be known for a bonus of defence.
DEFENDED_WITH = {
    Terrain.MOUNTAIN: Technology.MEDITATION,
    Terrain.SHALLOW_WATER: Technology.AQUATISM,
    Terrain.DEEP_WATER: Technology.AQUATISM,
    Terrain.FOREST: Technology.ARCHERY,
}
