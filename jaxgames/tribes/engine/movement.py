"""Movement of a unit to another tile: by a move, by an advance after a kill, or by a push.

Source: the game's document, section 9. `pathfinding.py` finds the tiles that a unit can move to.
"""

import jax
import jax.numpy as jnp

from jaxgames.batching.arrays import as_int
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.tribes.engine import units, vision
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import (
    can_enter,
    cities_of,
    is_water,
    is_water_unit,
    knows,
    tiles_of,
)
from jaxgames.tribes.engine.units import Unit
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import AFTER_MOVE


def move(
    config: GameConfig,
    state: TribesState,
    start: Number,
    end: Number,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    """Returns the state after a unit of the tribe to move went from `start` to `end`, if `when`."""
    unit = units.unit_on(state.units, start)
    status = jnp.asarray(AFTER_MOVE)[jnp.maximum(unit.kind, 0), unit.status].astype(jnp.int32)
    lands = is_water_unit(unit.kind) & ~is_water(state.tiles.terrain[end])
    boards_ship = ~is_water_unit(unit.kind) & (state.tiles.building[end] == BuildingKind.PORT)
    moved = unit._replace(status=status)
    joined = state.counter.astype(jnp.int32)
    landed = choose(lands, units.disembarked(moved, joined), moved)
    formed = choose(boards_ship, units.embarked(moved, joined), landed)
    always = jnp.bool_(True)
    return _go(config, state, start, end, moved, formed, boards_ship | lands, chance, when, always)


def _go(
    config: GameConfig,
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
        config: options of the game.
        state: a position.
        start: tile that the unit leaves.
        end: tile where it goes.
        unit: the unit when it looks around.
        formed: the unit afterwards.
        changes: whether `formed` has another form; it is then new in the list of its city.
        chance: for technologies learnt from tribes that the unit meets.
        when: if false, nothing changes.
        looks: whether the unit looks around.
    """
    radius = vision.radius_of(as_int(state.tiles.terrain, end), unit.kind)
    when = bits.computed_once(when)
    left = units.remove(state.units, start, when)
    # A look finds nothing new in the unit itself: it does not matter that it has its form already.
    state = state.replace(
        units=units.place(left, end, formed, when), counter=state.counter + (changes & when)
    )
    return vision.look(config, state, unit.tribe, end, radius, chance, when & looks)


def room_for(state: TribesState, unit: Unit, tile: Number) -> tuple[Condition, Condition]:
    """Returns whether a unit may be placed on a tile, and whether it embarks there.

    Water units stay on water. In the reference they corrupt its own board (section 9.4).
    """
    tiles = state.tiles
    terrain = as_int(tiles.terrain, tile)
    water, sails = is_water(terrain), is_water_unit(unit.kind)
    own = tiles_of(tiles, cities_of(state.cities, unit.tribe))[tile]
    has_port = (tiles.building[tile] == BuildingKind.PORT) & own
    can_climb = knows(state, unit.tribe, Technology.CLIMBING)
    on_land = jnp.where(water, has_port, (terrain != Terrain.MOUNTAIN) | can_climb)
    at_sea = water & can_enter(state.tribes.technologies[unit.tribe], terrain)
    is_free = state.units.kind[tile] < 0
    return is_free & jnp.where(sails, at_sea, on_land), water & ~sails


def _put_down(
    config: GameConfig,
    state: TribesState,
    start: Number,
    end: Number,
    unit: Unit,
    embarks: Condition,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    """Puts a unit on a tile with room for it; a unit that embarks there reveals nothing."""
    joined = state.counter.astype(jnp.int32)
    formed = choose(embarks, units.embarked(unit, joined), unit)
    return _go(config, state, start, end, unit, formed, embarks, chance, when, ~embarks)


def advance(
    config: GameConfig,
    state: TribesState,
    start: Number,
    end: Number,
    unit: Unit,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    """Returns the state after a unit took the tile of the unit that it killed, if there is room."""
    fits, embarks = room_for(state, unit, end)
    return _put_down(config, state, start, end, unit, embarks, chance, when & fits)


def push(
    config: GameConfig,
    state: TribesState,
    tile: Number,
    status: Number,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    """Returns the state after any unit on a tile had to leave it, if `when`.

    The unit has a given status then, unless it embarks. Without room, it dies.
    """
    unit = units.unit_on(state.units, tile)
    leaves = (unit.kind >= 0) & when
    beside = jnp.asarray(config.board.in_push_order)[tile]
    fits, embarks = jax.vmap(lambda t: room_for(state, unit, t))(jnp.maximum(beside, 0))
    fits &= beside >= 0
    first = jnp.argmax(fits)
    goal, has_room = beside[first], fits.any()
    pushed = unit._replace(status=status)
    state, chance = _put_down(
        config, state, tile, goal, pushed, embarks[first], chance, leaves & has_room
    )
    return units.kill(config, state, tile, leaves & ~has_room), chance
