"""Candidate actions of the tribe to move on each tile, before the search for paths of units.

Source: the game's document, section 12. One table says what may be done to a tile of some terrain,
resource and building. The technologies and the stars of the tribe restrict it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32, UInt32

from jaxgames.batching.arrays import as_bits, as_int, has_bit
from jaxgames.tribes.engine import grid, leveling, pathfinding, research
from jaxgames.tribes.engine.actions import ATTACK_REACH
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.grid import TileMask
from jaxgames.tribes.engine.pathfinding import Ground
from jaxgames.tribes.engine.queries import capacity, cities_of, max_hp, tiles_of, units_at_home
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import (
    FIRST_MONUMENT,
    NUM_BUILDINGS,
    BuildingKind,
    MonumentState,
)
from jaxgames.tribes.tables.sub_actions import (
    ABILITIES,
    ATTACKS,
    BESIDE,
    DISBANDED_WITH,
    GATHER,
    IS_AWAKE,
    IS_FRESH,
    KNOWN_FOR,
    MOVES,
    ROAD,
    TILE_SUB_ACTIONS,
    TRAINED_BITS,
    TileSubAction,
    UnitSubAction,
)
from jaxgames.tribes.tables.terrain import GATHERING, NUM_RESOURCES, Resource, Terrain
from jaxgames.tribes.tables.units import NUM_SPAWNED, NUM_STATUSES, UPGRADED_WITH, UnitKind


class CandidateMoves(NamedTuple):
    """Candidate actions on each tile and of the whole tribe."""

    on_tile: UInt32[Array, "T"]  # buildings and `TileSubAction` as bits
    spawns: UInt32[Array, "T"]  # kinds of units as bits
    by_unit: UInt32[Array, "T"]  # `UnitSubAction` as bits
    attacks: TileMask  # units that have a target
    moves: TileMask  # units that may move, if there is a path
    targets: TileMask  # visible enemies
    ground: Ground
    levels: Condition  # whether a city must level up
    technologies: UInt32[Array, ""]


def candidates_of(config: GameConfig, state: TribesState) -> CandidateMoves:
    """Returns the candidate actions of the tribe to move; paths of units are not searched."""
    tribe = state.active.astype(jnp.int32)
    units = state.units
    there = units.kind >= 0
    mine = there & (units.tribe == tribe)
    enemies = there & ~mine
    ground = pathfinding.ground_of(config, state)
    kind = jnp.maximum(units.kind, 0).astype(jnp.int32)
    abilities = jnp.asarray(ABILITIES)[kind * NUM_STATUSES + units.status]
    abilities = jnp.where(mine, abilities, 0)
    targets = enemies
    if config.fog:
        targets &= grid.unpack(config.board, state.tribes.visible[tribe])
    _, levels = leveling.city_to_level(state)
    return CandidateMoves(
        on_tile=_on_tiles(config, state, tribe, enemies),
        spawns=_spawns(config, state, tribe),
        by_unit=_by_units(config, state, tribe, mine, abilities),
        attacks=have_targets(config, targets, units.kind) & ((abilities & ATTACKS) > 0),
        moves=(abilities & MOVES) > 0,
        targets=targets,
        ground=ground,
        levels=levels,
        technologies=research.affordable(config, state),
    )


def _on_tiles(
    config: GameConfig, state: TribesState, tribe: Number, enemies: TileMask
) -> UInt32[Array, "T"]:
    board, tiles = config.board, state.tiles
    row = (tiles.terrain.astype(jnp.int32) * (NUM_RESOURCES + 1) + tiles.resource + 1) * (
        NUM_BUILDINGS + 1
    )
    sub_actions = jnp.asarray(TILE_SUB_ACTIONS)[row + tiles.building + 1] & _allowed(
        config, state, tribe
    )
    own = tiles_of(tiles, cities_of(state.cities, tribe))
    sub_actions &= jnp.where(own, jnp.uint32(0xFFFFFFFF), jnp.uint32(ROAD))

    own_or_free = own | (tiles.owner == NO_CITY)
    has_road = grid.unpack(board, tiles.network)
    no_road = has_road | enemies | ~own_or_free
    if config.fog:
        no_road |= ~grid.unpack(board, state.tribes.visible[tribe])
    forbidden = jnp.where(no_road, jnp.uint32(ROAD), jnp.uint32(0))

    known = state.tribes.technologies[tribe]
    gathered = _gathered(config, state, tribe, known)
    resource = jnp.where(tiles.resource == Resource.NONE, 31, tiles.resource)
    forbidden |= jnp.where(has_bit(gathered, resource), jnp.uint32(0), jnp.uint32(GATHER))

    city_slots = jnp.where(tiles.owner == NO_CITY, 31, tiles.owner).astype(jnp.uint32)
    for kind, partner in BESIDE:
        partners = tiles.building == partner
        if config.corrected_rules and kind == BuildingKind.FORGE:
            partners &= own_or_free
        near = grid.grow(board, grid.pack(board, partners))
        has_one = jnp.where(tiles.building == kind, jnp.uint32(1) << city_slots, jnp.uint32(0))
        cities_with = jax.lax.reduce(has_one, jnp.uint32(0), jax.lax.bitwise_or, (0,))
        refused = ~grid.unpack(board, near) | has_bit(cities_with, city_slots)
        forbidden |= jnp.where(refused, jnp.uint32(1 << kind), jnp.uint32(0))
    return sub_actions & ~forbidden


def _allowed(config: GameConfig, state: TribesState, tribe: Number) -> UInt32[Array, ""]:
    """Returns the sub-actions that the tribe knows and can pay, as bits."""
    p = config.p
    stars = as_int(state.tribes.stars, tribe)
    known = state.tribes.technologies[tribe]
    prices = jnp.concatenate(
        [
            jnp.asarray(p.building_cost),
            jnp.stack(
                [
                    jnp.asarray(price, jnp.int32)
                    for price in (p.burn_cost, 0, 0, p.grow_cost, 0, p.road_cost)
                ]
            ),
        ]
    )
    fits = (prices <= stars) & ((known & KNOWN_FOR) == KNOWN_FOR)
    monuments = state.tribes.monuments[tribe] == MonumentState.AVAILABLE
    fits &= jnp.concatenate(
        [
            jnp.ones((FIRST_MONUMENT,), bool),
            monuments,
            jnp.ones((len(TileSubAction),), bool),
        ]
    )
    return as_bits(fits)


def _gathered(
    config: GameConfig, state: TribesState, tribe: Number, known: UInt32[Array, ""]
) -> UInt32[Array, ""]:
    """Returns the resources that the tribe can gather, as bits."""
    can_pay = state.tribes.stars[tribe] >= config.p.gather_cost
    result = jnp.uint32(0)
    for resource, technology in GATHERING.items():
        fits = has_bit(known, int(technology)) & (can_pay | (resource == Resource.WHALES))
        result |= jnp.where(fits, jnp.uint32(1 << resource), jnp.uint32(0))
    return result


def _spawns(config: GameConfig, state: TribesState, tribe: Number) -> UInt32[Array, "T"]:
    """Returns the units that can be trained on each tile, as bits."""
    known = state.tribes.technologies[tribe]
    price = jnp.asarray(config.p.unit_cost)[:NUM_SPAWNED]
    kinds = as_bits((price <= state.tribes.stars[tribe]) & ((known & TRAINED_BITS) == TRAINED_BITS))
    cities = state.cities
    open_ = (cities.tribe == tribe) & (units_at_home(state) < capacity(cities))
    tile = state.tiles
    is_open = (tile.terrain == Terrain.CITY) & tiles_of(tile, as_bits(open_))
    return jnp.where(is_open & (state.units.kind < 0), kinds, jnp.uint32(0))


def _by_units(
    config: GameConfig,
    state: TribesState,
    tribe: Number,
    mine: TileMask,
    abilities: Array,
) -> UInt32[Array, "T"]:
    """Returns the `UnitSubAction`s of the unit on each tile, as bits."""
    p, board = config.p, config.board
    units, tiles, cities = state.units, state.tiles, state.cities
    known = state.tribes.technologies[tribe]
    stars = state.tribes.stars[tribe]
    own_cities = cities_of(cities, tribe)
    fresh = (abilities & IS_FRESH) > 0
    foreign = (tiles.terrain == Terrain.CITY) & ~tiles_of(tiles, own_cities)
    on_ruins = (tiles.resource == Resource.RUINS) & (own_cities != 0)
    full = max_hp(units, p)
    harmed = mine & (units.hp > 0) & (units.hp < full)
    beside_harmed = grid.beside(board, harmed)
    mends = (units.kind == UnitKind.MIND_BENDER) & ((abilities & ATTACKS) > 0)
    price = jnp.asarray(p.unit_cost)
    upgrades = jnp.bool_(False)
    for kind, technology in UPGRADED_WITH.items():
        pays = has_bit(known, int(technology)) & (stars >= price[kind + 1])
        upgrades |= (units.kind == kind) & pays
    may = {
        UnitSubAction.CAPTURE: fresh & ((tiles.terrain == Terrain.VILLAGE) | foreign),
        UnitSubAction.DISBAND: fresh & has_bit(known, int(DISBANDED_WITH)),
        UnitSubAction.EXAMINE: fresh & on_ruins,
        UnitSubAction.HEAL_OTHERS: mends & beside_harmed,
        UnitSubAction.MAKE_VETERAN: ((abilities & IS_AWAKE) > 0)
        & (units.kills >= p.veteran_kills)
        & ~units.veteran
        & (units.kind != UnitKind.SUPERUNIT),
        UnitSubAction.RECOVER: fresh & harmed,
        UnitSubAction.UPGRADE: mine & upgrades,
    }
    result = jnp.zeros((board.tiles,), jnp.uint32)
    for sub_action, condition in may.items():
        result |= jnp.where(condition, jnp.uint32(1 << sub_action), jnp.uint32(0))
    return result


def have_targets(config: GameConfig, targets: TileMask, kinds: Int8[Array, "T"]) -> TileMask:
    """Returns a mask of the tiles whose unit has a target within its range.

    A tile without a unit may be set too. A mind bender converts its target. Growing the set of
    targets three times costs less than `target_counts`.
    """
    reach = jnp.asarray(config.p.unit_range)[jnp.maximum(kinds, 0).astype(jnp.int32)]
    near, result = grid.pack(config.board, targets), jnp.zeros_like(targets)
    for distance in range(1, ATTACK_REACH + 1):
        near = grid.grow(config.board, near)
        result |= grid.unpack(config.board, near) & (reach == distance)
    return result


def target_counts(
    config: GameConfig, targets: TileMask, kinds: Int8[Array, "T"]
) -> Int32[Array, "T"]:
    """Returns the number of targets within the range of the unit on each tile.

    The number for a tile without a unit has no meaning.
    """
    reach = jnp.asarray(config.p.unit_range)[jnp.maximum(kinds, 0).astype(jnp.int32)]
    rows = grid.pack(config.board, targets)
    return grid.count_around(config.board, rows, reach, most=ATTACK_REACH)
