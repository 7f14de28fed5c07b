"""Effects of a building: for its city, and from matching buildings on the tiles beside it.

Source: the game's document, section 5.1, oddities of the reference included.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from jaxgames.batching.arrays import add_at, as_int, has_bit
from jaxgames.tribes.engine.cities import change_populations
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import cities_of
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import (
    BASES,
    FIRST_MONUMENT,
    FIRST_TEMPLE,
    LAST_TEMPLE,
    MAX_TEMPLE_LEVEL,
    NUM_BUILDINGS,
    OF_PRODUCTION,
    PARTNER,
    BuildingKind,
)

_NOTHING = -2  # the partner of a building that has no partner; -1 means no building
_PARTNERS = np.array([PARTNER.get(BuildingKind(b), _NOTHING) for b in range(NUM_BUILDINGS)])
# The building of a pair whose bonus counts, once for each partner beside it.
_COUNTED = np.array([PARTNER[BuildingKind(b)] if b in BASES else b for b in range(NUM_BUILDINGS)])
_BRINGS_PRODUCTION = np.isin(np.arange(NUM_BUILDINGS), OF_PRODUCTION)
_BRINGS_POPULATION = np.array(
    [b in BASES or b == BuildingKind.PORT or b >= FIRST_TEMPLE for b in range(NUM_BUILDINGS)]
)


class Effects(NamedTuple):
    """What the cities and the tribe get from a building, or lose."""

    population: Int32[Array, "C"]
    production: Int32[Array, "C"]
    points: Number


def effects_of(
    config: GameConfig,
    state: TribesState,
    tile: Number,
    building: Number,
    tribe: Number,
    sign: Number,
    only_matching: bool = False,
    when: Condition | bool = True,
) -> Effects:
    """Returns the effects of a building, added (`sign` 1) or removed (-1).

    Args:
        config: options of the game.
        state: a position; whether the building stands in it does not matter.
        tile: where the building is; its owner is the city that has the building.
        building: its kind.
        tribe: the tribe whose score changes, and whose other cities may gain.
        sign: 1 or -1.
        only_matching: leave out the population of the building itself.
        when: if false, all effects are 0.
    """
    p = config.p
    building = jnp.maximum(building, 0)
    city = as_int(state.tiles.owner, tile)
    gains = _from_neighbours(config, state, tile, building, tribe, city)
    gains = jnp.where(when, sign * gains, 0)
    city_slots = jnp.arange(gains.shape[0])
    by_production = jnp.asarray(_BRINGS_PRODUCTION)[building]
    population = jnp.where(by_production, 0, gains)
    if not only_matching:
        own = jnp.asarray(p.building_bonus)[building] * jnp.asarray(_BRINGS_POPULATION)[building]
        population += jnp.where((city_slots == city) & when, sign * own, 0)
    points = _points(config, state, tile, building, sign)
    return Effects(population, jnp.where(by_production, gains, 0), jnp.where(when, points, 0))


def apply(config: GameConfig, state: TribesState, effects: Effects, tribe: Number) -> TribesState:
    """Returns the state after all effects of a building."""
    state = change_populations(config, state, effects.population, tribe)
    return apply_rest(state, effects, tribe)


def apply_rest(state: TribesState, effects: Effects, tribe: Number) -> TribesState:
    """Returns the state after all effects of a building but those on populations."""
    cities, tribes = state.cities, state.tribes
    production = jnp.maximum(cities.production + effects.production, 0)
    return state.replace(
        cities=cities.replace(production=production.astype(cities.production.dtype)),
        tribes=tribes.replace(score=add_at(tribes.score, tribe, effects.points)),
    )


def _from_neighbours(
    config: GameConfig,
    state: TribesState,
    tile: Number,
    building: Number,
    tribe: Number,
    city: Number,
) -> Number:
    """Returns the gain of each city from the matching buildings beside `tile`.

    In the reference, a match in another city of the tribe makes that city gain from all later
    matches too. A match in a foreign city ends the search.
    """
    tiles, cities = state.tiles, state.cities
    beside = jnp.asarray(config.board.neighbours)[tile]
    matches = (beside >= 0) & (tiles.building[beside] == jnp.asarray(_PARTNERS)[building])
    owner = tiles.owner[beside].astype(jnp.int32)
    mine = (owner != NO_CITY) & has_bit(cities_of(cities, tribe), jnp.maximum(owner, 0))
    is_own = (owner == city) | mine
    if config.corrected_rules:
        counts = matches & is_own
        gainer = jnp.full_like(owner, city)
    else:
        counts = matches & (jnp.cumsum(matches & ~is_own) == 0)
        others = jnp.where(counts & (owner != city), jnp.arange(len(owner)), -1)
        latest = jnp.where(jnp.tri(len(owner), dtype=bool), others, -1).max(axis=1)
        gainer = jnp.where(latest >= 0, owner[latest], city)
    amount = jnp.asarray(config.p.building_bonus)[jnp.asarray(_COUNTED)[building]]
    city_slots = jnp.arange(cities.tile.shape[0])
    return amount * (counts & (gainer == city_slots[:, None])).sum(axis=1)


def _points(
    config: GameConfig, state: TribesState, tile: Number, building: Number, sign: Number
) -> Number:
    p = config.p
    levels = np.arange(1, MAX_TEMPLE_LEVEL + 1)
    growth = jnp.asarray(p.temple_points)
    reached = as_int(state.tiles.temple_level, tile)
    # The reference adds the points of a destroyed temple once more.
    lost = jnp.where(levels <= reached, growth, 0).sum() * (-1 if config.corrected_rules else 1)
    temple = jnp.where(sign > 0, growth[0], lost)
    is_temple = (building >= FIRST_TEMPLE) & (building <= LAST_TEMPLE)
    monument = jnp.where(building >= FIRST_MONUMENT, sign * jnp.asarray(p.monument_points), 0)
    return jnp.where(is_temple, temple, monument)
