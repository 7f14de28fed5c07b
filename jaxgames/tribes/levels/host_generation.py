"""Makes the levels of the reference, exactly, from their seeds. Runs on the host.

Source: the game's document, section 16.2. Every step takes the next random numbers, so their order
is part of the result. `device_generation.py` makes levels of the same distribution in JAX.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int8, Int32

from jaxgames.tribes.engine.grid import Grid, board_of
from jaxgames.tribes.levels.java_random import JavaRandom
from jaxgames.tribes.levels.level_files import Level, check_level, check_side, check_tribes
from jaxgames.tribes.levels.surroundings import cross, ring, shade_of_ruins
from jaxgames.tribes.tables import levels
from jaxgames.tribes.tables.levels import USUAL_COAST, Coast, Zone, check_coast
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Tribe

_LAND = (Terrain.PLAIN, Terrain.FOREST, Terrain.MOUNTAIN)
_NOBODY = -1


def generate(
    seed: int,
    side: int,
    tribes: Sequence[int],
    coast: Coast = USUAL_COAST,
) -> Level:
    """Returns the level of a seed.

    Args:
        seed: chooses the level, together with all other arguments.
        side: 11, 14 or 16.
        tribes: rows of the table of tribes, in the order in which capitals are placed. Seats have
            another order: the order of the capitals in the level.
        coast: how land is told from sea.

    Raises:
        ValueError: for an impossible argument, or if the seed makes a level that cannot be played.
    """
    check_side(side)
    check_coast(coast)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise ValueError(f"seed must be a whole number, got {seed!r}")
    if not isinstance(tribes, Sequence | np.ndarray):
        raise ValueError(f"tribes must be rows of the table of tribes, got {tribes!r}")
    tribes = list(tribes)
    check_tribes(tribes, [f"tribes[{number}]" for number in range(len(tribes))])
    board, random = board_of(side), JavaRandom(seed)
    terrain = _land(board, random, coast.first_land(board.tiles))
    smooth(board, terrain, coast)
    capitals = _capitals(board, random, terrain, len(tribes))
    terrain[capitals] = Terrain.CITY
    biomes_by_tile = np.array(tribes)[biomes_of(board, random, terrain, capitals)]
    _grow_forests(random, terrain, biomes_by_tile)
    zones = zones_of(board, terrain, capitals)
    flood(board, terrain)
    resource = _resources(random, terrain, zones, biomes_by_tile)
    _ruins(board, random, terrain, resource, zones)
    _gifts(board, random, terrain, resource, capitals, tribes)
    if (terrain == Terrain.CITY).sum() < len(tribes):
        raise ValueError(
            f"seed {seed} puts capitals side by side, and a gift of nature took the place of one; "
            "choose another seed"
        )
    level = Level(
        side, terrain, resource, tuple(sorted(zip(capitals, map(int, tribes), strict=True)))
    )
    check_level(level)
    return level


def _land(board: Grid, random: JavaRandom, wanted: int) -> Int8[np.ndarray, "T"]:
    """Raises tiles from the sea, step 1."""
    terrain = np.full(board.tiles, Terrain.DEEP_WATER, np.int8)
    while wanted:
        tile = random.below(board.tiles)
        if terrain[tile] == Terrain.DEEP_WATER:
            terrain[tile] = Terrain.PLAIN
            wanted -= 1
    return terrain


def smooth(board: Grid, terrain: Int8[np.ndarray, "T"], coast: Coast) -> None:
    """Makes a tile with little water around it land for good, and any other tile sea, step 2."""
    around = board.around >= 0
    is_land = np.zeros(board.tiles, bool)
    for _ in range(coast.smoothing):
        water = around & (terrain[board.around] == Terrain.DEEP_WATER)
        is_land |= water.sum(axis=1) / around.sum(axis=1) <= coast.most_water
        terrain[:] = np.where(is_land, Terrain.PLAIN, Terrain.DEEP_WATER)


def _capitals(
    board: Grid, random: JavaRandom, terrain: Int8[np.ndarray, "T"], count: int
) -> list[int]:
    """Returns a capital for each tribe, as far as possible from the capitals before it, step 3."""
    line = np.minimum(board.row, board.column)
    other = np.maximum(board.row, board.column)
    inside = (line >= levels.MARGIN) & (other < board.side - levels.MARGIN)
    candidates = np.flatnonzero(inside & (terrain == Terrain.PLAIN)).tolist()
    if len(candidates) < count:
        raise ValueError(
            f"the seed has land for {len(candidates)} capitals only, expected {count}; choose "
            "another seed or a larger land share"
        )
    # The reference takes them from a hash table, which grows when it is three quarters full.
    slots = 16
    while len(candidates) > 0.75 * slots:
        slots *= 2
    candidates.sort(key=lambda tile: (tile % slots, tile))
    capitals: list[int] = []
    for _ in range(count):
        away = [
            min([board.side, *(_distance(board, tile, capital) for capital in capitals)])
            for tile in candidates
        ]
        farthest = [tile for tile, d in zip(candidates, away, strict=True) if d == max(away)]
        capitals.append(farthest[random.below(len(farthest))])
    return capitals


def _distance(board: Grid, one: int, other: int) -> int:
    rows, columns = board.row[one] - board.row[other], board.column[one] - board.column[other]
    return max(abs(int(rows)), abs(int(columns)))


def biomes_of(
    board: Grid, random: JavaRandom, terrain: Int8[np.ndarray, "T"], capitals: list[int]
) -> Int32[np.ndarray, "T"]:
    """Returns the number of the capital whose tribe shapes each tile, step 4.

    The tribes take turns in spreading from one of their tiles to a tile beside it, over land first.
    """
    neighbours = [[tile for tile in row if tile >= 0] for row in ring(board).tolist()]
    is_deep = (terrain == Terrain.DEEP_WATER).tolist()
    owner = [_NOBODY] * board.tiles
    spreading = [[capital] for capital in capitals]
    for tribe, capital in enumerate(capitals):
        owner[capital] = tribe
    while _NOBODY in owner:
        for tribe, tiles in enumerate(spreading):
            if not tiles:
                continue
            index = random.below(len(tiles))
            free = [tile for tile in neighbours[tiles[index]] if owner[tile] == _NOBODY]
            free = [tile for tile in free if not is_deep[tile]] or free
            if free:
                tile = free[random.below(len(free))]
                owner[tile] = tribe
                tiles.append(tile)
            else:
                del tiles[index]
    return np.array(owner, np.int32)


def _grow_forests(
    random: JavaRandom, terrain: Int8[np.ndarray, "T"], biomes_by_tile: Int32[np.ndarray, "T"]
) -> None:
    """Turns some plains into forests and mountains, step 5."""
    for tile in np.flatnonzero(terrain == Terrain.PLAIN):
        draw = random.uniform()
        if draw < levels.FOREST_CHANCE[biomes_by_tile[tile]]:
            terrain[tile] = Terrain.FOREST
        elif draw > 1 - levels.MOUNTAIN_CHANCE[biomes_by_tile[tile]]:
            terrain[tile] = Terrain.MOUNTAIN


def zones_of(
    board: Grid, terrain: Int8[np.ndarray, "T"], capitals: list[int]
) -> Int8[np.ndarray, "T"]:
    """Returns the `Zone` of each tile, steps 6 and 8; villages are the centres of zones.

    A village has at least two tiles between it and the next centre, and is not on the edge.
    """
    inside = (board.around >= 0).all(axis=1)
    barren = np.isin(terrain, (Terrain.DEEP_WATER, Terrain.MOUNTAIN)) | ~inside
    zones = np.where(barren, Zone.BARREN, Zone.OPEN).astype(np.int8)

    def settle(centre: int) -> None:
        rows, columns = board.row - board.row[centre], board.column - board.column[centre]
        away = np.maximum(abs(rows), abs(columns))
        zones[away <= 2] = np.maximum(zones[away <= 2], Zone.CENTRE - away[away <= 2])
        zones[centre] = Zone.CENTRE

    for capital in capitals:
        settle(capital)
    while (zones == Zone.OPEN).any():
        settle(int((zones == Zone.OPEN).argmax()))
    return zones


def flood(board: Grid, terrain: Int8[np.ndarray, "T"]) -> None:
    """Turns the first land beside each tile of deep water into shallow water, step 7.

    It takes land, where one expects it to take sea: coasts move inland.
    """
    for tile, beside in enumerate(cross(board)):
        if terrain[tile] == Terrain.DEEP_WATER:
            for near in beside:
                if near >= 0 and terrain[near] in _LAND:
                    terrain[near] = Terrain.SHALLOW_WATER
                    break


def _resources(
    random: JavaRandom,
    terrain: Int8[np.ndarray, "T"],
    zones: Int8[np.ndarray, "T"],
    biomes_by_tile: Int32[np.ndarray, "T"],
) -> Int8[np.ndarray, "T"]:
    """Returns the resource of each tile, and founds the villages, step 9."""
    resource = np.full(len(terrain), Resource.NONE, np.int8)
    for tile, (kind, zone) in enumerate(zip(terrain.copy(), zones, strict=True)):
        if zone == Zone.CENTRE and kind in (Terrain.PLAIN, Terrain.FOREST):
            terrain[tile] = Terrain.VILLAGE
        if zone not in levels.RARITY:
            continue
        for growth in levels.GROWTHS:
            if growth.terrain == kind:
                chance = growth.chance[biomes_by_tile[tile]] / levels.RARITY[zone]
                if random.uniform() < chance:
                    resource[tile] = growth.resource
                    break
    return resource


def _ruins(
    board: Grid,
    random: JavaRandom,
    terrain: Int8[np.ndarray, "T"],
    resource: Int8[np.ndarray, "T"],
    zones: Int8[np.ndarray, "T"],
) -> None:
    """Places ruins outside of the first borders, some of them in deep water, step 10.

    The same tile may be chosen twice, so a level may have fewer ruins.
    """
    zones = zones.copy()
    is_deep = terrain == Terrain.DEEP_WATER
    ruins, deep_left = levels.num_ruins(board.side)
    while ruins:
        places = zones < Zone.INNER
        fits = places & (terrain != Terrain.SHALLOW_WATER) & (~is_deep | (deep_left > 0))
        if not fits.any():
            break
        tile = np.flatnonzero(places)[random.below(places.sum())]
        if fits[tile]:
            resource[tile] = Resource.RUINS
            ruins -= 1
            deep_left -= int(is_deep[tile])
            shaded = shade_of_ruins(board, zones[tile])
            zones[shaded] = np.maximum(zones[shaded], Zone.INNER)


def _gifts(
    board: Grid,
    random: JavaRandom,
    terrain: Int8[np.ndarray, "T"],
    resource: Int8[np.ndarray, "T"],
    capitals: Sequence[int],
    tribes: Sequence[int],
) -> None:
    """Gives some tribes resources beside their capital, step 11, with shores around new land."""
    for capital, tribe in zip(capitals, tribes, strict=True):
        gift = levels.GIFTS.get(Tribe(tribe))
        if gift is None:
            continue
        beside = ring(board)[capital]
        while (resource[beside] == gift.resource).sum() < levels.NUM_GIFTS:
            tile = beside[random.below(len(beside))]
            terrain[tile], resource[tile] = gift
            shores = [near for near in cross(board)[tile] if near >= 0]
            for near in shores:
                if terrain[near] == Terrain.DEEP_WATER:
                    terrain[near] = Terrain.SHALLOW_WATER
