"""What a city that grows and ruins may bring: stars, population, an explorer, a giant unit.

Source: the game's document, sections 6 and 12.5, and 9.4 for ruins on water.
"""

from typing import NamedTuple

import jax.numpy as jnp

from jaxgames.tribes.engine import cities, explorer, movement, units
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.units import UnitKind


class Reward(NamedTuple):
    """What the tribe to move gets."""

    stars: Number
    has_stars: Condition
    city: Number  # slot of the city that gets population
    population: Number
    tile: Number  # where the explorer starts and the giant unit appears
    explores: Condition
    has_giant: Condition
    sails: Condition  # the giant unit is a battleship
    home: Number  # of the giant unit
    pushed: Number  # status of the unit that makes room for it


def give(
    config: GameConfig, state: TribesState, reward: Reward, chance: Chance
) -> tuple[TribesState, Chance]:
    """Returns the state after the tribe to move has got a reward."""
    tribe = state.active.astype(jnp.int32)
    state = cities.gain_stars(config, state, tribe, reward.stars, reward.has_stars)
    state = cities.change_population(config, state, reward.city, reward.population, tribe)
    state, chance = explorer.explore(config, state, reward.tile, chance, reward.explores)

    state, chance = movement.push(
        config, state, reward.tile, reward.pushed, chance, reward.has_giant
    )
    kind = jnp.where(reward.sails, UnitKind.BATTLESHIP, UnitKind.SUPERUNIT)
    cargo = jnp.where(reward.sails, UnitKind.WARRIOR, UnitKind.SUPERUNIT)
    giant = units.recruit(config, cargo, tribe, reward.home, state.counter.astype(jnp.int32))
    giant = giant._replace(kind=kind)
    return state.replace(
        units=units.place(state.units, reward.tile, giant, reward.has_giant),
        counter=state.counter + reward.has_giant,
    ), chance
