"""Capturing villages and cities.

Source: the game's document, section 12.4. `apply_action.py` updates the network afterwards.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from jaxgames.batching.arrays import add_at, as_int, set_row
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities, effects, grid, units, vision
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import capacity, capital, city_on, units_at_home
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import BASES, NUM_BUILDINGS, BuildingKind
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.tribes import Result
from jaxgames.tribes.tables.units import Status

_LATE = jnp.iinfo(jnp.int32).max
_TAKEN_BACK = np.isin(np.arange(NUM_BUILDINGS), [*BASES, BuildingKind.PORT])


def capture(
    config: GameConfig, state: TribesState, tile: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    """Returns the state after the unit on a tile has captured the village or city there."""
    before = state.units
    state = state.replace(
        units=before.replace(status=set_row(before.status, tile, Status.FINISHED))
    )
    city_slot = city_on(state.cities, tile)
    loser = state.cities.tribe[city_slot].astype(jnp.int32)
    is_village = bits.computed_once(state.tiles.terrain[tile] == Terrain.VILLAGE)
    state = _join(state, city_slot)
    state, chance = _village(config, state, city_slot, tile, chance, is_village)
    state = _city(config, state, city_slot, loser, ~is_village)
    state, chance = _move_units(config, state, city_slot, loser, tile, chance, ~is_village)
    return _eliminate(state), chance


def _join(state: TribesState, city_slot: Number) -> TribesState:
    """Appends a city to the cities of the tribe to move."""
    owned = state.cities
    return state.replace(
        cities=owned.replace(
            tribe=set_row(owned.tribe, city_slot, state.active),
            joined=set_row(owned.joined, city_slot, state.counter),
        ),
        counter=state.counter + 1,
    )


def _village(
    config: GameConfig,
    state: TribesState,
    city_slot: Number,
    tile: Number,
    chance: Chance,
    when: Condition,
) -> tuple[TribesState, Chance]:
    tribe = state.active.astype(jnp.int32)
    state, chance = vision.look(config, state, tribe, tile, 1, chance, when)
    tiles, tribes = state.tiles, state.tribes
    centre = jnp.where(when, grid.square(config.board, tile, 0), 0).astype(tiles.network.dtype)
    state = state.replace(
        tiles=tiles.replace(
            terrain=set_row(tiles.terrain, tile, Terrain.CITY, when),
            network=tiles.network | centre,
        ),
        tribes=tribes.replace(score=add_at(tribes.score, tribe, config.p.centre_points, when)),
    )
    return cities.claim(config, state, city_slot, tribe, when), chance


def _city(
    config: GameConfig, state: TribesState, city_slot: Number, loser: Number, when: Condition
) -> TribesState:
    winner = state.active.astype(jnp.int32)
    worth = as_int(state.cities.worth, city_slot)
    tribes = state.tribes
    score = add_at(add_at(tribes.score, loser, -worth, when), winner, worth, when)
    state = state.replace(tribes=tribes.replace(score=score))
    return state if config.corrected_rules else _move_gains(config, state, city_slot, winner, when)


def _move_gains(
    config: GameConfig, state: TribesState, city_slot: Number, winner: Number, when: Condition
) -> TribesState:
    """Adds the gains of all buildings again, then removes them for basic buildings and ports."""
    owned = (state.tiles.owner == city_slot) & (state.tiles.building >= 0)
    count, num_tiles = jnp.where(when, owned.sum(), 0), config.board.tiles
    # Buildings are visited in the order in which they were built. The next building has the least
    # key above the last key: this takes less time than to sort all tiles.
    keys = state.tiles.built.astype(jnp.int32) * num_tiles + np.arange(num_tiles)
    keys = jnp.where(owned, keys, _LATE)

    is_taken_back = jnp.asarray(_TAKEN_BACK)

    def apply(number: Number, carry: tuple[TribesState, Number]) -> tuple[TribesState, Number]:
        state, last = carry
        removes = number >= count
        last = jnp.where(number == count, -1, last)
        key = jnp.where(keys > last, keys, _LATE).min()
        tile = key % num_tiles
        building = as_int(state.tiles.building, tile)
        gains = effects.effects_of(
            config,
            state,
            tile,
            building,
            winner,
            jnp.where(removes, -1, 1),
            only_matching=True,
            when=~removes | is_taken_back[building],
        )
        return effects.apply(config, state, gains, winner), key

    return jax.lax.fori_loop(0, 2 * count, apply, (state, jnp.int32(-1)))[0]


def _move_units(
    config: GameConfig,
    state: TribesState,
    city_slot: Number,
    loser: Number,
    tile: Number,
    chance: Chance,
    is_city: Condition,
) -> tuple[TribesState, Chance]:
    """Gives the units of a lost city other homes, and gives the captured city a unit.

    The units go to the capital, to other cities in random order, or have no home. The city gets the
    last unit of the winner's capital, or of a random other city. With the corrected rules, the unit
    that captured the city moves its home there.
    """
    winner = state.active.astype(jnp.int32)
    tribes = jnp.stack([loser, winner])[: 1 if config.corrected_rules else 2]
    firsts, have_capital = jax.vmap(lambda tribe: capital(state.cities, tribe))(tribes)
    slots = np.arange(len(state.cities.tribe))
    of_capital = have_capital[:, None] & (slots == firsts[:, None])
    others = (state.cities.tribe == tribes[:, None]) & ~of_capital
    counts = others.sum(axis=1)
    draws = jnp.maximum(counts - 1, 0)
    at_home = units_at_home(state)
    # A village has no units. Its "loser" is nobody, who may hold the village itself.
    in_capital = have_capital[0] & (firsts[0] != city_slot)
    room = jnp.where(in_capital, (capacity(state.cities) - at_home)[firsts[0]], 0)
    is_drawn = is_city & (at_home[city_slot] > jnp.maximum(room, 0))
    chance_left = chance.after(jnp.where(is_drawn, draws[0], 0))
    starts = jnp.stack([chance.used, chance_left.used])[: len(tribes)]
    orders = jax.vmap(lambda chosen, count, start: _shuffled(state, chosen, count, chance, start))(
        others, counts, starts
    )
    homes = jnp.concatenate([jnp.where(in_capital, firsts[:1], city_slot), orders[0]])
    state = _resettle(state, city_slot, homes, 1 + counts[0], is_city)
    if config.corrected_rules:
        return units.rehome(state, tile, city_slot), chance_left

    at_home = units_at_home(state)
    from_capital = have_capital[1] & (at_home[firsts[1]] > 0)
    has_unit = (at_home[orders[1]] > 0) & (slots < counts[1])
    source = jnp.where(from_capital, firsts[1], orders[1][jnp.argmax(has_unit)])
    last = units.last_at_home(state.units, source)
    state = units.rehome(state, last, city_slot, from_capital | has_unit.any())
    return state, chance_left.after(jnp.where(from_capital, 0, draws[1]))


def _resettle(
    state: TribesState,
    city_slot: Number,
    homes: Int32[Array, "1+C"],
    num_homes: Number,
    when: Condition,
) -> TribesState:
    """Moves the units of a city to other homes, as long as they have room; others get no home.

    The last of the list of the city goes first, but of units without a home the first. A home that
    is the city itself has no room.
    """
    rooms = capacity(state.cities)

    def goes_on(carry: tuple[TribesState, Array, Number]) -> Condition:
        return carry[1][city_slot] > 0

    def move_or_pass_on(
        carry: tuple[TribesState, Array, Number],
    ) -> tuple[TribesState, Array, Number]:
        state, at_home, number = carry
        has_home = number < num_homes
        home = jnp.where(has_home, homes[jnp.minimum(number, len(homes) - 1)], NO_CITY)
        moves = ~has_home | ((home != city_slot) & (at_home[home] < rooms[home]))
        before = state.units
        is_there = (before.home == city_slot) & (before.kind >= 0)
        order = before.joined.astype(jnp.int32)
        order = jnp.where(is_there, jnp.where(has_home, order, -order), -_LATE)
        tile = jnp.argmax(order).astype(jnp.int32)
        at_home = add_at(add_at(at_home, city_slot, -1, moves), home, 1, moves)
        return units.rehome(state, tile, home, moves), at_home, number + ~moves

    at_home = jnp.where(when, units_at_home(state), 0)
    return jax.lax.while_loop(goes_on, move_or_pass_on, (state, at_home, jnp.int32(0)))[0]


def _shuffled(
    state: TribesState, chosen: Bool[Array, "C"], count: Number, chance: Chance, start: Number
) -> Int32[Array, "C"]:
    """Returns `count` chosen cities in random order, by words from number `start` on."""
    joined = jnp.where(chosen, state.cities.joined.astype(jnp.int32), _LATE)

    def swap(number: Number, order: Int32[Array, "C"]) -> Int32[Array, "C"]:
        last = count - 1 - number
        other = chance._replace(used=start + number).draw(last + 1)
        one, two = order[last], order[other]
        return set_row(set_row(order, other, one), last, two)

    order = jnp.argsort(joined).astype(jnp.int32)
    return jax.lax.fori_loop(0, jnp.maximum(count - 1, 0), swap, order)


def _eliminate(state: TribesState) -> TribesState:
    """Marks tribes without a city as beaten, and removes their units."""
    tribes = state.tribes
    numbers = jnp.arange(tribes.result.shape[0])
    has_city = (state.cities.tribe == numbers[:, None]).any(axis=1)
    out = ~has_city & (tribes.result == Result.PLAYING)
    gone = (state.units.kind >= 0) & out[jnp.maximum(state.units.tribe, 0)]
    nothing = units.no_unit()._asdict()
    before = state.units
    return state.replace(
        tribes=tribes.replace(
            result=jnp.where(out, Result.LOSS, tribes.result).astype(tribes.result.dtype)
        ),
        units=before.replace(
            **{
                name: jnp.where(gone, value, getattr(before, name)).astype(
                    getattr(before, name).dtype
                )
                for name, value in nothing.items()
            }
        ),
    )
