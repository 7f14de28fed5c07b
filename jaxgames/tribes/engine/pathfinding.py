"""Where a unit can go.

Source: the game's document, section 9.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, UInt16

from jaxgames.batching.sparse_vmap import over_flat_batch
from jaxgames.boards import bits
from jaxgames.internal import device_kind
from jaxgames.tribes.engine import grid
from jaxgames.tribes.engine.actions import MOVE_OFFSETS, MOVE_REACH
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.grid import TileMask
from jaxgames.tribes.engine.queries import can_enter, cities_of, is_water, is_water_unit, tiles_of
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import UnitKind

# Costs are counted in eighths of a step: roads halve them up to three times.
STEP = 8
MIN_ROAD_STEP = STEP // 2
FAR = 100
MAX_STEPS = 7  # of the longest path; seven steps straight ahead have no action number
# The neighbourhood of a unit as one vector: rows of 13 tiles, each with one more cell that nobody
# enters. A step in any of the eight directions is then a slice of the vector.
_WIDTH = 2 * MOVE_REACH + 2
_CELLS = _WIDTH * (2 * MOVE_REACH + 1)
_MARGIN = _WIDTH + 1
_CENTRE = _WIDTH * MOVE_REACH + MOVE_REACH
_ROW, _COLUMN = np.divmod(np.arange(_CELLS), _WIDTH)
_IS_INSIDE = _COLUMN < _WIDTH - 1
_VECTOR = 32  # units at once, so that a CPU works on whole vectors; 16 take twice the time
_MOVE_CELLS = (MOVE_OFFSETS[:, 0] + MOVE_REACH) * _WIDTH + MOVE_OFFSETS[:, 1] + MOVE_REACH
_NUM_AROUND = 9  # a tile and its neighbours, as in `Grid.around`
_NOT_BESIDE = _NUM_AROUND
_MOVE_BESIDE = np.where(
    np.abs(MOVE_OFFSETS).max(axis=1) == 1, (MOVE_OFFSETS + 1) @ np.array([3, 1]), _NOT_BESIDE
)


class Ground(NamedTuple):
    """Facts of each tile that decide the moves of a tribe's units."""

    for_land: TileMask  # where land units may step
    for_water: TileMask  # where water units may step
    foreign_centre: TileMask  # closed to mind benders
    stops_land: TileMask  # where a step takes all the movement that is left
    stops_water: TileMask
    watched: TileMask  # beside an enemy
    road_start: TileMask
    road_end: TileMask
    taken: TileMask  # where any unit stands


class Way(NamedTuple):
    """The ground around a unit, for its kind; leading axes are batch axes of units."""

    is_open: Bool[Array, "*N cells"]  # where the unit may step
    stops: Bool[Array, "*N cells"]  # where a step takes all the movement that is left
    watched: Bool[Array, "*N cells"]  # beside an enemy
    road_start: Bool[Array, "*N cells"]
    road_end: Bool[Array, "*N cells"]


def ground_of(config: GameConfig, state: TribesState) -> Ground:
    """Returns the ground for the tribe to move."""
    board, tiles, tribe = config.board, state.tiles, state.active.astype(jnp.int32)
    terrain = tiles.terrain
    taken = state.units.kind >= 0
    enemies = taken & (state.units.tribe != tribe)
    own = tiles_of(tiles, cities_of(state.cities, tribe))
    free = tiles.owner == NO_CITY
    water = is_water(terrain)
    centre = terrain == Terrain.CITY
    road = grid.unpack(board, tiles.network) & ~water & ~centre
    port = tiles.building == BuildingKind.PORT
    if config.corrected_rules:
        port &= own | free
    may_enter = can_enter(state.tribes.technologies[tribe], terrain) & ~enemies
    if config.fog:
        may_enter &= grid.unpack(board, state.tribes.visible[tribe])
    road_end = road | centre
    return Ground(
        for_land=may_enter & (~water | port),
        for_water=may_enter,
        foreign_centre=centre & ~own,
        stops_land=water | (terrain == Terrain.FOREST) | (terrain == Terrain.MOUNTAIN),
        # For water units, tiles that a planner has not seen are open sea.
        stops_water=~water & (terrain != Terrain.FOG),
        watched=grid.unpack(board, grid.grow(board, grid.pack(board, enemies))),
        road_start=road_end & (own | free),
        road_end=road_end & (own | free) if config.corrected_rules else road_end,
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
    """Returns the tiles that a kind of unit may step on."""
    is_bender = kind == UnitKind.MIND_BENDER
    on_land = ground.for_land & ~(ground.foreign_centre & is_bender)
    return jnp.where(is_water_unit(kind), ground.for_water, on_land)


def destinations(
    config: GameConfig, tile: Number, ground: UInt16[Array, "T"], kinds: Int8[Array, "T"]
) -> Bool[Array, "168"]:
    """Returns the mask of moves of the unit on a tile, whatever its status, on packed ground."""
    board, kind = config.board, kinds[tile].astype(jnp.int32)
    x = tile // board.side + _ROW - MOVE_REACH
    y = tile % board.side + _COLUMN - MOVE_REACH
    inside = _IS_INSIDE & (x >= 0) & (x < board.side) & (y >= 0) & (y < board.side)
    words = jnp.where(inside, ground[jnp.where(inside, x * board.side + y, 0)], 0)
    around = unpacked(bits.computed_once(words))
    on_water = is_water_unit(kind)
    way = Way(
        is_open=open_to(around, kind),
        stops=jnp.where(on_water, around.stops_water, around.stops_land),
        watched=around.watched,
        road_start=around.road_start & ~on_water,
        road_end=around.road_end & ~on_water,
    )
    limit = (jnp.asarray(config.p.unit_movement)[kind] * STEP).astype(jnp.int8)
    reached = over_flat_batch(_reached)(limit, way)
    return (reached & ~around.taken)[_MOVE_CELLS]


def one_step(
    config: GameConfig, tile: Number, ground: UInt16[Array, "T"], kinds: Int8[Array, "T"]
) -> tuple[Bool[Array, "168"], Condition]:
    """Returns the one-step moves of the unit on a tile, and whether it has no other moves.

    A unit has no other moves if its movement is one step and no road helps it. Otherwise
    `destinations` must search for paths, which takes many times longer.
    """
    kind = kinds[tile].astype(jnp.int32)
    beside = jnp.asarray(config.board.around)[tile]
    words = jnp.where(beside >= 0, ground[jnp.maximum(beside, 0)], 0)
    around = unpacked(words)
    is_neighbour = np.arange(_NUM_AROUND) != _NUM_AROUND // 2
    on_road = unpacked(ground[tile]).road_start & (_leads_on(around) & is_neighbour).any()
    moves = jnp.pad(open_to(around, kind) & ~around.taken, (0, 1))[_MOVE_BESIDE]
    return moves, _goes_one_step(config, kind, on_road)


def one_step_counts(
    config: GameConfig, ground: Ground, kinds: Int8[Array, "T"]
) -> tuple[Int32[Array, "T"], TileMask]:
    """Returns the number of one-step moves from each tile, and whether there are no other moves.

    The values for a tile without a unit have no meaning.
    """
    board = config.board

    def number(mask: TileMask) -> Int32[Array, "T"]:
        return grid.count_around(board, grid.pack(board, mask), 1, most=1)

    on_road = ground.road_start & grid.beside(board, _leads_on(ground))
    is_all = _goes_one_step(config, kinds.astype(jnp.int32), on_road)
    return of_free_tiles(ground, kinds, number), is_all


def of_free_tiles(
    ground: Ground, kinds: Int8[Array, "T"], result: Callable[[TileMask], Array]
) -> Array:
    """Returns, for the unit on each tile, `result` of the free tiles that its kind may step on."""
    free = ~ground.taken
    on_land = jnp.where(
        kinds == UnitKind.MIND_BENDER,
        result(ground.for_land & free & ~ground.foreign_centre),
        result(ground.for_land & free),
    )
    return jnp.where(is_water_unit(kinds), result(ground.for_water & free), on_land)


def _leads_on(ground: Ground) -> TileMask:
    """Returns the tiles where a land unit that comes by road may have part of its step left."""
    return ground.for_land & ground.road_end & ~ground.watched


def _goes_one_step(config: GameConfig, kind: Array, on_road: Array) -> Array:
    has_one = jnp.asarray(config.p.unit_movement)[kind] == 1
    return has_one & (is_water_unit(kind) | ~on_road)


def bit_of(word: Array, number: int) -> Array:
    """Returns one bit of small words as booleans."""
    return (word & (1 << number)) != 0


def _reached(limit: Int8[Array, "N"], way: Way) -> Bool[Array, "N cells"]:
    """Returns the cells that units with a movement of `limit` can reach on the ground around them.

    A step costs `STEP`, or all the movement left on a cell where it stops. On roads, it costs half
    of that, but at least half a step. A step to a cell beside an enemy always costs all the
    movement left. Other steps may exceed the limit by less than a whole step.

    Inside this function, the cells are the leading axis. A step aside is then a slice of whole rows
    of units, which is several times faster on a CPU than slices within rows.
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
        # A path that is a fraction above the limit may go on; a path exactly at the limit ends.
        # A path goes on so for at most one step. That step comes last, when no tile can be reached
        # at a lower cost.
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

    if device_kind.is_cpu():
        first = jnp.int32(0), jnp.bool_(False), start
        cost = jax.lax.while_loop(lambda carry: carry[0] < MAX_STEPS, step, first)[2]
    else:  # an accelerator takes more time to look whether units go on than for all the steps
        cost = start
        for number in range(MAX_STEPS):
            cost = relax(cost, jnp.bool_(number == MAX_STEPS - 1))
    return ((cost < far) & ~is_centre)[:, :num_units].T


def _least_beside(values: Int8[Array, "cells N"]) -> Int8[Array, "cells N"]:
    """Returns the least of each cell and its eight neighbours."""
    padded = jnp.pad(values, ((_MARGIN, _MARGIN), (0, 0)), constant_values=FAR)
    size = len(padded)
    row = jnp.minimum(jnp.minimum(padded[: size - 2], padded[1 : size - 1]), padded[2:])
    wide = len(row) - 2 * _WIDTH
    return jnp.minimum(jnp.minimum(row[:wide], row[_WIDTH : _WIDTH + wide]), row[2 * _WIDTH :])
