"""What the tribe to move may do where, as far as it can be seen without looking for ways.

Source: the game's document, section 12. What may be done to a tile follows from one table of
terrain, resource and building, and from what the tribe knows and can pay.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32, UInt32

from jaxgames.tribes.engine import board as boards
from jaxgames.tribes.engine import leveling, pathfinding, research
from jaxgames.tribes.engine.action_table import (
    ABILITIES,
    ATTACKS,
    BESIDE,
    DEEDS,
    GATHER,
    IS_AWAKE,
    IS_FRESH,
    KNOWN_FOR,
    MOVES,
    ROAD,
    TRAINED_BITS,
)
from jaxgames.tribes.engine.actions import ATTACK_REACH, TileDeed, UnitDeed
from jaxgames.tribes.engine.board import TileMask
from jaxgames.tribes.engine.config import (
    Condition,
    Number,
    Setting,
    bit,
    bits_of,
    capacity,
    cities_of,
    integer,
    max_hp,
    tiles_of,
    units_at_home,
)
from jaxgames.tribes.engine.pathfinding import Ground
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import (
    FIRST_MONUMENT,
    NUM_BUILDINGS,
    BuildingKind,
    MonumentState,
)
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import (
    GATHERING,
    NUM_RESOURCES,
    Resource,
    Terrain,
)
from jaxgames.tribes.tables.units import (
    NUM_SPAWNED,
    NUM_STATUSES,
    UPGRADED_WITH,
    UnitKind,
)


class Options(NamedTuple):
    """What may be done where, for all tiles."""

    on_tile: UInt32[Array, "T"]  # buildings and `TileDeed` as bits
    spawns: UInt32[Array, "T"]  # kinds of units as bits
    by_unit: UInt32[Array, "T"]  # `UnitDeed` as bits
    attacks: TileMask  # units that have a target
    moves: TileMask  # units that may move, if there is a way
    targets: TileMask  # visible enemies
    ground: Ground
    levels: Condition  # whether a city must level up
    technologies: UInt32[Array, ""]


def options_of(setting: Setting, state: TribesState) -> Options:
    """Returns what the tribe to move may do, ways of units left open."""
    tribe = state.active.astype(jnp.int32)
    units = state.units
    there = units.kind >= 0
    mine = there & (units.tribe == tribe)
    enemies = there & ~mine
    ground = pathfinding.ground_of(setting, state)
    kind = jnp.maximum(units.kind, 0).astype(jnp.int32)
    abilities = jnp.asarray(ABILITIES)[kind * NUM_STATUSES + units.status]
    abilities = jnp.where(mine, abilities, 0)
    targets = enemies
    if setting.fog:
        targets &= boards.unpack(setting.board, state.tribes.visible[tribe])
    _, levels = leveling.city_to_level(state)
    return Options(
        on_tile=_on_tiles(setting, state, tribe, enemies),
        spawns=_spawns(setting, state, tribe),
        by_unit=_by_units(setting, state, tribe, mine, abilities),
        attacks=have_targets(setting, targets, units.kind) & ((abilities & ATTACKS) > 0),
        moves=(abilities & MOVES) > 0,
        targets=targets,
        ground=ground,
        levels=levels,
        technologies=research.affordable(setting, state),
    )


def _on_tiles(
    setting: Setting, state: TribesState, tribe: Number, enemies: TileMask
) -> UInt32[Array, "T"]:
    board, tiles = setting.board, state.tiles
    row = (tiles.terrain.astype(jnp.int32) * (NUM_RESOURCES + 1) + tiles.resource + 1) * (
        NUM_BUILDINGS + 1
    )
    deeds = jnp.asarray(DEEDS)[row + tiles.building + 1] & _allowed(setting, state, tribe)
    own = tiles_of(tiles, cities_of(state.cities, tribe))
    deeds &= jnp.where(own, jnp.uint32(0xFFFFFFFF), jnp.uint32(ROAD))

    own_or_free = own | (tiles.owner == NO_CITY)
    has_road = boards.unpack(board, tiles.network)
    no_road = has_road | enemies | ~own_or_free
    if setting.fog:
        no_road |= ~boards.unpack(board, state.tribes.visible[tribe])
    forbidden = jnp.where(no_road, jnp.uint32(ROAD), jnp.uint32(0))

    known = state.tribes.technologies[tribe]
    gathered = _gathered(setting, state, tribe, known)
    resource = jnp.where(tiles.resource == Resource.NONE, 31, tiles.resource)
    forbidden |= jnp.where(bit(gathered, resource), jnp.uint32(0), jnp.uint32(GATHER))

    places = jnp.where(tiles.owner == NO_CITY, 31, tiles.owner).astype(jnp.uint32)
    for kind, partner in BESIDE:
        partners = tiles.building == partner
        if setting.clean and kind == BuildingKind.FORGE:
            partners &= own_or_free
        near = boards.grow(board, boards.pack(board, partners))
        has_one = jnp.where(tiles.building == kind, jnp.uint32(1) << places, jnp.uint32(0))
        cities_with = jax.lax.reduce(has_one, jnp.uint32(0), jax.lax.bitwise_or, (0,))
        refused = ~boards.unpack(board, near) | bit(cities_with, places)
        forbidden |= jnp.where(refused, jnp.uint32(1 << kind), jnp.uint32(0))
    return deeds & ~forbidden


def _allowed(setting: Setting, state: TribesState, tribe: Number) -> UInt32[Array, ""]:
    """Returns the deeds that the tribe knows and can pay, as bits."""
    p = setting.p
    stars = integer(state.tribes.stars, tribe)
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
            jnp.ones((len(TileDeed),), bool),
        ]
    )
    return bits_of(fits)


def _gathered(
    setting: Setting, state: TribesState, tribe: Number, known: UInt32[Array, ""]
) -> UInt32[Array, ""]:
    """Returns the resources that the tribe can gather, as bits."""
    can_pay = state.tribes.stars[tribe] >= setting.p.gather_cost
    result = jnp.uint32(0)
    for resource, technology in GATHERING.items():
        fits = bit(known, int(technology)) & (can_pay | (resource == Resource.WHALES))
        result |= jnp.where(fits, jnp.uint32(1 << resource), jnp.uint32(0))
    return result


def _spawns(setting: Setting, state: TribesState, tribe: Number) -> UInt32[Array, "T"]:
    """Returns the units that can be trained on each tile, as bits."""
    known = state.tribes.technologies[tribe]
    price = jnp.asarray(setting.p.unit_cost)[:NUM_SPAWNED]
    kinds = bits_of((price <= state.tribes.stars[tribe]) & ((known & TRAINED_BITS) == TRAINED_BITS))
    cities = state.cities
    open_ = (cities.tribe == tribe) & (units_at_home(state) < capacity(cities))
    tile = state.tiles
    is_open = (tile.terrain == Terrain.CITY) & tiles_of(tile, bits_of(open_))
    return jnp.where(is_open & (state.units.kind < 0), kinds, jnp.uint32(0))


def _by_units(
    setting: Setting,
    state: TribesState,
    tribe: Number,
    mine: TileMask,
    abilities: Array,
) -> UInt32[Array, "T"]:
    """Returns the `UnitDeed`s of the unit on each tile, as bits."""
    p, board = setting.p, setting.board
    units, tiles, cities = state.units, state.tiles, state.cities
    known = state.tribes.technologies[tribe]
    stars = state.tribes.stars[tribe]
    own_cities = cities_of(cities, tribe)
    fresh = (abilities & IS_FRESH) > 0
    foreign = (tiles.terrain == Terrain.CITY) & ~tiles_of(tiles, own_cities)
    on_ruins = (tiles.resource == Resource.RUINS) & (own_cities != 0)
    full = max_hp(units, p)
    harmed = mine & (units.hp > 0) & (units.hp < full)
    beside_harmed = boards.beside(board, harmed)
    mends = (units.kind == UnitKind.MIND_BENDER) & ((abilities & ATTACKS) > 0)
    price = jnp.asarray(p.unit_cost)
    upgrades = jnp.bool_(False)
    for kind, technology in UPGRADED_WITH.items():
        pays = bit(known, int(technology)) & (stars >= price[kind + 1])
        upgrades |= (units.kind == kind) & pays
    may = {
        UnitDeed.CAPTURE: fresh & ((tiles.terrain == Terrain.VILLAGE) | foreign),
        UnitDeed.DISBAND: fresh & bit(known, int(Technology.FREE_SPIRIT)),
        UnitDeed.EXAMINE: fresh & on_ruins,
        UnitDeed.HEAL_OTHERS: mends & beside_harmed,
        UnitDeed.MAKE_VETERAN: ((abilities & IS_AWAKE) > 0)
        & (units.kills >= p.veteran_kills)
        & ~units.veteran
        & (units.kind != UnitKind.SUPERUNIT),
        UnitDeed.RECOVER: fresh & harmed,
        UnitDeed.UPGRADE: mine & upgrades,
    }
    result = jnp.zeros((board.tiles,), jnp.uint32)
    for deed, condition in may.items():
        result |= jnp.where(condition, jnp.uint32(1 << deed), jnp.uint32(0))
    return result


def have_targets(setting: Setting, targets: TileMask, kinds: Int8[Array, "T"]) -> TileMask:
    """Returns whether the unit on each tile, if there is one, has a target within its range.

    Mind benders convert theirs. Three sets that grow cost less than `target_counts`.
    """
    reach = jnp.asarray(setting.p.unit_range)[jnp.maximum(kinds, 0).astype(jnp.int32)]
    near, result = boards.pack(setting.board, targets), jnp.zeros_like(targets)
    for distance in range(1, ATTACK_REACH + 1):
        near = boards.grow(setting.board, near)
        result |= boards.unpack(setting.board, near) & (reach == distance)
    return result


def target_counts(
    setting: Setting, targets: TileMask, kinds: Int8[Array, "T"]
) -> Int32[Array, "T"]:
    """Returns how many targets are within the range of the unit on each tile, if there is one."""
    reach = jnp.asarray(setting.p.unit_range)[jnp.maximum(kinds, 0).astype(jnp.int32)]
    rows = boards.pack(setting.board, targets)
    return boards.count_around(setting.board, rows, reach, most=ATTACK_REACH)
