"""The evaluation of a position of Tribes that all search agents of its paper use.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020,
and section 18.2 of the game's document. The reference judges how a position differs from the root
of the search. The evaluation is linear in its features, so the root only subtracts a constant. This
constant is left out here.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxgames.boards import bits
from jaxgames.rules import SeatValues
from jaxgames.tribes.engine import turn
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState

LEAD_SCALE = 200.0  # worth of a lead at which a game is nearly decided
CONQUEST = 10_000.0  # more than the worth of all things that a tribe can have


class FeatureWeights(NamedTuple):
    """Worth of one of each thing that a tribe has."""

    production: float | Array = 5.0  # stars a turn
    technologies: float | Array = 4.0
    score: float | Array = 0.1
    cities: float | Array = 4.0
    units: float | Array = 2.0
    kills: float | Array = 3.0
    levels: float | Array = 2.0  # of all its cities together


DEFAULTS = FeatureWeights()


def features(config: GameConfig, state: TribesState) -> Float[Array, "P 7"]:
    """Returns the amounts of things that each tribe has, in the order of `FeatureWeights`."""
    tribes, cities = state.tribes, state.cities
    numbers = jnp.arange(config.players)
    owned = cities.tribe == numbers[:, None]
    stands = (state.units.kind >= 0) & (state.units.tribe == numbers[:, None])
    counted = FeatureWeights(
        production=jax.vmap(lambda tribe: turn.production(config, state, tribe))(numbers),
        technologies=bits.count(tribes.technologies),
        score=tribes.score,
        cities=owned.sum(axis=1),
        units=stands.sum(axis=1),
        kills=tribes.kills,
        levels=jnp.where(owned, cities.level.astype(jnp.int32), 0).sum(axis=1),
    )
    return jnp.stack([jnp.asarray(feature, jnp.float32) for feature in counted], axis=1)


def leads(
    config: GameConfig, state: TribesState, weights: FeatureWeights = DEFAULTS
) -> Float[Array, "P"]:
    """Returns the worth of each tribe's features less the mean worth of the other tribes."""
    own = features(config, state) @ jnp.asarray(weights, jnp.float32)
    return own - (own.sum() - own) / (config.players - 1)


def evaluate(
    config: GameConfig, state: TribesState, weights: FeatureWeights = DEFAULTS
) -> SeatValues:
    """Returns the value of a position to each seat: its lead and two further terms.

    Each city connected to the capital of a seat adds 1 to its value. Each tile that the tribe to
    move has seen adds 1 to the value of every seat. The reference has both terms; its paper does
    not name them.

    A conquest ends the game before the limit of turns. It has the highest value for the winner, the
    higher the sooner. In the simulations of the reference the tribe plays on after a conquest and
    gains more. Here the game is over, so without this rule a won playout would have a lower value.
    """
    tribes = state.tribes
    connected = bits.count(tribes.connected)
    seen = bits.count(tribes.visible[state.active.astype(jnp.int32)].astype(jnp.uint32)).sum()
    judged = leads(config, state, weights) + connected + seen
    conquest = jnp.where(state.ranking == 0, 1, -1) * (CONQUEST - state.tick)
    is_conquest = state.over & (state.tick <= config.last_tick)
    return jnp.where(is_conquest, conquest, judged)


@dataclasses.dataclass(frozen=True)
class WorthLead:
    """The score of the game for searches that take values from -1 to 1."""

    rules: Tribes

    def __call__(self, state: TribesState) -> SeatValues:
        """Returns the estimated return of each seat; with two seats they add up to zero."""
        return jnp.tanh(leads(self.rules.config, state) / LEAD_SCALE)
