"""Technologies: what can be researched, what it costs, what it brings.

Source: the game's document, section 3.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, UInt32

from jaxgames.batching.arrays import add_at, as_bits, as_int, has_bit, set_row
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities
from jaxgames.tribes.engine.config import GameConfig, Number
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import Monument
from jaxgames.tribes.tables.technologies import (
    ALL_TECHNOLOGIES,
    NUM_TIERS,
    PARENT_BIT,
    TIER,
    Technology,
)


def researchable(known: UInt32[Array, ""]) -> UInt32[Array, ""]:
    """Returns the technologies, as bits, that can be learnt next by a tribe that knows `known`."""
    has_parent = (known & PARENT_BIT) == PARENT_BIT
    return as_bits(has_parent) & ~known


def costs(config: GameConfig, state: TribesState, tribe: Number) -> Int32[Array, "tiers"]:
    """Returns the current price for a tribe, in stars, of a technology of each tier."""
    p = config.p
    num_cities = (state.cities.tribe == tribe).sum()
    full = p.technology_base_cost + np.arange(1, NUM_TIERS + 1) * num_cities
    # The reference charges the percentage of the discount instead of the rest.
    percent = 100 - p.discount_percent if config.corrected_rules else p.discount_percent
    is_wise = has_bit(state.tribes.technologies[tribe], int(Technology.PHILOSOPHY))
    return jnp.where(is_wise, full * percent // 100, full)


def affordable(config: GameConfig, state: TribesState) -> UInt32[Array, ""]:
    """Returns the technologies, as bits, that the tribe to move can research now."""
    tribe = state.active.astype(jnp.int32)
    stars = as_int(state.tribes.stars, tribe)
    paid = costs(config, state, tribe)[TIER - 1] <= stars
    return researchable(state.tribes.technologies[tribe]) & as_bits(paid)


def research(config: GameConfig, state: TribesState, technology: Number) -> TribesState:
    """Returns the state after the tribe to move has researched a technology."""
    tribe = state.active.astype(jnp.int32)
    tier = jnp.asarray(TIER)[technology] - 1
    state = cities.pay(state, tribe, costs(config, state, tribe)[tier])
    tribes = state.tribes
    known = tribes.technologies[tribe] | bits.single(technology)
    return state.replace(
        tribes=tribes.replace(
            technologies=set_row(tribes.technologies, tribe, known),
            score=add_at(tribes.score, tribe, jnp.asarray(config.p.tier_points)[tier]),
            monuments=cities.available(
                tribes.monuments, tribe, Monument.TOWER, known == ALL_TECHNOLOGIES
            ),
        )
    )
