"""Cities that grow to the next level.

Source: the game's document, section 6.
"""

import jax.numpy as jnp

from jaxgames.batching.arrays import add_at, set_row
from jaxgames.tribes.engine import cities
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import first_joined, needed_population
from jaxgames.tribes.engine.rewards import Reward
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import Monument
from jaxgames.tribes.tables.tribes import LAST_CHOICE_LEVEL, LevelUp
from jaxgames.tribes.tables.units import Status

MAX_LEVEL = 127  # limit of the type in the state; a city reaches it in an endless turn only


def city_to_level(state: TribesState) -> tuple[Number, Condition]:
    """Returns the first city of the tribe to move that must level up, and whether there is one."""
    ready = (
        (state.cities.tribe == state.active)
        & (state.cities.population >= needed_population(state.cities))
        & (state.cities.level < MAX_LEVEL)
    )
    return first_joined(state.cities, ready), ready.any()


def level_up(config: GameConfig, state: TribesState, option: Number) -> tuple[TribesState, Reward]:
    """Returns the state after the city that must level up has taken its first or second option.

    The reward is to be given afterwards.
    """
    p = config.p
    tribe = state.active.astype(jnp.int32)
    city_slot, _ = city_to_level(state)
    level = state.cities.level[city_slot].astype(jnp.int32)
    stage = jnp.minimum(level, LAST_CHOICE_LEVEL) - 1
    chosen = 2 * stage + option

    tribes = state.tribes
    may_build_park = level >= LAST_CHOICE_LEVEL
    tribes = tribes.replace(
        monuments=cities.available(tribes.monuments, tribe, Monument.PARK, may_build_park)
    )
    points = jnp.asarray(p.level_points)[stage]
    points += jnp.where(chosen == LevelUp.PARK, p.park_points, 0)
    state = cities.earn_points(state.replace(tribes=tribes), city_slot, points, tribe)
    before = state.cities
    state = state.replace(
        cities=before.replace(
            level=add_at(before.level, city_slot, 1),
            population=add_at(before.population, city_slot, -(level + 1)),
            production=add_at(
                before.production, city_slot, p.workshop_production, chosen == LevelUp.WORKSHOP
            ),
            walls=set_row(before.walls, city_slot, True, chosen == LevelUp.CITY_WALL),
            radius=add_at(before.radius, city_slot, 1, chosen == LevelUp.BORDER_GROWTH),
        )
    )
    # No tile within the old radius is free: the claim takes tiles only if the radius has grown.
    state = cities.claim(config, state, city_slot, tribe)
    return state, Reward(
        stars=jnp.asarray(p.level_stars, jnp.int32),
        has_stars=chosen == LevelUp.RESOURCES,
        city=city_slot,
        population=jnp.where(chosen == LevelUp.POP_GROWTH, p.level_population, 0),
        tile=state.cities.tile[city_slot].astype(jnp.int32),
        explores=chosen == LevelUp.EXPLORER,
        has_giant=chosen == LevelUp.SUPERUNIT,
        sails=jnp.bool_(False),
        home=city_slot,
        pushed=jnp.int32(Status.PUSHED),
    )
