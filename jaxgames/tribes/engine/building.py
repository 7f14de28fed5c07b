"""Building, destroying, and changing the land. `play.py` looks at the network afterwards.

Source: the game's document, sections 12.1 and 12.2.
"""

import jax.numpy as jnp

from jaxgames.tribes.engine import board as boards
from jaxgames.tribes.engine import cities, effects
from jaxgames.tribes.engine.actions import TileDeed
from jaxgames.tribes.engine.board import Rows
from jaxgames.tribes.engine.config import (
    Condition,
    Number,
    Setting,
    integer,
    put,
)
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
from jaxgames.tribes.tables.terrain import Resource, Terrain


def build(setting: Setting, state: TribesState, tile: Number, building: Number) -> TribesState:
    """Returns the state after a building was built on a tile of an own city."""
    tribe = state.active.astype(jnp.int32)
    building = jnp.clip(building, 0, NUM_BUILDINGS - 1)
    state = cities.pay(state, tribe, jnp.asarray(setting.p.building_cost)[building])
    tiles = state.tiles
    is_temple = (building >= FIRST_TEMPLE) & (building <= LAST_TEMPLE)
    is_port = building == BuildingKind.PORT
    state = state.replace(
        tiles=tiles.replace(
            building=put(tiles.building, tile, building),
            built=put(tiles.built, tile, state.counter),
            resource=put(tiles.resource, tile, Resource.NONE),
            temple_level=put(tiles.temple_level, tile, 1, is_temple),
            temple_countdown=put(tiles.temple_countdown, tile, TEMPLE_COUNTDOWN, is_temple),
            network=_with_tile(setting, tiles.network, tile, True, is_port),
        ),
        counter=state.counter + 1,
    )
    state = effects.apply(setting, state, tile, building, tribe, 1)
    tiles, tribes = state.tiles, state.tribes
    row = tribes.monuments[tribe]
    monument = jnp.where(building >= FIRST_MONUMENT, building - FIRST_MONUMENT, -1)
    is_hut = building == BuildingKind.LUMBER_HUT
    return state.replace(
        tiles=tiles.replace(terrain=put(tiles.terrain, tile, Terrain.PLAIN, is_hut)),
        tribes=tribes.replace(
            monuments=put(tribes.monuments, tribe, put(row, monument, MonumentState.BUILT))
        ),
    )


def clear_away(setting: Setting, state: TribesState, tile: Number) -> TribesState:
    """Returns the state without the building on a tile; what it brought is taken later."""
    tiles = state.tiles
    is_port = tiles.building[tile] == BuildingKind.PORT
    return state.replace(
        tiles=tiles.replace(
            building=put(tiles.building, tile, BuildingKind.NONE),
            network=_with_tile(setting, tiles.network, tile, False, is_port),
        )
    )


def take_back(setting: Setting, state: TribesState, tile: Number, building: Number) -> TribesState:
    """Returns the state after a building that was cleared away has lost its effects."""
    state = effects.apply(setting, state, tile, building, state.active.astype(jnp.int32), -1)
    tiles = state.tiles
    return state.replace(
        tiles=tiles.replace(
            built=put(tiles.built, tile, 0),
            temple_level=put(tiles.temple_level, tile, 0),
            temple_countdown=put(tiles.temple_countdown, tile, 0),
        )
    )


def change_land(setting: Setting, state: TribesState, tile: Number, deed: Number) -> TribesState:
    """Returns the state after a deed of `TileDeed` other than DESTROY; others change nothing."""
    p = setting.p
    tribe = state.active.astype(jnp.int32)
    burns, clears = deed == TileDeed.BURN_FOREST, deed == TileDeed.CLEAR_FOREST
    grows, gathers = deed == TileDeed.GROW_FOREST, deed == TileDeed.GATHER
    paves = deed == TileDeed.BUILD_ROAD
    tiles = state.tiles
    resource = integer(tiles.resource, tile)
    catches_whales = gathers & (resource == Resource.WHALES)
    feeds = gathers & ~catches_whales
    terrain = jnp.where(grows, Terrain.FOREST, Terrain.PLAIN)
    left = jnp.where(burns, Resource.CROPS, Resource.NONE)
    state = state.replace(
        tiles=tiles.replace(
            terrain=put(tiles.terrain, tile, terrain, burns | clears | grows),
            resource=put(tiles.resource, tile, left, burns | grows | gathers),
            network=_with_tile(setting, tiles.network, tile, True, paves),
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
    state = cities.gain_stars(setting, state, tribe, gain, clears | catches_whales)
    fed = jnp.where(feeds, p.gather_population, 0)
    return cities.change_population(setting, state, integer(tiles.owner, tile), fed, tribe)


def _with_tile(setting: Setting, rows: Rows, tile: Number, value: bool, when: Condition) -> Rows:
    change = jnp.where(when, boards.square(setting.board, tile, 0), 0).astype(rows.dtype)
    return rows | change if value else rows & ~change
