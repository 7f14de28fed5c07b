"""`Uniform`: the evaluator that knows nothing."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation


@dataclasses.dataclass(frozen=True)
class Uniform:
    """Equal priors for all actions, and value zero for every seat."""

    rules: Rules[Any]

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns zeros for a batch of positions."""
        del params, key
        batch_size = jax.tree.leaves(state)[0].shape[0]
        return Evaluation(
            logits=jnp.zeros((batch_size, self.rules.num_actions), jnp.float32),
            values=jnp.zeros((batch_size, self.rules.num_players), jnp.float32),
        )
