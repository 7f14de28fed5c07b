"""Examining ruins.

Source: the game's document, section 12.5.
"""

import jax.numpy as jnp
from jaxtyping import Array, UInt32

from jaxgames import sampling
from jaxgames.batching.arrays import set_row
from jaxgames.boards import bits
from jaxgames.tribes.engine import research
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import capital, first_joined, is_water
from jaxgames.tribes.engine.rewards import Reward
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.technologies import ALL_TECHNOLOGIES
from jaxgames.tribes.tables.terrain import Resource
from jaxgames.tribes.tables.tribes import NUM_OUTCOMES, Outcome
from jaxgames.tribes.tables.units import Status


def examine(
    config: GameConfig, state: TribesState, tile: Number, chance: Chance
) -> tuple[TribesState, Reward, Chance]:
    """Returns the state after the unit on a tile has examined the ruins there.

    The reward is to be given afterwards; a giant unit then pushes away the unit that found it.
    """
    p = config.p
    tribe = state.active.astype(jnp.int32)
    known = state.tribes.technologies[tribe]
    first, second, third = chance.next_words(3)
    outcome, repeats = _outcome(known == ALL_TECHNOLOGIES, first, second)

    learns = outcome == Outcome.RESEARCH
    open_ = research.researchable(known)
    word = jnp.where(repeats, third, second)
    number = sampling.bounded(word, jnp.maximum(bits.count(open_), 1))
    known |= jnp.where(learns, bits.single(bits.select(open_, number)), 0)
    tiles, before, tribes = state.tiles, state.units, state.tribes
    state = state.replace(
        tiles=tiles.replace(resource=set_row(tiles.resource, tile, Resource.NONE)),
        units=before.replace(status=set_row(before.status, tile, Status.FINISHED)),
        tribes=tribes.replace(technologies=set_row(tribes.technologies, tribe, known)),
    )
    reward = Reward(
        stars=jnp.asarray(p.ruins_stars, jnp.int32),
        has_stars=outcome == Outcome.RESOURCES,
        city=_handler(state, tribe),
        population=jnp.where(outcome == Outcome.POP_GROWTH, p.ruins_population, 0),
        tile=tile,
        explores=outcome == Outcome.EXPLORER,
        has_giant=outcome == Outcome.SUPERUNIT,
        sails=is_water(tiles.terrain[tile]),
        home=jnp.int32(NO_CITY),
        pushed=jnp.int32(Status.FINISHED),
    )
    return state, reward, chance.after(1 + repeats + learns)


def _outcome(
    knows_all: Condition, first: UInt32[Array, ""], second: UInt32[Array, ""]
) -> tuple[Number, Condition]:
    """Returns the outcome, and whether it was drawn twice.

    A tribe with all technologies draws once more if it is a technology.
    """
    outcome = sampling.bounded(first, NUM_OUTCOMES)
    again = sampling.bounded(second, NUM_OUTCOMES - 1)
    again += again >= Outcome.RESEARCH
    repeats = knows_all & (outcome == Outcome.RESEARCH)
    return jnp.where(repeats, again, outcome), repeats


def _handler(state: TribesState, tribe: Number) -> Number:
    """Returns the city that gains: the capital, or the first city left if the capital is lost."""
    first, owned = capital(state.cities, tribe)
    return jnp.where(owned, first, first_joined(state.cities, state.cities.tribe == tribe))
