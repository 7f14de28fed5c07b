"""The players of a run: one search to a fixed depth, in which only the parameters differ."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt32

from agents.agent import GameStates, Params
from agents.evaluators.tuning import Group, Tunable, group_of
from agents.search.depth_first.search import DepthFirst
from configs.evolution import EvolutionConfig
from jaxgames.env import Env


@dataclasses.dataclass(frozen=True, eq=False)
class Players:
    """How players are made from their genes, and how they choose their moves."""

    search: DepthFirst
    tunable: Tunable
    group: Group
    params: Params  # one player's, in which the genes are put

    def latches(self, states: GameStates) -> Bool[Array, "B"]:
        """Whether the seat to move throws its latch (see `tuning.Latch`) in each position."""
        latch = self.tunable.latch
        if latch is None:
            return jnp.zeros(jax.tree.leaves(states)[0].shape[0], bool)
        return jax.vmap(latch.is_due)(states)

    def choose(
        self,
        genomes: Int32[Array, "B genes"],
        is_latched: Bool[Array, "B"],
        states: GameStates,
        noise: UInt32[Array, "B"],
    ) -> Int32[Array, "B"]:
        """Returns the moves of the seats to move; `noise` decides between equally good ones."""
        params = jax.vmap(self._params)(genomes, is_latched)
        unused_key = jax.random.key(0)
        progress = self.search.start(params, states, unused_key)
        # Noise of the search's own making would depend on the lane in which a game is played.
        progress = progress._replace(noise=noise)
        progress = self.search.advance(params, progress, np.iinfo(np.int32).max)
        return self.search.found(progress).action

    def _params(self, genes: Int32[Array, "genes"], is_latched: Bool[Array, ""]) -> Params:
        params = self.group.put(self.params, genes)
        if self.tunable.latch is None:
            return params
        thrown = self.tunable.latch.thrown(params)
        return jax.tree.map(lambda x, y: jnp.where(is_latched, x, y), thrown, params)


def make_players(env: Env[Any], tunable: Tunable, group: Group, config: EvolutionConfig) -> Players:
    """Returns the players of a run.

    Raises:
        ValueError: if the search cannot play the game.
    """
    params = tunable.params
    if config.material is not None:
        weights = jnp.array(np.array(config.material, np.int32))
        params = group_of(tunable, "material").put(params, weights)
    return Players(DepthFirst(env.rules, tunable.score, config.match.depth), tunable, group, params)
