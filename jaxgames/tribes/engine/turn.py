"""Ends and starts of turns, the end of the game, the ranking.

Source: the game's document, sections 8 and 13.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32

from jaxgames.batching.arrays import add_at, set_row
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import cities_of, knows, max_hp, tiles_of
from jaxgames.tribes.state import TribesState, Units
from jaxgames.tribes.tables.buildings import MAX_TEMPLE_LEVEL, TEMPLE_COUNTDOWN, Monument
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.tribes import Result
from jaxgames.tribes.tables.units import Status


def incomes(config: GameConfig, state: TribesState) -> Int32[Array, "C"]:
    """Returns the stars that each city makes a turn, sieges ignored."""
    owned = state.cities
    population = owned.population.astype(jnp.int32)
    stars = owned.level.astype(jnp.int32) + owned.production
    stars += jnp.where(owned.capital_of >= 0, config.p.capital_stars, 0)
    return jnp.where(population >= 0, stars, population)


def production(config: GameConfig, state: TribesState, tribe: Number) -> Number:
    """Returns the stars that all cities of a tribe make a turn, sieges ignored."""
    return jnp.where(state.cities.tribe == tribe, incomes(config, state), 0).sum()


def start(config: GameConfig, state: TribesState) -> TribesState:
    """Returns the state after the start of the active tribe's turn."""
    p = config.p
    tribe = state.active.astype(jnp.int32)
    own = state.cities.tribe == tribe
    centres = jnp.maximum(state.cities.tile, 0).astype(jnp.int32)
    visitor = state.units.tribe[centres]
    # A city that is hidden from a planner has no tile.
    besieged = (state.cities.tile >= 0) & (state.units.kind[centres] >= 0) & (visitor != tribe)
    income = jnp.where(own & ~besieged, incomes(config, state), 0).sum()
    is_first = state.tick == 0
    tribes = state.tribes
    first_stars = set_row(tribes.stars, tribe, p.first_stars, is_first)
    state = state.replace(tribes=tribes.replace(stars=first_stars))
    state = cities.gain_stars(config, state, tribe, jnp.maximum(income, 0), ~is_first)
    state = _grow_temples(config, state, tribe)

    before = state.units
    mine = (before.kind >= 0) & (before.tribe == tribe)
    fresh = jnp.where(before.status == Status.PUSHED, Status.MOVED, Status.FRESH)
    status = jnp.where(mine, fresh, before.status).astype(before.status.dtype)
    tribes = state.tribes
    meditates = knows(state, tribe, Technology.MEDITATION)
    peace = add_at(tribes.peace, tribe, 1, meditates)
    is_due = meditates & (peace == p.altar_turns)
    monuments = cities.available(
        tribes.monuments, tribe, Monument.ALTAR, is_due, again=not config.corrected_rules
    )
    return state.replace(
        units=before.replace(status=status),
        tribes=tribes.replace(peace=peace, monuments=monuments),
    )


def _grow_temples(config: GameConfig, state: TribesState, tribe: Number) -> TribesState:
    tiles, owned = state.tiles, state.cities
    level = tiles.temple_level.astype(jnp.int32)
    mine = tiles_of(tiles, cities_of(owned, tribe))
    grows = mine & (level > 0) & (level < MAX_TEMPLE_LEVEL)
    countdown = tiles.temple_countdown - grows
    rises = grows & (countdown == 0)
    # Points for reaching the next level.
    points = jnp.where(rises, jnp.asarray(config.p.temple_points)[level % MAX_TEMPLE_LEVEL], 0)
    city_slots = jnp.arange(owned.tile.shape[0])
    worth = jnp.where(tiles.owner == city_slots[:, None], points, 0).sum(axis=1)
    tribes = state.tribes
    return state.replace(
        tiles=tiles.replace(
            temple_level=(tiles.temple_level + rises).astype(tiles.temple_level.dtype),
            temple_countdown=jnp.where(rises, TEMPLE_COUNTDOWN, countdown).astype(
                tiles.temple_countdown.dtype
            ),
        ),
        cities=owned.replace(worth=(owned.worth + worth).astype(owned.worth.dtype)),
        tribes=tribes.replace(score=add_at(tribes.score, tribe, worth.sum())),
    )


def recovered(config: GameConfig, state: TribesState, chosen: Bool[Array, "T"]) -> Units:
    """Returns the units after the units of the active tribe on `chosen` tiles have recovered."""
    p = config.p
    tribe = state.active.astype(jnp.int32)
    before = state.units
    full = max_hp(before, p)
    hp = before.hp.astype(jnp.int32)
    mine = (before.kind >= 0) & (before.tribe == tribe)
    does = chosen & mine & (hp > 0) & (hp < full)
    at_home = tiles_of(state.tiles, cities_of(state.cities, tribe))
    gain = p.recover_hp + jnp.where(at_home, p.recover_home_hp, 0)
    return before.replace(
        hp=jnp.where(does, jnp.minimum(hp + gain, full), hp).astype(before.hp.dtype),
        status=jnp.where(does, Status.FINISHED, before.status).astype(before.status.dtype),
    )


def end(config: GameConfig, state: TribesState, chance: Chance, passes: Condition) -> TribesState:
    """Returns the state after the end of a turn and the start of the next tribe's turn.

    The game ends before or after the start of a new tick. The turn of the winner ends with it.

    Args:
        config: options of the game.
        state: a position.
        chance: decides between tribes that are equal in everything.
        passes: whether the turn ends in any case; else only if the game is over.
    """
    numbers = jnp.arange(config.players)
    playing = state.tribes.result == Result.PLAYING
    after = playing & (numbers > state.active)
    following = jnp.where(after.any(), jnp.argmax(after), jnp.argmax(playing))
    is_over = state.over | _decided(config, state)[1]
    is_new_tick = ~after.any() & passes & ~is_over
    state = _check_over(config, state.replace(tick=state.tick + is_new_tick), chance)
    # Units that did nothing recover.
    rests = (state.units.status == Status.FRESH) & (passes | state.over)
    state = state.replace(units=recovered(config, state, rests))
    begun = start(config, state.replace(active=following.astype(state.active.dtype)))
    return choose(passes & ~state.over, begun, state)


def _decided(config: GameConfig, state: TribesState) -> tuple[Bool[Array, "P"], Condition]:
    """Returns the tribes that win by their capitals, and whether the game ends."""
    tribes = state.tribes
    numbers = jnp.arange(config.players)
    owns_all = ((state.cities.capital_of < 0) | (state.cities.tribe == numbers[:, None])).all(
        axis=1
    )
    wins = owns_all & (tribes.result != Result.LOSS) & (not config.by_score)
    alone = (tribes.result != Result.LOSS).sum() <= 1
    is_late = state.tick > config.last_tick
    return wins, (alone if config.by_score else wins.any()) | is_late


def _check_over(config: GameConfig, state: TribesState, chance: Chance) -> TribesState:
    """Returns the state with the result filled in, if the game has just ended."""
    tribes = state.tribes
    wins, ends = _decided(config, state)
    is_new = ends & ~state.over  # a game ends only once
    ranking = jnp.where(is_new, _ranking(config, state, wins, chance), state.ranking)
    result = jnp.where(ranking == 0, Result.WIN, Result.LOSS)
    return state.replace(
        over=state.over | ends,
        ranking=ranking,
        tribes=tribes.replace(
            result=jnp.where(is_new, result, tribes.result).astype(tribes.result.dtype)
        ),
    )


def _ranking(
    config: GameConfig, state: TribesState, wins: Bool[Array, "P"], chance: Chance
) -> Int8[Array, "P"]:
    """Returns the place of each tribe, 0 the best."""
    tribes = state.tribes
    numbers = jnp.arange(config.players)
    keys = [
        wins.astype(jnp.int32),
        tribes.score,
        bits.count(tribes.technologies),
        (state.cities.tribe == numbers[:, None]).sum(axis=1),
        jax.vmap(lambda tribe: production(config, state, tribe))(numbers),
        _coins(config.players, chance),
    ]
    if config.corrected_rules:
        keys.insert(1, (tribes.result != Result.LOSS).astype(jnp.int32))
    better = jnp.zeros((config.players, config.players), bool)
    for key in reversed(keys):
        better = (key[:, None] > key[None, :]) | ((key[:, None] == key[None, :]) & better)
    return better.sum(axis=0).astype(state.ranking.dtype)


def _coins(players: int, chance: Chance) -> Int32[Array, "P"]:
    """Returns a random order of the tribes, to rank tribes that are equal in everything."""
    words = jax.vmap(chance.word)(jnp.arange(players))
    is_before = (words[:, None] > words) | ((words[:, None] == words) & np.tri(players, dtype=bool))
    return (is_before & ~np.eye(players, dtype=bool)).sum(axis=1, dtype=jnp.int32)
