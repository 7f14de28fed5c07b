"""Building, destroying, and changing the land. `apply_action.py` updates the network afterwards.

Source: the game's document, sections 12.1 and 12.2.
"""

import jax.numpy as jnp

from jaxgames.batching.arrays import as_int, set_row
from jaxgames.tribes.engine import cities, effects, grid
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.grid import Rows
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


def build(config: GameConfig, state: TribesState, tile: Number, building: Number) -> TribesState:
    """Returns the state after the tribe to move has built a building on a tile."""
    tribe = state.active.astype(jnp.int32)
    building = jnp.clip(building, 0, NUM_BUILDINGS - 1)
    state = cities.pay(state, tribe, jnp.asarray(config.p.building_cost)[building])
    tiles = state.tiles
    is_temple = (building >= FIRST_TEMPLE) & (building <= LAST_TEMPLE)
    is_port = building == BuildingKind.PORT
    state = state.replace(
        tiles=tiles.replace(
            building=set_row(tiles.building, tile, building),
            built=set_row(tiles.built, tile, state.counter),
            resource=set_row(tiles.resource, tile, Resource.NONE),
            temple_level=set_row(tiles.temple_level, tile, 1, is_temple),
            temple_countdown=set_row(tiles.temple_countdown, tile, TEMPLE_COUNTDOWN, is_temple),
            network=_with_tile(config, tiles.network, tile, True, is_port),
        ),
        counter=state.counter + 1,
    )
    state = effects.apply(config, state, tile, building, tribe, 1)
    tiles, tribes = state.tiles, state.tribes
    row = tribes.monuments[tribe]
    monument = jnp.where(building >= FIRST_MONUMENT, building - FIRST_MONUMENT, -1)
    is_hut = building == BuildingKind.LUMBER_HUT
    return state.replace(
        tiles=tiles.replace(terrain=set_row(tiles.terrain, tile, Terrain.PLAIN, is_hut)),
        tribes=tribes.replace(
            monuments=set_row(tribes.monuments, tribe, set_row(row, monument, MonumentState.BUILT))
        ),
    )


def clear_away(config: GameConfig, state: TribesState, tile: Number) -> TribesState:
    """Returns the state without the building on a tile; `take_back` removes its effects."""
    tiles = state.tiles
    is_port = tiles.building[tile] == BuildingKind.PORT
    return state.replace(
        tiles=tiles.replace(
            building=set_row(tiles.building, tile, BuildingKind.NONE),
            network=_with_tile(config, tiles.network, tile, False, is_port),
        )
    )


def take_back(
    config: GameConfig, state: TribesState, tile: Number, building: Number
) -> TribesState:
    """Returns the state without the effects of a building that `clear_away` has removed."""
    state = effects.apply(config, state, tile, building, state.active.astype(jnp.int32), -1)
    tiles = state.tiles
    return state.replace(
        tiles=tiles.replace(
            built=set_row(tiles.built, tile, 0),
            temple_level=set_row(tiles.temple_level, tile, 0),
            temple_countdown=set_row(tiles.temple_countdown, tile, 0),
        )
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


def _with_tile(config: GameConfig, rows: Rows, tile: Number, value: bool, when: Condition) -> Rows:
    change = jnp.where(when, grid.square(config.board, tile, 0), 0).astype(rows.dtype)
    return rows | change if value else rows & ~change
