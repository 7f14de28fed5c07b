"""Carrying out an action.

Source: the game's document, section 12. The costly deeds are computed for those games of a batch
only that need them.
"""

import jax.numpy as jnp
import numpy as np

from jaxgames.sparse_vmap import where_needed
from jaxgames.trees import choose
from jaxgames.tribes.engine import (
    building,
    capture,
    cities,
    combat,
    leveling,
    movement,
    research,
    road_network,
    ruins,
    turn,
    units,
)
from jaxgames.tribes.engine.actions import (
    ATTACK_OFFSETS,
    END_TURN,
    FIRST_ATTACK,
    FIRST_BUILD,
    FIRST_LEVEL_UP,
    FIRST_SPAWN,
    FIRST_TILE_DEED,
    FIRST_UNIT_DEED,
    MOVE_OFFSETS,
    NUM_ATTACKS,
    NUM_DEEDS,
    NUM_MOVES,
    TileDeed,
    UnitDeed,
)
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import (
    Number,
    Setting,
    add,
    integer,
)
from jaxgames.tribes.state import Phase, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES


def step(setting: Setting, state: TribesState, action: Number, chance: Chance) -> TribesState:
    """Returns the state after a legal action."""
    tiles = setting.board.tiles
    chooses = state.phase == Phase.SOURCE
    names_tile = chooses & (action < tiles)
    deed = jnp.where(chooses, -1, action)
    whole = jnp.where(chooses, action - tiles, -1)
    tile = jnp.where(chooses, action, state.selected).astype(jnp.int32)
    tile = jnp.clip(tile, 0, tiles - 1)
    state = state.replace(
        phase=jnp.where(names_tile, Phase.DEED, Phase.SOURCE).astype(state.phase.dtype),
        selected=jnp.where(names_tile, tile, 0).astype(state.selected.dtype),
    )
    state = _tribe_deeds(setting, state, whole, chance)
    return _tile_deeds(setting, state, tile, deed, chance)


def _tribe_deeds(
    setting: Setting, state: TribesState, whole: Number, chance: Chance
) -> TribesState:
    """Researches, levels up a city, or ends the turn."""
    researches = (whole >= 0) & (whole < NUM_TECHNOLOGIES)
    learned = research.research(setting, state, jnp.clip(whole, 0, NUM_TECHNOLOGIES - 1))
    state = choose(researches, learned, state)

    levels = (whole >= FIRST_LEVEL_UP) & (whole < END_TURN)
    state = where_needed(
        levels,
        lambda s, option, c: leveling.level_up(setting, s, option, c)[0],
        state,
        state,
        whole - FIRST_LEVEL_UP,
        chance,
    )
    return where_needed(
        whole == END_TURN, lambda s, c: turn.end(setting, s, c), state, state, chance
    )


def _tile_deeds(
    setting: Setting, state: TribesState, tile: Number, deed: Number, chance: Chance
) -> TribesState:
    """Does something on a tile."""
    state = _unit_goes(setting, state, tile, deed, chance)
    state = _unit_stays(setting, state, tile, deed, chance)
    state = _spawn(setting, state, tile, deed)
    return _tile_changes(setting, state, tile, deed)


def _unit_goes(
    setting: Setting, state: TribesState, tile: Number, deed: Number, chance: Chance
) -> TribesState:
    """Moves, attacks, converts."""
    side = setting.board.side
    moves = (deed >= 0) & (deed < FIRST_ATTACK)
    attacks = (deed >= FIRST_ATTACK) & (deed < FIRST_UNIT_DEED)
    offsets = np.concatenate([MOVE_OFFSETS, ATTACK_OFFSETS])
    steps = jnp.asarray(offsets[:, 0] * side + offsets[:, 1], jnp.int32)
    goal = tile + steps[jnp.clip(deed, 0, NUM_MOVES + NUM_ATTACKS - 1)]
    goal = jnp.clip(goal, 0, setting.board.tiles - 1)
    state, _ = movement.move(setting, state, tile, goal, chance, moves)
    return where_needed(
        attacks,
        lambda s, start, end, c: combat.fight(setting, s, start, end, c)[0],
        state,
        state,
        tile,
        goal,
        chance,
    )


def _unit_stays(
    setting: Setting, state: TribesState, tile: Number, deed: Number, chance: Chance
) -> TribesState:
    """Does what a unit can do where it stands."""
    p = setting.p
    what = deed - FIRST_UNIT_DEED
    state = where_needed(
        what == UnitDeed.CAPTURE,
        lambda s, t, c: _capture(setting, s, t, c),
        state,
        state,
        tile,
        chance,
        share=1 / 64,
    )
    state = where_needed(
        what == UnitDeed.EXAMINE,
        lambda s, t, c: ruins.examine(setting, s, t, c)[0],
        state,
        state,
        tile,
        chance,
        share=1 / 64,
    )
    unit = units.unit_on(state.units, tile)
    kind = jnp.maximum(unit.kind, 0)
    price = jnp.asarray(p.unit_cost)

    disbands = what == UnitDeed.DISBAND
    state = cities.gain_stars(setting, state, unit.tribe, price[kind] // 2, disbands)
    state = units.kill(setting, state, tile, disbands)

    heals = what == UnitDeed.HEAL_OTHERS
    state = choose(heals, combat.heal_others(setting, state, tile), state)
    rests = (what == UnitDeed.RECOVER) & (np.arange(setting.board.tiles) == tile)
    state = state.replace(units=turn.recovered(setting, state, rests))

    hardens = what == UnitDeed.MAKE_VETERAN
    veteran = unit._replace(veteran=jnp.bool_(True))
    veteran = veteran._replace(hp=units.toughness(setting, veteran))
    state = state.replace(units=units.place(state.units, tile, veteran, hardens))

    upgrades = what == UnitDeed.UPGRADE
    larger = jnp.minimum(unit.kind + 1, len(price) - 1)
    better = unit._replace(kind=larger, joined=state.counter.astype(jnp.int32))
    state = cities.pay(state, unit.tribe, price[larger], upgrades)
    return state.replace(
        units=units.place(state.units, tile, better, upgrades), counter=state.counter + upgrades
    )


def _capture(setting: Setting, state: TribesState, tile: Number, chance: Chance) -> TribesState:
    state, chance = capture.capture(setting, state, tile, chance)
    state = road_network.connect_all(setting, state)
    ended = turn.check_over(setting, state, chance)
    # The turn of the winner ends with the game.
    return choose(ended.over, turn.rest(setting, ended), ended)


def _spawn(setting: Setting, state: TribesState, tile: Number, deed: Number) -> TribesState:
    """Trains a unit in the city on a tile."""
    p = setting.p
    spawns = deed >= FIRST_SPAWN
    kind = jnp.clip(deed - FIRST_SPAWN, 0, NUM_DEEDS - FIRST_SPAWN - 1)
    tribe = state.active.astype(jnp.int32)
    home = integer(state.tiles.owner, tile)
    new = units.recruit(setting, kind, tribe, home, state.counter.astype(jnp.int32))
    state = cities.pay(state, tribe, jnp.asarray(p.unit_cost)[kind], spawns)
    tribes = state.tribes
    points = jnp.asarray(p.unit_points)[kind]
    return state.replace(
        units=units.place(state.units, tile, new, spawns),
        counter=state.counter + spawns,
        tribes=tribes.replace(score=add(tribes.score, tribe, points, spawns)),
    )


def _tile_changes(setting: Setting, state: TribesState, tile: Number, deed: Number) -> TribesState:
    """Builds, destroys, gathers, changes the land."""
    what = jnp.where(deed < FIRST_SPAWN, deed - FIRST_TILE_DEED, -1)
    builds = (deed >= FIRST_BUILD) & (deed < FIRST_TILE_DEED)
    kind = jnp.where(builds, deed - FIRST_BUILD, BuildingKind.NONE)
    destroys = what == TileDeed.DESTROY
    gone = jnp.where(destroys, integer(state.tiles.building, tile), BuildingKind.NONE)
    state = building.change_land(setting, state, tile, what)
    state = where_needed(
        builds | destroys,
        lambda s, t, k, d: choose(
            d, building.clear_away(setting, s, t), building.build(setting, s, t, k)
        ),
        state,
        state,
        tile,
        kind,
        destroys,
    )
    by_port = (kind == BuildingKind.PORT) | (gone == BuildingKind.PORT)
    state = where_needed(
        by_port | (what == TileDeed.BUILD_ROAD),
        lambda s: road_network.connect_all(setting, s),
        state,
        state,
    )
    return where_needed(
        destroys,
        lambda s, t, k: building.take_back(setting, s, t, k),
        state,
        state,
        tile,
        gone,
        share=1 / 64,
    )
