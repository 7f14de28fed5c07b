"""What holds in every position of every game, and in every step, as named checks of one game.

Source: the game's document, section 21.4.
"""

import jax.numpy as jnp
import numpy as np

from jaxgames.tribes.engine import grid
from jaxgames.tribes.engine.actions import FIRST_SPAWN, NUM_SUB_ACTIONS
from jaxgames.tribes.engine.queries import capacity, is_water, max_hp, units_at_home
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import NO_CITY, NO_TILE, NO_UNIT, NOBODY, Stage, TribesState
from jaxgames.tribes.tables.buildings import FIRST_MONUMENT, FIRST_TEMPLE, LAST_TEMPLE, BuildingKind
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.tribes import Result
from jaxgames.tribes.tables.units import WATER_UNITS

HIGHEST_NUMBER = 20_000  # of order numbers, which have 15 bits
MOST_POINTS = 30_000  # that a city is worth


def of_state(rules: Tribes, state: TribesState) -> dict:
    """Returns named checks of a position; all are true in a sound one."""
    board = rules.config.board
    tiles, units, cities, tribes = state.tiles, state.units, state.cities, state.tribes
    places = jnp.arange(cities.tile.shape[0])
    used, owned = cities.tile != NO_TILE, cities.tribe != NOBODY
    there = units.kind != NO_UNIT
    has_home = there & (units.home != NO_CITY)
    home_tribe = cities.tribe[units.home]
    centre = jnp.maximum(cities.tile, 0)
    claimed = tiles.owner != NO_CITY
    centre_terrain = tiles.terrain[centre]
    on_network = grid.unpack(board, tiles.network)
    is_port = tiles.building == BuildingKind.PORT
    road = on_network & ~is_port & (tiles.terrain != Terrain.CITY)
    sails = (units.kind >= WATER_UNITS[0]) & (units.kind <= WATER_UNITS[-1])
    connected = (tribes.connected[:, None] >> places.astype(jnp.uint32)) & 1
    lost = tribes.result == Result.LOSS
    num_cities = (cities.tribe == jnp.arange(rules.num_players)[:, None]).sum(axis=1)
    temple = (tiles.building >= FIRST_TEMPLE) & (tiles.building <= LAST_TEMPLE)
    monuments = jnp.where(tiles.building >= FIRST_MONUMENT, 1, 0)
    order = jnp.where(has_home, units.joined, -1 - jnp.arange(board.tiles))
    return {
        "stars": (tribes.stars >= 0).all(),
        "technologies": (tribes.technologies < 1 << 24).all(),
        "population": (~owned | (cities.population >= -cities.level)).all(),
        "levels": (~used | (cities.level >= 1)).all() & (cities.production >= 0).all(),
        "worth": (jnp.abs(cities.worth) <= MOST_POINTS).all(),
        "order numbers": (state.counter >= 0) & (state.counter < HIGHEST_NUMBER),
        "order numbers are new": (units.joined < state.counter).all()
        & (cities.joined < state.counter).all()
        & (tiles.built < state.counter).all(),
        "one order": (jnp.sort(order)[1:] != jnp.sort(order)[:-1]).all(),
        "homes are of the own tribe": (~has_home | (home_tribe == units.tribe)).all(),
        "empty tiles": (there | (units.hp == 0) & (units.tribe == NOBODY) & ~units.veteran).all(),
        "hit points": (~there | (units.hp > 0) & (units.hp <= max_hp(units, rules.config.p))).all(),
        "ships are on water": (~there | (sails == is_water(tiles.terrain))).all(),
        "cargo": (sails | ~there | (units.cargo == units.kind)).all(),
        "centres": (
            ~used | (centre_terrain == jnp.where(owned, Terrain.CITY, Terrain.VILLAGE))
        ).all(),
        "all centres have places": (tiles.terrain == Terrain.CITY).sum() == (used & owned).sum(),
        "owners are cities": (~claimed | owned[tiles.owner]).all(),
        "centres are owned": (~owned | (tiles.owner[centre] == places)).all(),
        "borders": (
            ~claimed
            | (
                grid.distance(board, jnp.arange(board.tiles), centre[tiles.owner].astype(int))
                <= cities.radius[tiles.owner]
            )
        ).all(),
        "buildings stand in borders": ((tiles.building == BuildingKind.NONE) | claimed).all(),
        "temples have levels": (temple == (tiles.temple_level > 0)).all(),
        "few monuments": monuments.sum() <= 7 * rules.num_players,
        "centres are on the network": (~owned | on_network[centre]).all(),
        "ports are on the network": (~is_port | on_network).all(),
        "roads are on land": (~road | ~is_water(tiles.terrain)).all(),
        "only own cities are connected": (
            (connected == 0) | (cities.tribe == jnp.arange(rules.num_players)[:, None])
        ).all(),
        "the lost have nothing": state.over | (~lost | (num_cities == 0)).all(),
        "others have a city": state.over | (lost | (num_cities > 0)).all(),
        "the active tribe plays": state.over | ~lost[state.active],
        "one winner": ~state.over
        | ((tribes.result == Result.WIN).sum() == 1) & (jnp.sort(state.ranking)[0] == 0),
        "selected": (state.phase == Stage.SUB_ACTION) | (state.selected == 0),
    }


def of_mask(rules: Tribes, state: TribesState) -> dict:
    """Returns named checks of the legal plies of a position."""
    legal = rules.legal_actions(state)
    return {
        "an action is legal until the end": legal.any() != state.over,
        "nothing beyond": ~legal[max(rules.config.board.tiles + 27, 256) :].any(),
    }


def of_legal(rules: Tribes, state: TribesState) -> dict:
    """Returns named checks of the whole legal set of a position."""
    pairs, of_tribe = rules.legal_pairs(state)
    tiles = pairs.shape[0]
    legal = rules.legal_actions(state)
    first = jnp.concatenate([pairs.any(axis=1), of_tribe])
    second = pairs[state.selected]
    spawns = pairs[:, FIRST_SPAWN:NUM_SUB_ACTIONS].any(axis=1)
    full = units_at_home(state) >= capacity(state.cities)
    return {
        "the first mask": (state.phase != Stage.SOURCE) | (legal[: tiles + 27] == first).all(),
        "the second mask": (state.phase != Stage.SUB_ACTION) | (legal[:256] == second).all(),
        "full cities train nobody": ~(spawns & full[state.tiles.owner]).any(),
    }


def of_step(rules: Tribes, before: TribesState, action, after: TribesState) -> dict:
    """Returns named checks of one step."""
    whole = rules.completes_action(before, action)
    passes = (before.active != after.active) | (before.tick != after.tick)
    ends_turn = (before.phase == Stage.SOURCE) & (action == rules.config.board.tiles + 26)
    gained = jnp.int32(after.counter) - before.counter
    visible = (before.tribes.visible & ~after.tribes.visible) == 0
    known = (before.tribes.technologies & ~after.tribes.technologies) == 0
    return {
        "completes_action": whole == (after.phase == Stage.SOURCE),
        "turns pass by ending them": ~passes | ends_turn,
        "ticks go on": (after.tick == before.tick) | (after.tick == before.tick + 1),
        "order numbers grow": (gained >= 0) & (gained <= 100),
        "what was seen stays": visible.all() & known.all(),
        "cities stay": (before.cities.tile == after.cities.tile).all()
        & (before.cities.level <= after.cities.level).all(),
    }


def assert_sound(checks: dict) -> None:
    """Fails with the names of the checks that are not true throughout."""
    broken = [name for name, results in checks.items() if not np.all(results)]
    assert not broken, broken
