"""Scores of the actions of cities and of the whole tribe."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from jaxgames.players.tribes.rule_based.units import NEVER
from jaxgames.players.tribes.rule_based.view import TribeView
from jaxgames.tribes.engine import grid, leveling
from jaxgames.tribes.engine.actions import NUM_LEVEL_UPS
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.engine.queries import cities_of, is_water, tiles_of
from jaxgames.tribes.tables.buildings import NUM_BUILDINGS, BuildingKind
from jaxgames.tribes.tables.sub_actions import TileSubAction
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES, Technology
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.tribes import LAST_CHOICE_LEVEL, LevelUp
from jaxgames.tribes.tables.units import NUM_SPAWNED, UnitKind

BEST = 5
_FEW = 2  # a city with fewer farms, forests or lumber huts has few
_BUILDING_STARS = 8  # stars that a tribe must have before it builds

_RESEARCH = np.full(NUM_TECHNOLOGIES, 3, np.int32)
_RESEARCH[
    [
        Technology.ORGANIZATION,
        Technology.CLIMBING,
        Technology.MINING,
        Technology.FISHING,
        Technology.HUNTING,
        Technology.WHALING,
    ]
] = 5
_RESEARCH[
    [
        Technology.FARMING,
        Technology.AQUATISM,
        Technology.RIDING,
        Technology.FORESTRY,
        Technology.ARCHERY,
        Technology.SAILING,
        Technology.SHIELDS,
        Technology.CHIVALRY,
    ]
] = 4
_CHOSEN = (LevelUp.WORKSHOP, LevelUp.RESOURCES, LevelUp.BORDER_GROWTH, LevelUp.SUPERUNIT)
_LEVEL_UP = np.where(np.isin(np.arange(len(LevelUp)), _CHOSEN), BEST, 0).reshape(-1, NUM_LEVEL_UPS)
_BUILD = np.ones(NUM_BUILDINGS, np.int32)
_BUILD[BuildingKind.FOREST_TEMPLE] = 0
# Units that a city trains: without an enemy in its borders, and with one.
_SPAWN = np.zeros((2, NUM_SPAWNED), np.int32)
_SPAWN[:, UnitKind.WARRIOR] = 3, 3
_SPAWN[:, UnitKind.RIDER] = 3, 0
_SPAWN[:, UnitKind.DEFENDER] = 3, 5
_SPAWN[:, UnitKind.SWORDSMAN] = 3, 4
_SPAWN[:, UnitKind.ARCHER] = 3, 0
_SPAWN[:, UnitKind.CATAPULT] = 3, 0
_SPAWN[:, UnitKind.KNIGHT] = 3, 4
_SPAWN[:, UnitKind.MIND_BENDER] = 2, 0


def scores_on_tiles(config: GameConfig, view: TribeView) -> Int32[Array, "T 33"]:
    """Returns the scores of buildings, of each `TileSubAction` and of training, legal or not.

    The columns are in the order of the action numbers.
    """
    tiles, cities = view.state.tiles, view.state.cities
    city_slots = np.arange(cities.tile.shape[0])
    of_city = tiles.owner == city_slots[:, None]  # [C, T]
    owner = jnp.maximum(tiles.owner, 0).astype(jnp.int32)

    # A city is in need if its income is below its level.
    urgency = (BEST - (cities.level + 1 - view.incomes))[owner]
    build = jnp.clip(urgency[:, None] + _BUILD, 0, BEST)
    build = jnp.where(view.stars < _BUILDING_STARS, 0, build)

    def count(is_it: Array) -> Int32[Array, "T"]:
        return (of_city & is_it).sum(axis=1)[owner]

    farms = count(tiles.building == BuildingKind.FARM)
    forests = count(tiles.terrain == Terrain.FOREST)
    huts = count(tiles.building == BuildingKind.LUMBER_HUT)
    burn = 1 + jnp.where(farms < _FEW, farms, 0)
    sub_actions: dict[TileSubAction, Array | int] = {
        TileSubAction.BURN_FOREST: jnp.where(view.stars > 5, burn, 0),
        TileSubAction.CLEAR_FOREST: jnp.where(view.stars == 0, 3, 0),
        TileSubAction.DESTROY: NEVER,
        TileSubAction.GROW_FOREST: jnp.where((forests < _FEW) & (huts < _FEW), 4, 2),
        TileSubAction.GATHER: jnp.clip(urgency, 0, BEST),
        TileSubAction.BUILD_ROAD: _roads(config, view),
    }
    columns = [
        jnp.broadcast_to(sub_actions[sub_action], owner.shape) for sub_action in TileSubAction
    ]
    is_threatened = (of_city & view.enemies).any(axis=1)[owner]
    spawn = jnp.asarray(_SPAWN)[is_threatened.astype(jnp.int32)]
    return jnp.concatenate([build, jnp.stack(columns, axis=1), spawn], axis=1)


def _roads(config: GameConfig, view: TribeView) -> Int32[Array, "T"]:
    """Returns the scores of roads: the first neighbour with a score decides."""
    board, tiles, cities = config.board, view.state.tiles, view.state.cities
    own = tiles_of(tiles, cities_of(cities, view.tribe))
    is_centre = tiles.terrain == Terrain.CITY
    road = grid.unpack(board, tiles.network) & ~is_water(tiles.terrain) & ~is_centre
    is_rich = (view.income > 5) & (view.stars > 4)
    at_home = jnp.where(is_centre, jnp.where(is_rich, 3, 0), jnp.where(road, 3, 0))
    abroad = jnp.where(road, jnp.where(is_rich, 4, 3), 0)
    word = jnp.where(own, at_home, abroad)
    beside = jnp.where(board.neighbours >= 0, word[board.neighbours], 0)  # [T, 8]
    first = jnp.argmax(beside > 0, axis=1)
    return jnp.take_along_axis(beside, first[:, None], axis=1)[:, 0]


def scores_of_tribe(view: TribeView) -> Int32[Array, "27"]:
    """Returns the scores of technologies, level-ups of the growing city, and ending the turn.

    Ending the turn scores more than disbanding and destroying, and less than all other actions.
    """
    city_slot, _ = leveling.city_to_level(view.state)
    level = jnp.minimum(view.state.cities.level[city_slot], LAST_CHOICE_LEVEL).astype(jnp.int32)
    end = jnp.array([NEVER + 1], jnp.int32)
    return jnp.concatenate([jnp.asarray(_RESEARCH), jnp.asarray(_LEVEL_UP)[level - 1], end])
