"""What a position of Tribes is worth: the evaluation of all search agents of its paper.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020,
and section 18.2 of the game's document. The reference judges how a position differs from the root
of the search; the worth is linear in what it counts, so that the root only subtracts a constant.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxgames.boards import bits
from jaxgames.tribes.engine import turn
from jaxgames.tribes.engine.config import (
    GameConfig,
)
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState
from jaxgames.types import SeatValues

LEAD_SCALE = 200.0  # worth of a lead at which a game is nearly decided
CONQUEST = 10_000.0  # more than all that a tribe can have is worth


class Weights(NamedTuple):
    """Worth of one of each thing that a tribe has."""

    production: float | Array = 5.0  # stars a turn
    technologies: float | Array = 4.0
    score: float | Array = 0.1
    cities: float | Array = 4.0
    units: float | Array = 2.0
    kills: float | Array = 3.0
    levels: float | Array = 2.0  # of all its cities together


DEFAULTS = Weights()


def features(config: GameConfig, state: TribesState) -> Float[Array, "P 7"]:
    """Returns what each tribe has, in the order of `Weights`."""
    tribes, cities = state.tribes, state.cities
    numbers = jnp.arange(config.players)
    owned = cities.tribe == numbers[:, None]
    stands = (state.units.kind >= 0) & (state.units.tribe == numbers[:, None])
    counted = Weights(
        production=jax.vmap(lambda tribe: turn.production(config, state, tribe))(numbers),
        technologies=bits.count(tribes.technologies),
        score=tribes.score,
        cities=owned.sum(axis=1),
        units=stands.sum(axis=1),
        kills=tribes.kills,
        levels=jnp.where(owned, cities.level.astype(jnp.int32), 0).sum(axis=1),
    )
    return jnp.stack([jnp.asarray(feature, jnp.float32) for feature in counted], axis=1)


def leads(config: GameConfig, state: TribesState, weights: Weights = DEFAULTS) -> Float[Array, "P"]:
    """Returns by how much the features of each tribe are worth more than the mean of the others."""
    own = features(config, state) @ jnp.asarray(weights, jnp.float32)
    return own - (own.sum() - own) / (config.players - 1)


def worth(config: GameConfig, state: TribesState, weights: Weights = DEFAULTS) -> SeatValues:
    """Returns what a position is worth to each seat.

    Besides the lead, each city connected to the own capital counts 1, and each tile that the tribe
    to move has seen, whoever judges: as the reference has it, not its paper.

    A conquest, which ends the game before the limit of turns, is worth more to the winner than
    anything else, the sooner the better. In the simulations of the reference, the tribe plays on
    after it, and what it does then counts as well; here a playout would be worth less for having
    won.
    """
    tribes = state.tribes
    connected = bits.count(tribes.connected)
    seen = bits.count(tribes.visible[state.active.astype(jnp.int32)].astype(jnp.uint32)).sum()
    judged = leads(config, state, weights) + connected + seen
    conquest = jnp.where(state.ranking == 0, 1, -1) * (CONQUEST - state.tick)
    is_conquest = state.over & (state.tick <= config.last_tick)
    return jnp.where(is_conquest, conquest, judged)


@dataclasses.dataclass(frozen=True)
class Lead:
    """The score of the game for searches that take values from -1 to 1."""

    rules: Tribes

    def __call__(self, state: TribesState) -> SeatValues:
        """Returns the guess at each seat's return; those of two seats add up to zero."""
        return jnp.tanh(leads(self.rules.config, state) / LEAD_SCALE)
