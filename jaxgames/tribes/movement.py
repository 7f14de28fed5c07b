"""Where a unit can go, and going there: by its own move, by advancing, by being pushed.

Source: the game's document, section 9.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, UInt16

from jaxgames.lanes import over_flat_batch
from jaxgames.trees import choose
from jaxgames.tribes import board as boards
from jaxgames.tribes import units, vision
from jaxgames.tribes.actions import MOVE_OFFSETS, MOVE_REACH
from jaxgames.tribes.board import TileMask
from jaxgames.tribes.chance import Chance
from jaxgames.tribes.setting import (
    Condition,
    Number,
    Setting,
    can_enter,
    cities_of,
    integer,
    is_water,
    is_water_unit,
    knows,
    tiles_of,
)
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import AFTER_MOVE, Status, UnitKind
from jaxgames.tribes.units import Unit

# Costs are counted in eighths of a step: roads halve them up to three times.
STEP = 8
MIN_ROAD_STEP = STEP // 2
FAR = 100
MAX_STEPS = 7  # of the longest way; seven in a row have no number among the actions
# The neighbourhood of a unit, in rows of 13 tiles and one that nobody enters, as one vector: steps
# in all eight directions are then slices of it.
_WIDTH = 2 * MOVE_REACH + 2
_CELLS = _WIDTH * (2 * MOVE_REACH + 1)
_MARGIN = _WIDTH + 1
_CENTRE = _WIDTH * MOVE_REACH + MOVE_REACH
_ROW, _COLUMN = np.divmod(np.arange(_CELLS), _WIDTH)
_IS_INSIDE = _COLUMN < _WIDTH - 1
_VECTOR = 32  # units at once for which a CPU has whole vectors; for 16 it takes twice the time
_MOVE_CELLS = (MOVE_OFFSETS[:, 0] + MOVE_REACH) * _WIDTH + MOVE_OFFSETS[:, 1] + MOVE_REACH
_NUM_AROUND = 9  # a tile and its neighbours, as in `Board.around`
_NOT_BESIDE = _NUM_AROUND
_MOVE_BESIDE = np.where(
    np.abs(MOVE_OFFSETS).max(axis=1) == 1, (MOVE_OFFSETS + 1) @ np.array([3, 1]), _NOT_BESIDE
)


class Ground(NamedTuple):
    """What decides the moves of a tribe's units, for all tiles."""

    for_land: TileMask  # where land units may step
    for_water: TileMask  # where water units may step
    foreign_centre: TileMask  # closed to mind benders
    stops_land: TileMask  # where a step takes all that is left
    stops_water: TileMask
    watched: TileMask  # beside an enemy
    road_start: TileMask
    road_end: TileMask
    taken: TileMask  # where any unit stands


class Way(NamedTuple):
    """The ground around a unit as it finds it; leading axes are those of several units."""

    is_open: Bool[Array, "*N cells"]  # where it may step
    stops: Bool[Array, "*N cells"]  # where a step takes all that is left
    watched: Bool[Array, "*N cells"]  # beside an enemy
    road_start: Bool[Array, "*N cells"]
    road_end: Bool[Array, "*N cells"]


def ground_of(setting: Setting, state: TribesState) -> Ground:
    """Returns the ground as the tribe to move finds it."""
    board, tiles, tribe = setting.board, state.tiles, state.active.astype(jnp.int32)
    terrain = tiles.terrain
    taken = state.units.kind >= 0
    enemies = taken & (state.units.tribe != tribe)
    own = tiles_of(tiles, cities_of(state.cities, tribe))
    free = tiles.owner == NO_CITY
    water = is_water(terrain)
    centre = terrain == Terrain.CITY
    road = boards.unpack(board, tiles.network) & ~water & ~centre
    port = tiles.building == BuildingKind.PORT
    if setting.clean:
        port &= own | free
    may_enter = can_enter(state.tribes.technologies[tribe], terrain) & ~enemies
    if setting.fog:
        may_enter &= boards.unpack(board, state.tribes.visible[tribe])
    road_end = road | centre
    return Ground(
        for_land=may_enter & (~water | port),
        for_water=may_enter,
        foreign_centre=centre & ~own,
        stops_land=water | (terrain == Terrain.FOREST) | (terrain == Terrain.MOUNTAIN),
        # What a planner has not seen is open sea to those who sail.
        stops_water=~water & (terrain != Terrain.FOG),
        watched=boards.unpack(board, boards.grow(board, boards.pack(board, enemies))),
        road_start=road_end & (own | free),
        road_end=road_end & (own | free) if setting.clean else road_end,
        taken=taken,
    )


def packed(ground: Ground) -> UInt16[Array, "T"]:
    """Returns the ground as one word for each tile; bit `n` is field `n`."""
    flags = (mask.astype(jnp.uint16) << n for n, mask in enumerate(ground))
    return functools.reduce(jnp.bitwise_or, flags)


def unpacked(words: UInt16[Array, "*cells"]) -> Ground:
    """Returns the ground of some tiles from their words."""
    return Ground(*(bit_of(words, n) for n in range(len(Ground._fields))))


def open_to(ground: Ground, kind: Number) -> TileMask:
    """Returns where a kind of unit may step."""
    is_bender = kind == UnitKind.MIND_BENDER
    on_land = ground.for_land & ~(ground.foreign_centre & is_bender)
    return jnp.where(is_water_unit(kind), ground.for_water, on_land)


def destinations(
    setting: Setting, tile: Number, ground: UInt16[Array, "T"], kinds: Int8[Array, "T"]
) -> Bool[Array, "168"]:
    """Returns which moves the unit on a tile can make, whatever its status, on packed ground."""
    board, kind = setting.board, kinds[tile].astype(jnp.int32)
    x = tile // board.side + _ROW - MOVE_REACH
    y = tile % board.side + _COLUMN - MOVE_REACH
    inside = _IS_INSIDE & (x >= 0) & (x < board.side) & (y >= 0) & (y < board.side)
    around = unpacked(jnp.where(inside, ground[jnp.where(inside, x * board.side + y, 0)], 0))
    on_water = is_water_unit(kind)
    way = Way(
        is_open=open_to(around, kind),
        stops=jnp.where(on_water, around.stops_water, around.stops_land),
        watched=around.watched,
        road_start=around.road_start & ~on_water,
        road_end=around.road_end & ~on_water,
    )
    limit = (jnp.asarray(setting.p.unit_movement)[kind] * STEP).astype(jnp.int8)
    reached = over_flat_batch(_reached)(limit, way)
    return (reached & ~around.taken)[_MOVE_CELLS]


def one_step(
    setting: Setting, tile: Number, ground: UInt16[Array, "T"], kinds: Int8[Array, "T"]
) -> tuple[Bool[Array, "168"], Condition]:
    """Returns the moves of one step of the unit on a tile, and whether it has no others.

    It has none if its movement is one step, unless it finds a road: `destinations` looks for ways,
    which takes many times longer.
    """
    kind = kinds[tile].astype(jnp.int32)
    beside = jnp.asarray(setting.board.around)[tile]
    words = jnp.where(beside >= 0, ground[jnp.maximum(beside, 0)], 0)
    around = unpacked(words)
    is_neighbour = np.arange(_NUM_AROUND) != _NUM_AROUND // 2
    on_road = unpacked(ground[tile]).road_start & (_leads_on(around) & is_neighbour).any()
    moves = jnp.pad(open_to(around, kind) & ~around.taken, (0, 1))[_MOVE_BESIDE]
    return moves, _goes_one_step(setting, kind, on_road)


def one_step_counts(
    setting: Setting, ground: Ground, kinds: Int8[Array, "T"]
) -> tuple[Int32[Array, "T"], TileMask]:
    """Returns for all tiles how many moves of one step there are, and whether there are no others.

    Where no unit stands, any numbers.
    """
    board, kind = setting.board, kinds.astype(jnp.int32)

    def free(mask: TileMask) -> Int32[Array, "T"]:
        return boards.count_around(board, boards.pack(board, mask & ~ground.taken), 1, most=1)

    on_land = jnp.where(
        kind == UnitKind.MIND_BENDER,
        free(ground.for_land & ~ground.foreign_centre),
        free(ground.for_land),
    )
    on_road = ground.road_start & boards.beside(board, _leads_on(ground))
    counts = jnp.where(is_water_unit(kind), free(ground.for_water), on_land)
    return counts, _goes_one_step(setting, kind, on_road)


def _leads_on(ground: Ground) -> TileMask:
    """Returns where a land unit that comes by road may have a part of its step left."""
    return ground.for_land & ground.road_end & ~ground.watched


def _goes_one_step(setting: Setting, kind: Array, on_road: Array) -> Array:
    has_one = jnp.asarray(setting.p.unit_movement)[kind] == 1
    return has_one & (is_water_unit(kind) | ~on_road)


def bit_of(word: Array, number: int) -> Array:
    """Returns one bit of small words as booleans."""
    return (word & (1 << number)) != 0


def _reached(limit: Int8[Array, "N"], way: Way) -> Bool[Array, "N cells"]:
    """Returns the cells that units with some movement can reach over the ground around them.

    A step costs `STEP`, or all that is left where it stops; half of it, and no less than half a
    step, on roads. A step beside an enemy always takes all that is left. Other steps may exceed
    the limit by less than a whole one.

    The cells are the leading axis in here: a step aside is then a slice of whole rows of units,
    which is several times faster on a CPU than slices within rows.
    """
    num_units = len(limit)
    missing = -num_units % _VECTOR
    limit = jnp.pad(limit, (0, missing))
    masks = (jnp.pad(mask.T, ((0, 0), (0, missing))) for mask in way)
    is_open, stops, watched, road_start, road_end = masks
    far = jnp.int8(FAR)
    is_centre = (np.arange(_CELLS) == _CENTRE)[:, None]
    start = jnp.where(is_centre, jnp.zeros_like(limit), far)

    def relax(cost: Array, is_last: Array) -> Array:
        # A way may end a fraction above the limit, and go on from there; exactly at it, it ends.
        # There is one such step at most. It comes last, when no tile can be reached for less.
        goes_on = (cost < limit) | (is_last & (cost > limit) & (cost < far))
        rest = jnp.where(cost < limit, limit - cost, limit)
        halved = jnp.maximum(rest >> 1, MIN_ROAD_STEP).astype(jnp.int8)
        plain = jnp.where(goes_on, cost + STEP, far)
        plain_by_road = jnp.where(goes_on & road_start, cost + MIN_ROAD_STEP, plain)
        stop = jnp.where(goes_on, cost + rest, far)
        stop_by_road = jnp.where(goes_on & road_start, cost + halved, stop)
        least_plain, least_plain_by_road = _least_beside(plain), _least_beside(plain_by_road)
        least_stop, least_stop_by_road = _least_beside(stop), _least_beside(stop_by_road)
        free = jnp.where(road_end, least_plain_by_road, least_plain)
        stopped = jnp.where(road_end, least_stop_by_road, least_stop)
        arrival = jnp.where(watched, least_stop, jnp.where(stops, stopped, free))
        admitted = is_open & (arrival < jnp.where(watched, limit + 1, limit + STEP))
        return jnp.minimum(cost, jnp.where(admitted, arrival, far))

    def step(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        number, is_last, cost = carry
        less = relax(cost, is_last)
        # Most units have gone as far as they can after a step or two.
        can_go_on = ((less < cost) & (less < limit)).any()
        exceeds = ((less > limit) & (less < far)).any()
        is_done = is_last | ~(can_go_on | exceeds)
        number = jnp.where(is_done, MAX_STEPS, number + 1)
        return number, ~can_go_on | (number == MAX_STEPS - 1), less

    first = jnp.int32(0), jnp.bool_(False), start
    cost = jax.lax.while_loop(lambda carry: carry[0] < MAX_STEPS, step, first)[2]
    return ((cost < far) & ~is_centre)[:, :num_units].T


def _least_beside(values: Int8[Array, "cells N"]) -> Int8[Array, "cells N"]:
    """Returns the least of each cell and its eight neighbours."""
    padded = jnp.pad(values, ((_MARGIN, _MARGIN), (0, 0)), constant_values=FAR)
    size = len(padded)
    row = jnp.minimum(jnp.minimum(padded[: size - 2], padded[1 : size - 1]), padded[2:])
    wide = len(row) - 2 * _WIDTH
    return jnp.minimum(jnp.minimum(row[:wide], row[_WIDTH : _WIDTH + wide]), row[2 * _WIDTH :])


def move(
    setting: Setting,
    state: TribesState,
    start: Number,
    end: Number,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    """Returns the state after an own unit has gone from one tile to another, if `when`."""
    unit = units.unit_on(state.units, start)
    status = jnp.asarray(AFTER_MOVE)[jnp.maximum(unit.kind, 0), unit.status].astype(jnp.int32)
    lands = is_water_unit(unit.kind) & ~is_water(state.tiles.terrain[end])
    boards_ship = ~is_water_unit(unit.kind) & (state.tiles.building[end] == BuildingKind.PORT)
    moved = unit._replace(status=status)
    joined = state.counter.astype(jnp.int32)
    landed = choose(lands, units.disembarked(moved, joined), moved)
    formed = choose(boards_ship, units.embarked(moved, joined), landed)
    always = jnp.bool_(True)
    return _go(setting, state, start, end, moved, formed, boards_ship | lands, chance, when, always)


def _go(
    setting: Setting,
    state: TribesState,
    start: Number,
    end: Number,
    unit: Unit,
    formed: Unit,
    changes: Condition,
    chance: Chance,
    when: Condition,
    looks: Condition,
) -> tuple[TribesState, Chance]:
    """Puts a unit on another tile, if `when`; there it may look around, and may change its form.

    Args:
        setting: options of the game.
        state: a position.
        start: tile that the unit leaves.
        end: tile where it goes.
        unit: as what it arrives and looks around.
        formed: what it then is.
        changes: whether that is another form, which is new in the list of its city.
        chance: for what it may learn from those whom it meets.
        when: nothing happens otherwise.
        looks: whether it looks around.
    """
    left = units.remove(state.units, start, when)
    radius = vision.radius_of(integer(state.tiles.terrain, end), unit.kind)
    state = state.replace(units=units.place(left, end, unit, when))
    state, chance = vision.look(setting, state, unit.tribe, end, radius, chance, when & looks)
    state = state.replace(
        units=units.place(state.units, end, formed, when),
        counter=state.counter + (changes & when),
    )
    return state, chance


def room_for(state: TribesState, unit: Unit, tile: Number) -> tuple[Condition, Condition]:
    """Returns whether a unit may be placed on a tile, and whether it embarks there.

    Water units stay on water. The reference breaks its own board with them (section 9.4).
    """
    tiles = state.tiles
    terrain = integer(tiles.terrain, tile)
    water, sails = is_water(terrain), is_water_unit(unit.kind)
    own = tiles_of(tiles, cities_of(state.cities, unit.tribe))[tile]
    has_port = (tiles.building[tile] == BuildingKind.PORT) & own
    can_climb = knows(state, unit.tribe, Technology.CLIMBING)
    on_land = jnp.where(water, has_port, (terrain != Terrain.MOUNTAIN) | can_climb)
    at_sea = water & can_enter(state.tribes.technologies[unit.tribe], terrain)
    is_free = state.units.kind[tile] < 0
    return is_free & jnp.where(sails, at_sea, on_land), water & ~sails


def _put_down(
    setting: Setting,
    state: TribesState,
    start: Number,
    end: Number,
    unit: Unit,
    embarks: Condition,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    """Puts a unit on a tile where there is room; one that embarks so reveals nothing."""
    joined = state.counter.astype(jnp.int32)
    formed = choose(embarks, units.embarked(unit, joined), unit)
    return _go(setting, state, start, end, unit, formed, embarks, chance, when, ~embarks)


def advance(
    setting: Setting,
    state: TribesState,
    start: Number,
    end: Number,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    """Returns the state after a unit took a tile where it has just killed, if there is room."""
    unit = units.unit_on(state.units, start)
    fits, embarks = room_for(state, unit, end)
    return _put_down(setting, state, start, end, unit, embarks, chance, when & fits)


def push(
    setting: Setting, state: TribesState, tile: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    """Returns the state after any unit on a tile had to leave it; without room, it dies."""
    unit = units.unit_on(state.units, tile)
    there = unit.kind >= 0
    beside = jnp.asarray(setting.board.in_push_order)[tile]
    fits, embarks = jax.vmap(lambda t: room_for(state, unit, t))(jnp.maximum(beside, 0))
    fits &= beside >= 0
    first = jnp.argmax(fits)
    goal, has_room = beside[first], fits.any()
    pushed = unit._replace(status=jnp.int32(Status.PUSHED))
    state, chance = _put_down(
        setting, state, tile, goal, pushed, embarks[first], chance, there & has_room
    )
    return units.kill(setting, state, tile, there & ~has_room), chance
