"""The players of a run: one search to a fixed depth, in which only the parameters differ."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from agents.agent import GameStates, Params
from agents.evaluators.tuning import Group, Tunable, group_of
from configs.evolution import EvolutionConfig
from jaxgames.env import Env
from train.evolution import matches


class Players(NamedTuple):
    """How players are made from their genes, and how they choose their moves."""

    env: Env[Any]
    choose: matches.Choose
    put: Callable[[Int32[Array, "genes"]], Params]

    def play(self, opening_plies: int, lanes: int | None) -> matches.Play:
        """Returns games between them."""
        return matches.make_play(self.env, self.choose, self.put, opening_plies, lanes)


def make_players(
    env: Env[Any], tunable: Tunable, group: Group, config: EvolutionConfig
) -> Players:
    """Returns the players of a run.

    Raises:
        ValueError: if the search cannot play the game, or the openings leave no game to play.
    """
    for name in ("match", "evaluation"):
        plies = getattr(config, name).opening_plies
        if plies >= env.max_steps:
            raise ValueError(
                f"{name}.opening_plies must be below {env.max_steps}, the limit of a game, "
                f"got {plies}"
            )
    params = _fixed_params(tunable, config)
    search = DepthFirst(env.rules, tunable.score, config.match.depth)

    def choose(params: Params, states: GameStates) -> Int32[Array, "B"]:
        return search.search(params, states, key).action

    return Players(env, choose, lambda genes: group.put(params, genes))


def _fixed_params(tunable: Tunable, config: EvolutionConfig) -> Params:
    """Returns the parameters into which the genes are put."""
    if config.material is None:
        return tunable.params
    weights = jnp.array(np.array(config.material, np.int32))
    return group_of(tunable, "material").put(tunable.params, weights)
