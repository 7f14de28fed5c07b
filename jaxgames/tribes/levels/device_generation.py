"""Makes a level in JAX, from the same distribution as `host_generation.py`, but from other numbers.

Source: the game's document, section 16.2. Each function below is one of its steps. The document
sometimes repeats a draw until it is of use; one draw among the useful values has the same effect.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, PRNGKeyArray

from jaxgames.sampling import bounded, sample_mask
from jaxgames.tribes.engine.grid import Grid, TileMask, board_of, distance
from jaxgames.tribes.levels.level_files import (
    MAX_TRIBES,
    MIN_TRIBES,
    Level,
    check_level,
    check_side,
    check_tribes,
)
from jaxgames.tribes.levels.surroundings import cross, ring, shade_of_ruins
from jaxgames.tribes.tables import levels
from jaxgames.tribes.tables.levels import USUAL_COAST, Coast, Zone, check_coast
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Tribe

# The level is made anew if a gift takes the tile of a capital beside it, or if capitals share a
# tile. That was so for 6 of 80,000 levels with four tribes on the smallest board, and for none of
# 380,000 others.
MAX_ATTEMPTS = 16
MAX_GIFT_DRAWS = 32  # all draws give the same one of eight tiles in 1 of 2^93 cases
_NOBODY = -1

Terrains = Int8[Array, "T"]
Resources = Int8[Array, "T"]
Zones = Int8[Array, "T"]
Tile = Int32[Array, ""]


class GeneratedLevel(NamedTuple):
    """A level; seat `p` begins in `capitals[p]`."""

    terrain: Terrains
    resource: Resources
    capitals: Int32[Array, "P"]  # tiles, ascending
    tribe_ids: Int32[Array, "P"]  # rows of the table of tribes

    def on_host(self) -> Level:
        """Returns the level as `level_to_csv` takes it.

        Raises:
            ValueError: if this is a batch of levels, or the level cannot be played.
        """
        if np.ndim(self.terrain) != 1:
            raise ValueError(f"expected one level, got a batch {np.shape(self.terrain)[:-1]}")
        terrain, resource, capitals, tribe_ids = jax.device_get(self)
        pairs = tuple(zip(capitals.tolist(), tribe_ids.tolist(), strict=True))
        level = Level(math.isqrt(len(terrain)), terrain, resource, pairs)
        check_level(level)
        return level


def generate(
    key: PRNGKeyArray,
    side: int,
    tribe_ids: Int32[Array, "P"],
    coast: Coast = USUAL_COAST,
) -> GeneratedLevel:
    """Returns a random level.

    Args:
        key: the random key of the level.
        side: 11, 14 or 16.
        tribe_ids: rows of the table of tribes, all different, in the order in which capitals are
            placed. Seats have another order: the order of the capitals in the level.
        coast: how land is told from sea. With hardly any land, capitals may lack room even in
            the last attempt; the level then has fewer tiles of terrain CITY than tribes.

    Raises:
        ValueError: for an impossible side or number of tribes; for wrong tribes, unless traced.
    """
    check_side(side)
    check_coast(coast)
    tribe_ids = jnp.asarray(tribe_ids)
    if not isinstance(tribe_ids, jax.core.Tracer):
        tribes = np.atleast_1d(tribe_ids).tolist()
        check_tribes(tribes, [f"tribe_ids[{number}]" for number in range(len(tribes))])
    if not MIN_TRIBES <= tribe_ids.shape[0] <= MAX_TRIBES:
        raise ValueError(f"expected {MIN_TRIBES} to {MAX_TRIBES} tribes, got {tribe_ids.shape[0]}")
    board = board_of(side)

    def attempt(number: Int32[Array, ""]) -> GeneratedLevel:
        keys = jax.random.split(jax.random.fold_in(key, number), 7)
        land_key, capital_key, biome_key, relief_key, resource_key, ruin_key, gift_key = keys
        wanted = coast.first_land(board.tiles)
        is_land = jax.random.permutation(land_key, np.arange(board.tiles) < wanted)
        is_land = smoothed(board, is_land, coast)
        capitals = _capitals(board, is_land, tribe_ids.shape[0], capital_key)
        biomes = tribe_ids[biomes_of(board, is_land, capitals, biome_key)]
        terrain = _terrain(is_land, capitals, biomes, relief_key)
        zones = zones_of(board, terrain, capitals)
        terrain = _with_villages(flooded(board, terrain), zones)
        resource = _resources(terrain, zones, biomes, resource_key)
        resource = _with_ruins(board, terrain, resource, zones, ruin_key)
        terrain, resource = _with_gifts(board, terrain, resource, capitals, tribe_ids, gift_key)
        order = jnp.argsort(capitals)
        return GeneratedLevel(terrain, resource, capitals[order], tribe_ids[order])

    def is_due(carry: tuple[Int32[Array, ""], GeneratedLevel]) -> Bool[Array, ""]:
        number, level = carry
        num_capitals = (level.terrain == Terrain.CITY).sum()
        return (num_capitals < tribe_ids.shape[0]) & (number < MAX_ATTEMPTS)

    nothing = jnp.zeros(board.tiles, jnp.int8)
    none = GeneratedLevel(nothing, nothing, jnp.zeros(tribe_ids.shape, jnp.int32), tribe_ids)
    return jax.lax.while_loop(
        is_due, lambda carry: (carry[0] + 1, attempt(carry[0])), (jnp.int32(0), none)
    )[1]


def smoothed(board: Grid, is_land: TileMask, coast: Coast) -> TileMask:
    """Makes a tile with little water around it land for good, and any other tile sea, step 2."""
    around = board.around >= 0
    shares = np.arange(around.shape[1] + 1) / around.sum(axis=1, keepdims=True)
    most = (shares <= coast.most_water).sum(axis=1) - 1  # water tiles around each tile

    def smooth(_: int, carry: tuple[TileMask, TileMask]) -> tuple[TileMask, TileMask]:
        is_land, stays = carry
        water = around & ~is_land[board.around]
        stays |= water.sum(axis=1) <= most
        return stays, stays

    return jax.lax.fori_loop(0, coast.smoothing, smooth, (is_land, jnp.zeros_like(is_land)))[0]


def _capitals(board: Grid, is_land: TileMask, count: int, key: PRNGKeyArray) -> Int32[Array, "P"]:
    """Returns a capital for each tribe, as far as possible from the capitals before it, step 3."""
    nearest = np.minimum(board.row, board.column)
    farthest = np.maximum(board.row, board.column)
    inside = (nearest >= levels.MARGIN) & (farthest < board.side - levels.MARGIN)
    is_candidate = is_land & inside
    tiles = jnp.arange(board.tiles)

    def place(number: Tile, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        capitals, away = carry
        most = jnp.where(is_candidate, away, -1).max()
        word = jax.random.bits(jax.random.fold_in(key, number), (), jnp.uint32)
        tile = sample_mask(is_candidate & (away == most), word)
        return capitals.at[number].set(tile), jnp.minimum(away, distance(board, tiles, tile))

    start = (jnp.zeros(count, jnp.int32), jnp.full(board.tiles, board.side, jnp.int32))
    return jax.lax.fori_loop(0, count, place, start)[0]


def biomes_of(
    board: Grid, is_land: TileMask, capitals: Int32[Array, "P"], key: PRNGKeyArray
) -> Int32[Array, "T"]:
    """Returns the number of the capital whose tribe shapes each tile, step 4.

    The tribes take turns in spreading from one of their tiles to a tile beside it, over land first.
    A turn adds one tile to the tiles that a tribe may spread from, or removes one: `2 T P` turns
    are enough.
    """
    count = capitals.shape[0]
    neighbours = jnp.asarray(board.neighbours)

    def spread(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        turn, owner, can_spread = carry
        tribe = turn % count
        from_word, to_word = jax.random.bits(jax.random.fold_in(key, turn), (2,), jnp.uint32)
        source = sample_mask(can_spread[tribe], from_word)
        beside = neighbours[source]
        free = (beside >= 0) & (owner[beside] == _NOBODY) & can_spread[tribe].any()
        dry = free & is_land[beside]
        tile = beside[sample_mask(jnp.where(dry.any(), dry, free), to_word)]
        taken = jnp.where(free.any(), tile, board.tiles)  # past the end: no tile
        owner = owner.at[taken].set(tribe, mode="drop")
        changed = jnp.where(free.any(), tile, source)
        return turn + 1, owner, can_spread.at[tribe, changed].set(free.any())

    tribes = jnp.arange(count)
    owner = jnp.full(board.tiles, _NOBODY, jnp.int32).at[capitals].set(tribes)
    can_spread = capitals[:, None] == np.arange(board.tiles)
    return jax.lax.while_loop(
        lambda carry: (carry[1] == _NOBODY).any(), spread, (jnp.int32(0), owner, can_spread)
    )[1]


def _terrain(
    is_land: TileMask, capitals: Int32[Array, "P"], tribe_ids: Int32[Array, "T"], key: PRNGKeyArray
) -> Terrains:
    """Founds the capitals, and makes forests and mountains, step 5."""
    draw = jax.random.uniform(key, is_land.shape)
    is_forest = draw < jnp.asarray(levels.FOREST_CHANCE, jnp.float32)[tribe_ids]
    is_mountain = draw > 1 - jnp.asarray(levels.MOUNTAIN_CHANCE, jnp.float32)[tribe_ids]
    land = jnp.where(is_mountain, Terrain.MOUNTAIN, Terrain.PLAIN)
    land = jnp.where(is_forest, Terrain.FOREST, land)
    terrain = jnp.where(is_land, land, Terrain.DEEP_WATER).astype(jnp.int8)
    return terrain.at[capitals].set(Terrain.CITY)


def zones_of(board: Grid, terrain: Terrains, capitals: Int32[Array, "P"]) -> Zones:
    """Returns the `Zone` of each tile, steps 6 and 8; villages are the centres of zones.

    There is room for 25 villages at most.
    """
    tiles = jnp.arange(board.tiles)

    def settle(zones: Zones, centre: Tile) -> Zones:
        zone = jnp.maximum(Zone.CENTRE - distance(board, tiles, centre), Zone.OPEN)
        return jnp.where(zone > Zone.OPEN, jnp.maximum(zones, zone.astype(jnp.int8)), zones)

    inside = (board.around >= 0).all(axis=1)
    barren = ~inside | _is_any(terrain, Terrain.DEEP_WATER, Terrain.MOUNTAIN)
    zones = jnp.where(barren, Zone.BARREN, Zone.OPEN).astype(jnp.int8)
    zones = jax.lax.fori_loop(
        0, capitals.shape[0], lambda number, zones: settle(zones, capitals[number]), zones
    )
    return jax.lax.while_loop(
        lambda zones: (zones == Zone.OPEN).any(),
        lambda zones: settle(zones, (zones == Zone.OPEN).argmax()),
        zones,
    )


def flooded(board: Grid, terrain: Terrains) -> Terrains:
    """Turns the first land beside each tile of deep water into shallow water, step 7.

    It takes land, where one expects it to take sea: coasts move inland.
    """
    beside = jnp.asarray(cross(board))

    def flood(tile: Tile, terrain: Terrains) -> Terrains:
        near = terrain[beside[tile]]
        land = _is_any(near, Terrain.PLAIN, Terrain.FOREST, Terrain.MOUNTAIN) & (beside[tile] >= 0)
        floods = (terrain[tile] == Terrain.DEEP_WATER) & land.any()
        flooded = jnp.where(floods, beside[tile, land.argmax()], board.tiles)
        return terrain.at[flooded].set(Terrain.SHALLOW_WATER, mode="drop")

    return jax.lax.fori_loop(0, board.tiles, flood, terrain)


def _with_villages(terrain: Terrains, zones: Zones) -> Terrains:
    """Founds villages on the centres of zones that the sea has left as land, step 9."""
    is_village = (zones == Zone.CENTRE) & _is_any(terrain, Terrain.PLAIN, Terrain.FOREST)
    return jnp.where(is_village, Terrain.VILLAGE, terrain).astype(jnp.int8)


def _resources(
    terrain: Terrains, zones: Zones, tribe_ids: Int32[Array, "T"], key: PRNGKeyArray
) -> Resources:
    """Returns the resource of each tile, step 9."""
    share = sum((zones == zone) / rarity for zone, rarity in levels.RARITY.items())
    chances = np.array([growth.chance for growth in levels.GROWTHS], np.float32)
    terrains = np.array([growth.terrain for growth in levels.GROWTHS], np.int8)
    resources = np.array([growth.resource for growth in levels.GROWTHS], np.int8)
    chance = jnp.asarray(chances)[:, tribe_ids] * share
    grows = jax.random.uniform(key, chance.shape) < chance
    grows &= terrain == terrains[:, None]
    resource = jnp.asarray(resources)[grows.argmax(axis=0)]
    return jnp.where(grows.any(axis=0), resource, Resource.NONE).astype(jnp.int8)


def _with_ruins(
    board: Grid, terrain: Terrains, resource: Resources, zones: Zones, key: PRNGKeyArray
) -> Resources:
    """Places ruins outside of the first borders, some of them in deep water, step 10.

    The same tile may be chosen twice, so a level may have fewer ruins.
    """
    ruins, most_deep = levels.num_ruins(board.side)
    is_deep = terrain == Terrain.DEEP_WATER
    # One row for each zone where ruins may be.
    shade = jnp.asarray([shade_of_ruins(board, zone) for zone in (Zone.OUTER, Zone.BARREN)])

    def place(number: Tile, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        resource, zones, num_deep = carry
        is_fit = (zones < Zone.INNER) & (terrain != Terrain.SHALLOW_WATER)
        is_fit &= ~is_deep | (num_deep < most_deep)
        tile = sample_mask(is_fit, jax.random.bits(jax.random.fold_in(key, number), (), jnp.uint32))
        shaded = shade[(zones[tile] == Zone.BARREN).astype(jnp.int32)]
        zones = jnp.where(shaded, jnp.maximum(zones, Zone.INNER), zones)
        chosen = jnp.where(is_fit.any(), tile, board.tiles)
        resource = resource.at[chosen].set(Resource.RUINS, mode="drop")
        return resource, zones.astype(jnp.int8), num_deep + (is_deep[tile] & is_fit.any())

    return jax.lax.fori_loop(0, ruins, place, (resource, zones, jnp.int32(0)))[0]


def _with_gifts(
    board: Grid,
    terrain: Terrains,
    resource: Resources,
    capitals: Int32[Array, "P"],
    tribe_ids: Int32[Array, "P"],
    key: PRNGKeyArray,
) -> tuple[Terrains, Resources]:
    """Gives some tribes resources beside their capital, step 11, with shores around new land."""
    gift_terrain = np.zeros(len(Tribe), np.int8)
    gift_resource = np.full(len(Tribe), Resource.NONE, np.int8)
    for tribe, gift in levels.GIFTS.items():
        gift_terrain[tribe], gift_resource[tribe] = gift
    neighbours, beside = jnp.asarray(ring(board)), jnp.asarray(cross(board))

    def give(seat: Tile, level: tuple[Terrains, Resources]) -> tuple[Terrains, Resources]:
        around = neighbours[capitals[seat]]
        becomes = jnp.asarray(gift_terrain)[tribe_ids[seat]]
        carries = jnp.asarray(gift_resource)[tribe_ids[seat]]
        seat_key = jax.random.fold_in(key, seat)

        def is_due(carry: tuple[Tile, Terrains, Resources]) -> Bool[Array, ""]:
            draw, _, resource = carry
            few = (resource[around] == carries).sum() < levels.NUM_GIFTS
            return few & (carries != Resource.NONE) & (draw < MAX_GIFT_DRAWS)

        def put(carry: tuple[Tile, Terrains, Resources]) -> tuple[Tile, Terrains, Resources]:
            draw, terrain, resource = carry
            word = jax.random.bits(jax.random.fold_in(seat_key, draw), (), jnp.uint32)
            tile = around[bounded(word, around.shape[0])]
            terrain = terrain.at[tile].set(becomes)
            near = beside[tile]
            is_shore = (near >= 0) & (terrain[near] == Terrain.DEEP_WATER)
            shore = jnp.where(is_shore, near, board.tiles)
            terrain = terrain.at[shore].set(Terrain.SHALLOW_WATER, mode="drop")
            return draw + 1, terrain, resource.at[tile].set(carries)

        return jax.lax.while_loop(is_due, put, (jnp.int32(0), *level))[1:]

    return jax.lax.fori_loop(0, capitals.shape[0], give, (terrain, resource))


def _is_any(terrain: Int8[Array, "any"], *kinds: Terrain) -> Bool[Array, "any"]:
    return (terrain[:, None] == np.array(kinds, np.int8)).any(axis=1)
