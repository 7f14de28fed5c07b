"""What the tribe to move may do.

Source: the game's document, section 12. What may be done to a tile without looking further follows
from one table of terrain, resource and building, and from what the tribe knows and can pay.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, UInt16, UInt32

from jaxgames.lanes import where_items_needed, where_needed
from jaxgames.tribes import board as boards
from jaxgames.tribes import leveling, movement, research
from jaxgames.tribes.actions import (
    ATTACK_OFFSETS,
    NUM_LEVEL_UPS,
    NUM_MOVES,
    TileDeed,
    UnitDeed,
    num_actions,
)
from jaxgames.tribes.board import TileMask
from jaxgames.tribes.movement import Ground
from jaxgames.tribes.setting import (
    Condition,
    Number,
    Setting,
    bit,
    bits_of,
    capacity,
    cities_of,
    integer,
    is_water_unit,
    max_hp,
    tiles_of,
    units_at_home,
)
from jaxgames.tribes.state import NO_CITY, Phase, TribesState
from jaxgames.tribes.tables.buildings import (
    FIRST_MONUMENT,
    NUM_BUILDINGS,
    BuildingKind,
    MonumentState,
)
from jaxgames.tribes.tables.deeds import (
    ABILITIES,
    ATTACKS,
    BESIDE,
    DEEDS,
    GATHER,
    IS_AWAKE,
    IS_FRESH,
    KNOWN_FOR,
    MOVES,
    NUM_TILE_DEEDS,
    ROAD,
    TRAINED_BITS,
)
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES, Technology
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
    ground = movement.ground_of(setting, state)
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
        attacks=_attacks(setting, units.kind, abilities, targets),
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


def _attacks(setting: Setting, kind: Array, abilities: Array, targets: TileMask) -> TileMask:
    """Returns the units that have a target within their range; menders convert it."""
    board = setting.board
    reach = jnp.asarray(setting.p.unit_range)[jnp.maximum(kind, 0).astype(jnp.int32)]
    near = boards.pack(board, targets)
    result = jnp.zeros((board.tiles,), bool)
    for distance in (1, 2, 3):
        near = boards.grow(board, near)
        result |= boards.unpack(board, near) & (reach == distance)
    return result & ((abilities & ATTACKS) > 0)


def sources(setting: Setting, state: TribesState, options: Options) -> TileMask:
    """Returns the tiles with at least one legal deed."""
    simple = (options.on_tile | options.spawns | options.by_unit) != 0
    return simple | options.attacks | _can_leave(setting, state, options)


def _can_leave(setting: Setting, state: TribesState, options: Options) -> TileMask:
    """Returns the units that can move somewhere.

    A free tile beside a unit can always be reached if it may be stepped on. Only a unit that is
    closed in by its own tribe must look further.
    """
    ground, kind = options.ground, state.units.kind
    on_land = boards.beside(setting.board, ground.for_land & ~ground.taken)
    on_water = boards.beside(setting.board, ground.for_water & ~ground.taken)
    no_centre = ground.for_land & ~ground.taken & ~ground.foreign_centre
    for_bender = boards.beside(setting.board, no_centre)
    at_once = jnp.where(
        is_water_unit(kind),
        on_water,
        jnp.where(kind == UnitKind.MIND_BENDER, for_bender, on_land),
    )
    leaves = options.moves & at_once
    through = boards.beside(setting.board, ground.for_land & ground.taken) | boards.beside(
        setting.board, ground.for_water & ground.taken
    )
    in_doubt = options.moves & ~at_once & through
    return where_needed(
        in_doubt.any(),
        lambda *arguments: _look_further(setting, *arguments),
        leaves,
        leaves,
        in_doubt,
        movement.packed(ground),
        kind,
    )


def _look_further(
    setting: Setting,
    leaves: TileMask,
    in_doubt: TileMask,
    ground: UInt16[Array, "T"],
    kind: Array,
) -> TileMask:
    def goes_on(carry: tuple[TileMask, TileMask]) -> Condition:
        return carry[1].any()

    def look(carry: tuple[TileMask, TileMask]) -> tuple[TileMask, TileMask]:
        leaves, waiting = carry
        tile = jnp.argmax(waiting).astype(jnp.int32)
        ways = movement.destinations(setting, ground, tile, kind[tile].astype(jnp.int32))
        is_it = jnp.arange(leaves.shape[0]) == tile
        return leaves | (is_it & ways.any()), waiting & ~is_it

    return jax.lax.while_loop(goes_on, look, (leaves, in_doubt))[0]


def deeds(
    setting: Setting, state: TribesState, options: Options, tile: Number
) -> Bool[Array, "256"]:
    """Returns the legal deeds on a tile; a city that must level up is not looked at."""
    moves = where_needed(
        options.moves[tile],
        lambda *arguments: _moves(setting, *arguments),
        jnp.zeros((NUM_MOVES,), bool),
        tile,
        movement.packed(options.ground),
        state.units.kind,
        share=1 / 4,
    )
    return _deeds(setting, options, tile, state.units.kind[tile], moves)


def _moves(
    setting: Setting, tile: Number, ground: UInt16[Array, "T"], kinds: Int8[Array, "T"]
) -> Bool[Array, "168"]:
    return movement.destinations(setting, ground, tile, kinds[tile].astype(jnp.int32))


def _deeds(
    setting: Setting, options: Options, tile: Number, kind: Number, moves: Bool[Array, "168"]
) -> Bool[Array, "256"]:
    """Returns the legal deeds on a tile, those of the kind of unit there among them."""
    targets = targets_from(setting, options.targets, tile, kind)
    parts = {
        "move": moves,
        "attack": targets & options.attacks[tile],
        "unit": _as_mask(options.by_unit[tile], len(UnitDeed)),
        "tile": _as_mask(options.on_tile[tile], NUM_TILE_DEEDS),
        "spawn": _as_mask(options.spawns[tile], NUM_SPAWNED),
    }
    return jnp.concatenate(list(parts.values()))


def _as_mask(word: UInt32[Array, ""], size: int) -> Bool[Array, "size"]:
    return bit(word, np.arange(size))


def targets_from(
    setting: Setting, targets: TileMask, tile: Number, kind: Number
) -> Bool[Array, "48"]:
    """Returns the targets within the range of a kind of unit on a tile."""
    side = setting.board.side
    x, y = tile // side + ATTACK_OFFSETS[:, 0], tile % side + ATTACK_OFFSETS[:, 1]
    inside = (x >= 0) & (x < side) & (y >= 0) & (y < side)
    reach = jnp.asarray(setting.p.unit_range)[jnp.maximum(kind, 0)]
    near = np.abs(ATTACK_OFFSETS).max(axis=1) <= reach
    there = targets[jnp.where(inside, x * side + y, 0)]
    return inside & near & there


def globals_(state: TribesState, options: Options) -> Bool[Array, "27"]:
    """Returns the legal actions of the whole tribe."""
    return jnp.concatenate(
        [
            _as_mask(options.technologies, NUM_TECHNOLOGIES) & ~options.levels,
            jnp.repeat(options.levels, NUM_LEVEL_UPS),
            ~options.levels[None],
        ]
    )


def legal_actions(setting: Setting, state: TribesState) -> Bool[Array, "actions"]:
    """Returns the mask of legal actions of the phase that is due."""
    options = options_of(setting, state)
    size = num_actions(setting.board.tiles)
    chooses_tile = state.phase == Phase.SOURCE
    tile = jnp.clip(state.selected.astype(jnp.int32), 0, setting.board.tiles - 1)
    first = jnp.concatenate(
        [sources(setting, state, options) & ~options.levels, globals_(state, options)]
    )
    second = deeds(setting, state, options, tile)
    mask = jnp.where(chooses_tile, _padded(first, size), _padded(second, size))
    return mask & ~state.over


def _padded(mask: Bool[Array, "some"], size: int) -> Bool[Array, "size"]:
    return jnp.pad(mask, (0, size - mask.shape[0]))


def legal_pairs(
    setting: Setting, state: TribesState
) -> tuple[Bool[Array, "T 256"], Bool[Array, "27"]]:
    """Returns all legal pairs of a tile and a deed, and the legal actions of the whole tribe.

    This is the whole legal set in one view, whatever the phase.
    """
    options = options_of(setting, state)
    kinds = state.units.kind
    tiles = jnp.arange(setting.board.tiles, dtype=jnp.int32)
    moves = where_items_needed(
        options.moves,
        lambda *arguments: _moves(setting, *arguments),
        jnp.zeros((setting.board.tiles, NUM_MOVES), bool),
        movement.packed(options.ground),
        kinds,
        share=1 / 64,
    )
    of_tile = functools.partial(_deeds, setting, options)
    pairs = jax.vmap(of_tile)(tiles, kinds, moves)
    return pairs & ~options.levels & ~state.over, globals_(state, options) & ~state.over
