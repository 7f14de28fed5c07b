"""Population, borders and levels of cities, and the stars and monuments of their tribes.

Source: the game's document, sections 5 and 6.
"""

import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32

from jaxgames.batching.arrays import add_at, set_cell
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
    cities = state.cities
    population = cities.population.astype(jnp.int32)
    change = jnp.maximum(amounts, -cities.level.astype(jnp.int32) - population)
    points = change * config.p.population_points
    tribes = state.tribes
    return state.replace(
        cities=cities.replace(
            population=(population + change).astype(cities.population.dtype),
            worth=(cities.worth + points).astype(cities.worth.dtype),
        ),
        tribes=tribes.replace(score=add_at(tribes.score, tribe, points.sum())),
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
    tribe: Number,
    monument: Monument,
    when: Condition,
    again: bool = False,
) -> Int8[Array, "P 7"]:
    """Returns the monuments with one made available to a tribe, if `when`.

    Only an unavailable monument changes; with `again`, a built one may be built anew.
    """
    is_due = when & ((monuments[tribe, monument] == MonumentState.UNAVAILABLE) | again)
    return set_cell(monuments, tribe, jnp.int32(monument), MonumentState.AVAILABLE, is_due)


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
    is_rich = (total[tribe] >= config.p.tomb_stars) & when
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


def claim(config: GameConfig, state: TribesState, city_slot: Number, tribe: Number) -> TribesState:
    """Returns the state after a city has taken all free tiles within its radius.

    It takes no village: a village becomes the centre of another city, and belongs to that city.
    """
    tiles, cities = state.tiles, state.cities
    centre = cities.tile[city_slot].astype(jnp.int32)
    area = grid.within(config.board, centre, cities.radius[city_slot].astype(jnp.int32))
    taken = area & (tiles.owner == NO_CITY) & (tiles.terrain != Terrain.VILLAGE)
    owner = jnp.where(taken, city_slot, tiles.owner).astype(tiles.owner.dtype)
    state = state.replace(tiles=tiles.replace(owner=owner))
    return earn_points(state, city_slot, taken.sum() * config.p.border_points, tribe)
