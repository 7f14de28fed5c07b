"""Population, borders and levels of cities, and the stars and monuments of their tribes.

Source: the game's document, sections 5 and 6.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32

from jaxgames.batching.arrays import add_at
from jaxgames.tribes.engine import grid
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import Monument, MonumentState
from jaxgames.tribes.tables.terrain import Terrain

MOST_STARS = 32_767  # limit for a tribe; with the usual figures, a tribe has about a hundred


def change_populations(
    config: GameConfig, state: TribesState, amounts: Int32[Array, "C"], tribe: Number
) -> TribesState:
    """Returns the state after the population of each city has changed by its amount.

    A population does not fall below minus the level of its city. The points of a change are
    added to the score of `tribe` and to the worth of the city.
    """
    return change_in_order(config, state, [(amounts, tribe)])


def change_in_order(
    config: GameConfig, state: TribesState, changes: Sequence[tuple[Int32[Array, "C"], Number]]
) -> TribesState:
    """Returns the state after several changes of all populations, one after the other.

    Each is the amount for each city, and the tribe whose score changes (`change_populations`).
    """
    cities, tribes = state.cities, state.tribes
    least = -cities.level.astype(jnp.int32)
    before = population = cities.population.astype(jnp.int32)
    numbers = np.arange(tribes.score.shape[0])[:, None]
    of_tribes = jnp.int32(0)
    for amounts, tribe in changes:
        change = jnp.maximum(amounts, least - population)
        population += change
        of_tribes += jnp.where(numbers == tribe, change, 0)
    worth = cities.worth + (population - before) * config.p.population_points
    score = tribes.score + of_tribes.sum(axis=1) * config.p.population_points
    return state.replace(
        cities=cities.replace(
            population=population.astype(cities.population.dtype),
            worth=worth.astype(cities.worth.dtype),
        ),
        tribes=tribes.replace(score=score.astype(tribes.score.dtype)),
    )


def change_population(
    config: GameConfig, state: TribesState, city_slot: Number, amount: Number, tribe: Number
) -> TribesState:
    """Returns the state after the population of one city has changed."""
    city_slots = jnp.arange(state.cities.tile.shape[0])
    return change_populations(config, state, jnp.where(city_slots == city_slot, amount, 0), tribe)


def earn_points(
    state: TribesState,
    city_slot: Number,
    points: Number,
    tribe: Number,
    when: Condition | bool = True,
) -> TribesState:
    """Returns the state after a tribe got points for a city; the captor of the city gets them."""
    cities, tribes = state.cities, state.tribes
    return state.replace(
        cities=cities.replace(worth=add_at(cities.worth, city_slot, points, when)),
        tribes=tribes.replace(score=add_at(tribes.score, tribe, points, when)),
    )


def available(
    monuments: Int8[Array, "P 7"],
    tribe: Number | Int32[Array, "P"],
    monument: Monument,
    when: Condition | Bool[Array, "P"],
    again: bool = False,
) -> Int8[Array, "P 7"]:
    """Returns the monuments with one made available to a tribe, if `when`.

    Only an unavailable monument changes; with `again`, a built one may be built anew. Both the
    tribe and `when` may be given for each tribe.
    """
    players, kinds = monuments.shape
    is_due = (np.arange(players) == tribe) & when
    chosen = is_due[:, None] & (np.arange(kinds) == monument)
    chosen &= (monuments == MonumentState.UNAVAILABLE) | again
    return jnp.where(chosen, jnp.int8(MonumentState.AVAILABLE), monuments)


def gain_stars(
    config: GameConfig,
    state: TribesState,
    tribe: Number,
    stars: Number,
    when: Condition | bool = True,
) -> TribesState:
    """Returns the state after a tribe has gained stars, if `when`; enough stars allow a tomb."""
    tribes = state.tribes
    total = add_at(tribes.stars.astype(jnp.int32), tribe, stars, when)
    total = jnp.minimum(total, MOST_STARS).astype(tribes.stars.dtype)
    is_rich = (total >= config.p.tomb_stars) & when
    return state.replace(
        tribes=tribes.replace(
            stars=total,
            monuments=available(tribes.monuments, tribe, Monument.TOMB, is_rich),
        )
    )


def pay(
    state: TribesState, tribe: Number, stars: Number, when: Condition | bool = True
) -> TribesState:
    """Returns the state after a tribe has spent stars, if `when`."""
    tribes = state.tribes
    return state.replace(tribes=tribes.replace(stars=add_at(tribes.stars, tribe, -stars, when)))


def claim(
    config: GameConfig,
    state: TribesState,
    city_slot: Number,
    tribe: Number,
    when: Condition | bool = True,
) -> TribesState:
    """Returns the state after a city has taken all free tiles within its radius, if `when`.

    It takes no village: a village becomes the centre of another city, and belongs to that city.
    """
    tiles, cities = state.tiles, state.cities
    centre = cities.tile[city_slot].astype(jnp.int32)
    area = grid.within(config.board, centre, cities.radius[city_slot].astype(jnp.int32))
    taken = area & when & (tiles.owner == NO_CITY) & (tiles.terrain != Terrain.VILLAGE)
    owner = jnp.where(taken, city_slot, tiles.owner).astype(tiles.owner.dtype)
    state = state.replace(tiles=tiles.replace(owner=owner))
    return earn_points(state, city_slot, taken.sum() * config.p.border_points, tribe)
