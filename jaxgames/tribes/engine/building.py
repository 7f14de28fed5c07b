"""Building, destroying, changing the land, and the network that follows.

Source: the game's document, sections 12.1 and 12.2.
"""

import jax.numpy as jnp

from jaxgames.batching.arrays import as_int, set_cell, set_row
from jaxgames.tribes.engine import cities, grid
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.effects import apply_rest, effects_of
from jaxgames.tribes.engine.grid import Rows
from jaxgames.tribes.engine.road_network import links_of_all, set_links
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import (
    FIRST_MONUMENT,
    FIRST_TEMPLE,
    LAST_TEMPLE,
    NUM_BUILDINGS,
    TEMPLE_COUNTDOWN,
    BuildingKind,
    MonumentState,
)
from jaxgames.tribes.tables.sub_actions import TileSubAction
from jaxgames.tribes.tables.terrain import Resource, Terrain


def rebuild(
    config: GameConfig,
    state: TribesState,
    tile: Number,
    built: Number,
    destroys: Condition,
    connects: Condition,
) -> TribesState:
    """Returns the state after the tribe to move has built or destroyed a building on a tile.

    Args:
        config: options of the game.
        state: a position.
        tile: where.
        built: kind of the new building, or `NONE`.
        destroys: whether the building there goes.
        connects: whether the trade network must be updated in any case; else only for a port.
    """
    tribe = state.active.astype(jnp.int32)
    builds = built != BuildingKind.NONE
    kind = jnp.where(destroys, as_int(state.tiles.building, tile), built)
    changes = builds | destroys
    effects = effects_of(config, state, tile, kind, tribe, jnp.where(destroys, -1, 1), when=changes)
    state = _put(config, state, tile, kind, builds, destroys)
    links = links_of_all(config, state, connects | (changes & (kind == BuildingKind.PORT)))
    # A new building changes populations before the network does, a destroyed one after it.
    state = cities.change_in_order(
        config,
        state,
        [
            (jnp.where(destroys, 0, effects.population), tribe),
            *((links.growth[other], jnp.int32(other)) for other in range(config.players)),
            (jnp.where(destroys, effects.population, 0), tribe),
        ],
    )
    state = apply_rest(state, effects, tribe)
    return set_links(state, jnp.arange(config.players), links)


def _put(
    config: GameConfig,
    state: TribesState,
    tile: Number,
    kind: Number,
    builds: Condition,
    destroys: Condition,
) -> TribesState:
    """Returns the state with a building put on a tile, or without it, effects left out."""
    tribe = state.active.astype(jnp.int32)
    changes = builds | destroys
    price = jnp.asarray(config.p.building_cost)[jnp.clip(kind, 0, NUM_BUILDINGS - 1)]
    state = cities.pay(state, tribe, price, builds)
    is_temple = (kind >= FIRST_TEMPLE) & (kind <= LAST_TEMPLE)
    has_temple = destroys | (builds & is_temple)
    monument = jnp.where(kind >= FIRST_MONUMENT, kind - FIRST_MONUMENT, -1)
    is_hut = kind == BuildingKind.LUMBER_HUT
    tiles, tribes = state.tiles, state.tribes
    network = _with_tile(config, tiles.network, tile, builds, changes & (kind == BuildingKind.PORT))
    return state.replace(
        tiles=tiles.replace(
            building=set_row(
                tiles.building, tile, jnp.where(builds, kind, BuildingKind.NONE), changes
            ),
            built=set_row(tiles.built, tile, jnp.where(builds, state.counter, 0), changes),
            resource=set_row(tiles.resource, tile, Resource.NONE, builds),
            temple_level=set_row(tiles.temple_level, tile, jnp.where(builds, 1, 0), has_temple),
            temple_countdown=set_row(
                tiles.temple_countdown, tile, jnp.where(builds, TEMPLE_COUNTDOWN, 0), has_temple
            ),
            network=network,
            terrain=set_row(tiles.terrain, tile, Terrain.PLAIN, builds & is_hut),
        ),
        tribes=tribes.replace(
            monuments=set_cell(tribes.monuments, tribe, monument, MonumentState.BUILT, builds)
        ),
        counter=state.counter + builds,
    )


def change_land(
    config: GameConfig, state: TribesState, tile: Number, sub_action: Number
) -> TribesState:
    """Returns the state after a `TileSubAction` other than DESTROY; else an unchanged state."""
    p = config.p
    tribe = state.active.astype(jnp.int32)
    burns, clears = (
        sub_action == TileSubAction.BURN_FOREST,
        sub_action == TileSubAction.CLEAR_FOREST,
    )
    grows, gathers = sub_action == TileSubAction.GROW_FOREST, sub_action == TileSubAction.GATHER
    paves = sub_action == TileSubAction.BUILD_ROAD
    tiles = state.tiles
    resource = as_int(tiles.resource, tile)
    catches_whales = gathers & (resource == Resource.WHALES)
    feeds = gathers & ~catches_whales
    terrain = jnp.where(grows, Terrain.FOREST, Terrain.PLAIN)
    left = jnp.where(burns, Resource.CROPS, Resource.NONE)
    state = state.replace(
        tiles=tiles.replace(
            terrain=set_row(tiles.terrain, tile, terrain, burns | clears | grows),
            resource=set_row(tiles.resource, tile, left, burns | grows | gathers),
            network=_with_tile(config, tiles.network, tile, True, paves),
        )
    )
    price = (
        jnp.where(burns, p.burn_cost, 0)
        + jnp.where(grows, p.grow_cost, 0)
        + jnp.where(feeds, p.gather_cost, 0)
        + jnp.where(paves, p.road_cost, 0)
    )
    state = cities.pay(state, tribe, price)
    gain = jnp.where(clears, p.clear_stars, p.whales_stars)
    state = cities.gain_stars(config, state, tribe, gain, clears | catches_whales)
    fed = jnp.where(feeds, p.gather_population, 0)
    return cities.change_population(config, state, as_int(tiles.owner, tile), fed, tribe)


def _with_tile(
    config: GameConfig, rows: Rows, tile: Number, value: Condition | bool, when: Condition
) -> Rows:
    change = jnp.where(when, grid.square(config.board, tile, 0), 0).astype(rows.dtype)
    return jnp.where(value, rows | change, rows & ~change)
