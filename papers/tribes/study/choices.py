"""Counts the choices of each turn of a game while it is played."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from jaxgames import Env
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.tribes.state import Stage, TribesState
from papers.tribes.study import paper

NUMBERS = 3  # decisions, choices, logarithms


@dataclasses.dataclass(frozen=True)
class Choices:
    """A tally: decisions, legal actions at them, and decimal logarithms of their numbers."""

    domain: PlannerDomain
    turns: int = paper.TURNS + 1

    @classmethod
    def of(cls, env: Env[Any]) -> "Choices":
        """Returns the tally for a game."""
        return cls(planner_domain_of(env))

    def start(self, num_games: int) -> Float[Array, "games players turns 3"]:
        """Returns zeros."""
        return jnp.zeros((num_games, self.domain.rules.num_players, self.turns, NUMBERS))

    def add(
        self,
        counts: Float[Array, "games players turns 3"],
        games: TribesState,
        moves: Bool[Array, "games"],
    ) -> Float[Array, "games players turns 3"]:
        """Adds a decision of each game in which the first ply of an action is due."""
        number = jax.vmap(self.domain.count_actions)(games)
        is_first = moves & (games.phase == Stage.SOURCE)
        lanes = jnp.where(is_first, jnp.arange(len(moves)), len(moves))
        seat, turn = games.active.astype(jnp.int32), games.tick.astype(jnp.int32)
        found = jnp.stack([jnp.ones_like(number), number, jnp.log10(number)], axis=-1)
        return counts.at[lanes, seat, turn].add(found, mode="drop")
