"""Capturing villages and cities.

Source: the game's document, section 12.4. `apply_action.py` updates the network afterwards.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from jaxgames.batching.arrays import add_at, as_int, set_row
from jaxgames.batching.trees import choose
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
    is_village = state.tiles.terrain[tile] == Terrain.VILLAGE
    village, after_village = _village(config, state, city_slot, tile, chance)
    city, after_city = _city(config, state, city_slot, chance)
    state, chance = choose(is_village, (village, after_village), (city, after_city))
    state, chance = _take_over_unit(config, state, city_slot, tile, chance)
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
    config: GameConfig, state: TribesState, city_slot: Number, tile: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    tribe = state.active.astype(jnp.int32)
    state = _join(state, city_slot)
    state, chance = vision.look(config, state, tribe, tile, 1, chance)
    tiles, tribes = state.tiles, state.tribes
    centre = grid.square(config.board, tile, 0).astype(tiles.network.dtype)
    state = state.replace(
        tiles=tiles.replace(
            terrain=set_row(tiles.terrain, tile, Terrain.CITY), network=tiles.network | centre
        ),
        tribes=tribes.replace(score=add_at(tribes.score, tribe, config.p.centre_points)),
    )
    return cities.claim(config, state, city_slot, tribe), chance


def _city(
    config: GameConfig, state: TribesState, city_slot: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    winner = state.active.astype(jnp.int32)
    loser = state.cities.tribe[city_slot].astype(jnp.int32)
    worth = as_int(state.cities.worth, city_slot)
    tribes = state.tribes
    score = add_at(add_at(tribes.score, loser, -worth), winner, worth)
    state = _join(state.replace(tribes=tribes.replace(score=score)), city_slot)
    if not config.corrected_rules:
        state = _move_gains(config, state, city_slot, winner)
    return _resettle(state, city_slot, loser, chance)


def _move_gains(
    config: GameConfig, state: TribesState, city_slot: Number, winner: Number
) -> TribesState:
    """Adds the gains of all buildings again, then removes them for basic buildings and ports."""
    owned = (state.tiles.owner == city_slot) & (state.tiles.building >= 0)
    count, num_tiles = owned.sum(), config.board.tiles
    # Buildings are visited in the order in which they were built. The next building has the least
    # key above the last key: this takes less time than to sort all tiles.
    keys = state.tiles.built.astype(jnp.int32) * num_tiles + np.arange(num_tiles)
    keys = jnp.where(owned, keys, _LATE)

    def apply_all(state: TribesState, sign: int, due: Bool[Array, "19"]) -> TribesState:
        def apply(number: Number, carry: tuple[TribesState, Number]) -> tuple[TribesState, Number]:
            del number
            state, last = carry
            key = jnp.where(keys > last, keys, _LATE).min()
            tile = key % num_tiles
            building = as_int(state.tiles.building, tile)
            state = effects.apply(
                config, state, tile, building, winner, sign, only_matching=True, when=due[building]
            )
            return state, key

        return jax.lax.fori_loop(0, count, apply, (state, jnp.int32(-1)))[0]

    is_taken_back = jnp.asarray(_TAKEN_BACK)
    return apply_all(apply_all(state, 1, jnp.ones_like(is_taken_back)), -1, is_taken_back)


def _resettle(
    state: TribesState, city_slot: Number, loser: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    """Moves the units of a lost city to another home: the capital, other cities, or none."""
    first, has_capital = capital(state.cities, loser)
    state = _fill(state, city_slot, first, has_capital)
    remain = units_at_home(state)[city_slot]
    own = state.cities.tribe == loser
    others = own & ~(has_capital & (jnp.arange(len(own)) == first))
    order, count, after = _shuffled(state, others, chance)
    must = remain > 0

    def fill(number: Number, state: TribesState) -> TribesState:
        return _fill(state, city_slot, order[number], jnp.bool_(True))

    state = jax.lax.fori_loop(0, jnp.where(must, count, 0), fill, state)
    chance = chance._replace(used=jnp.where(must, after.used, chance.used))
    return _set_free(state, city_slot), chance


def _fill(state: TribesState, source: Number, target: Number, when: Condition) -> TribesState:
    """Moves units from the end of one city's list to another city, while it has capacity."""
    # This also runs for games in which nothing is captured, and the loop must end there too.
    moves = when & (source != target)

    def goes_on(state: TribesState) -> Condition:
        at_home = units_at_home(state)
        has_room = at_home[target] < capacity(state.cities)[target]
        return moves & (at_home[source] > 0) & has_room

    def transfer(state: TribesState) -> TribesState:
        tile = units.last_at_home(state.units, source)
        return units.rehome(state, tile, target)

    return jax.lax.while_loop(goes_on, transfer, state)


def _set_free(state: TribesState, city_slot: Number) -> TribesState:
    """Leaves the units of a city without a home, the first of its list first."""

    def goes_on(state: TribesState) -> Condition:
        return units_at_home(state)[city_slot] > 0

    def release(state: TribesState) -> TribesState:
        before = state.units
        is_there = (before.home == city_slot) & (before.kind >= 0)
        order = jnp.where(is_there, before.joined.astype(jnp.int32), _LATE)
        return units.rehome(state, jnp.argmin(order).astype(jnp.int32), jnp.int32(NO_CITY))

    return jax.lax.while_loop(goes_on, release, state)


def _shuffled(
    state: TribesState, chosen: Condition, chance: Chance
) -> tuple[Number, Number, Chance]:
    """Returns cities in random order, their number, and the chance that is left."""
    joined = jnp.where(chosen, state.cities.joined.astype(jnp.int32), _LATE)
    order = jnp.argsort(joined).astype(jnp.int32)
    count = chosen.sum()

    def swap(number: Number, carry: tuple[Number, Chance]) -> tuple[Number, Chance]:
        order, chance = carry
        last = count - 1 - number
        other = chance.draw(last + 1)
        one, two = order[last], order[other]
        return set_row(set_row(order, other, one), last, two), chance.after()

    order, chance = jax.lax.fori_loop(0, jnp.maximum(count - 1, 0), swap, (order, chance))
    return order, count, chance


def _take_over_unit(
    config: GameConfig, state: TribesState, city_slot: Number, tile: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    """Gives the captured city a unit: the last unit of the capital, or of a random other city.

    With the corrected rules, the unit that captured the city moves its home there.
    """
    if config.corrected_rules:
        return units.rehome(state, tile, city_slot), chance
    tribe = state.active.astype(jnp.int32)
    first, has_capital = capital(state.cities, tribe)
    at_home = units_at_home(state)
    from_capital = has_capital & (at_home[first] > 0)
    own = state.cities.tribe == tribe
    others = own & ~(has_capital & (jnp.arange(len(own)) == first))
    order, count, after = _shuffled(state, others, chance)
    has_unit = (at_home[order] > 0) & (jnp.arange(len(order)) < count)
    source = jnp.where(from_capital, first, order[jnp.argmax(has_unit)])
    last = units.last_at_home(state.units, source)
    moved = units.rehome(state, last, city_slot)
    gives = from_capital | has_unit.any()
    state = choose(gives, moved, state)
    return state, chance._replace(used=jnp.where(from_capital, chance.used, after.used))


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
