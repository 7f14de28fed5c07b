"""The parts of an action, in the order in which `rules.py` carries them out.

Source: the game's document, section 12. A costly sub-action is computed only for the games of a
batch that need it.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxgames.batching.arrays import add_at, as_int
from jaxgames.batching.sparse_vmap import where_needed
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.tribes.engine import (
    building,
    capture,
    cities,
    combat,
    leveling,
    movement,
    research,
    rewards,
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
    FIRST_TILE_SUB_ACTION,
    FIRST_UNIT_SUB_ACTION,
    MOVE_OFFSETS,
    NUM_ATTACKS,
    NUM_MOVES,
    NUM_SUB_ACTIONS,
)
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.sub_actions import TileSubAction, UnitSubAction
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES


class ChosenAction(NamedTuple):
    """An action taken apart; numbers of what is not chosen are negative."""

    tile: Number
    sub_action: Number  # on the tile
    whole: Number  # of the whole tribe
    captures: Condition  # whether the sub-action is a capture


def choose_action(
    config: GameConfig, state: TribesState, action: Number
) -> tuple[TribesState, ChosenAction]:
    """Returns an action taken apart, and the state with the tile chosen if it names one."""
    tiles = config.board.tiles
    chooses = state.phase == Stage.SOURCE
    names_tile = chooses & (action < tiles)
    sub_action = jnp.where(chooses, -1, action)
    whole = jnp.where(chooses, action - tiles, -1)
    tile = jnp.where(chooses, action, state.selected).astype(jnp.int32)
    tile = bits.computed_once(jnp.clip(tile, 0, tiles - 1))
    sub_action, whole = map(bits.computed_once, (sub_action, whole))
    state = state.replace(
        phase=jnp.where(names_tile, Stage.SUB_ACTION, Stage.SOURCE).astype(state.phase.dtype),
        selected=jnp.where(names_tile, tile, 0).astype(state.selected.dtype),
    )
    captures = sub_action == FIRST_UNIT_SUB_ACTION + UnitSubAction.CAPTURE
    return state, ChosenAction(tile, sub_action, whole, captures)


def learn(config: GameConfig, state: TribesState, chosen: ChosenAction) -> TribesState:
    """Researches a technology."""
    researches = (chosen.whole >= 0) & (chosen.whole < NUM_TECHNOLOGIES)
    learned = research.research(config, state, jnp.clip(chosen.whole, 0, NUM_TECHNOLOGIES - 1))
    return choose(researches, learned, state)


def take_rewards(
    config: GameConfig, state: TribesState, chosen: ChosenAction, chance: Chance
) -> TribesState:
    """Levels up a city, or examines ruins."""
    levels = (chosen.whole >= FIRST_LEVEL_UP) & (chosen.whole < END_TURN)
    examines = chosen.sub_action == FIRST_UNIT_SUB_ACTION + UnitSubAction.EXAMINE
    return where_needed(
        levels | examines,
        lambda *arguments: _rewarded(config, *arguments),
        state,
        state,
        levels,
        chosen.whole - FIRST_LEVEL_UP,
        chosen.tile,
        chance,
    )


def _rewarded(
    config: GameConfig,
    state: TribesState,
    levels: Condition,
    option: Number,
    tile: Number,
    chance: Chance,
) -> TribesState:
    levelled = (*leveling.level_up(config, state, option), chance)
    examined = ruins.examine(config, state, tile, chance)
    state, reward, chance = choose(levels, levelled, examined)
    return rewards.give(config, state, reward, chance)[0]


def take_place(
    config: GameConfig, state: TribesState, chosen: ChosenAction, chance: Chance
) -> tuple[TribesState, Chance]:
    """Captures a village or a city; returns also the chance that is left."""
    taken: tuple[TribesState, Chance] = where_needed(
        chosen.captures,
        lambda s, t, c: capture.capture(config, s, t, c),
        (state, chance),
        state,
        chosen.tile,
        chance,
        share=1 / 64,
    )
    return taken


def unit_goes(
    config: GameConfig, state: TribesState, chosen: ChosenAction, chance: Chance
) -> TribesState:
    """Moves, attacks, converts."""
    tile, sub_action = chosen.tile, chosen.sub_action
    side = config.board.side
    moves = (sub_action >= 0) & (sub_action < FIRST_ATTACK)
    attacks = (sub_action >= FIRST_ATTACK) & (sub_action < FIRST_UNIT_SUB_ACTION)
    offsets = np.concatenate([MOVE_OFFSETS, ATTACK_OFFSETS])
    steps = jnp.asarray(offsets[:, 0] * side + offsets[:, 1], jnp.int32)
    goal = tile + steps[jnp.clip(sub_action, 0, NUM_MOVES + NUM_ATTACKS - 1)]
    goal = bits.computed_once(jnp.clip(goal, 0, config.board.tiles - 1))
    state, _ = movement.move(config, state, tile, goal, chance, moves)
    return where_needed(
        attacks,
        lambda s, start, end, c: combat.fight(config, s, start, end, c)[0],
        state,
        state,
        tile,
        goal,
        chance,
    )


def unit_stays(config: GameConfig, state: TribesState, chosen: ChosenAction) -> TribesState:
    """Carries out a sub-action of a unit that stays on its tile."""
    p, tile = config.p, chosen.tile
    what = chosen.sub_action - FIRST_UNIT_SUB_ACTION
    unit = units.unit_on(state.units, tile)
    kind = jnp.maximum(unit.kind, 0)
    price = jnp.asarray(p.unit_cost)

    disbands = what == UnitSubAction.DISBAND
    state = cities.gain_stars(config, state, unit.tribe, price[kind] // 2, disbands)
    state = units.kill(config, state, tile, disbands)

    heals = what == UnitSubAction.HEAL_OTHERS
    state = choose(heals, combat.heal_others(config, state, tile), state)
    rests = (what == UnitSubAction.RECOVER) & (np.arange(config.board.tiles) == tile)
    state = state.replace(units=turn.recovered(config, state, rests))

    hardens = what == UnitSubAction.MAKE_VETERAN
    veteran = unit._replace(veteran=jnp.bool_(True))
    veteran = veteran._replace(hp=units.toughness(config, veteran))
    state = state.replace(units=units.place(state.units, tile, veteran, hardens))

    upgrades = what == UnitSubAction.UPGRADE
    larger = jnp.minimum(unit.kind + 1, len(price) - 1)
    better = unit._replace(kind=larger, joined=state.counter.astype(jnp.int32))
    state = cities.pay(state, unit.tribe, price[larger], upgrades)
    return state.replace(
        units=units.place(state.units, tile, better, upgrades), counter=state.counter + upgrades
    )


def spawn(config: GameConfig, state: TribesState, chosen: ChosenAction) -> TribesState:
    """Trains a unit in the city on a tile."""
    p, tile, sub_action = config.p, chosen.tile, chosen.sub_action
    spawns = sub_action >= FIRST_SPAWN
    kind = jnp.clip(sub_action - FIRST_SPAWN, 0, NUM_SUB_ACTIONS - FIRST_SPAWN - 1)
    tribe = state.active.astype(jnp.int32)
    home = as_int(state.tiles.owner, tile)
    new = units.recruit(config, kind, tribe, home, state.counter.astype(jnp.int32))
    state = cities.pay(state, tribe, jnp.asarray(p.unit_cost)[kind], spawns)
    tribes = state.tribes
    points = jnp.asarray(p.unit_points)[kind]
    return state.replace(
        units=units.place(state.units, tile, new, spawns),
        counter=state.counter + spawns,
        tribes=tribes.replace(score=add_at(tribes.score, tribe, points, spawns)),
    )


def change_tile(config: GameConfig, state: TribesState, chosen: ChosenAction) -> TribesState:
    """Builds, destroys, gathers, changes the land; updates the network, after a capture too."""
    tile, sub_action, _, captures = chosen
    what = jnp.where(sub_action < FIRST_SPAWN, sub_action - FIRST_TILE_SUB_ACTION, -1)
    builds = (sub_action >= FIRST_BUILD) & (sub_action < FIRST_TILE_SUB_ACTION)
    kind = jnp.where(builds, sub_action - FIRST_BUILD, BuildingKind.NONE)
    destroys = what == TileSubAction.DESTROY
    state = building.change_land(config, state, tile, what)
    connects = captures | (what == TileSubAction.BUILD_ROAD)
    return where_needed(
        builds | destroys | connects,
        lambda *arguments: building.rebuild(config, *arguments),
        state,
        state,
        tile,
        kind,
        destroys,
        connects,
    )


def end_turn(
    config: GameConfig, state: TribesState, chosen: ChosenAction, chance: Chance
) -> TribesState:
    """Ends the turn; ends the game if a capture has decided it."""
    passes = chosen.whole == END_TURN
    return where_needed(
        passes | chosen.captures,
        lambda s, c, when: turn.end(config, s, c, when),
        state,
        state,
        chance,
        passes,
    )
