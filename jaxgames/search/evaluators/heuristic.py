"""`Heuristic`: the evaluator made of a scoring function that a person wrote for a game."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.types import SeatValues

Score = Callable[[Any], SeatValues]
"""Estimates the return of every seat, in [-1, 1], from one position that is not over.

Must be hashable. In a game of two seats, the two values add up to zero."""


@dataclasses.dataclass(frozen=True)
class Heuristic:
    """Values from a scoring function, with a uniform prior."""

    rules: Rules[Any]
    score: Score

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the scores of a batch of positions as values."""
        del params, key
        values = jax.vmap(self.score)(state)
        return Evaluation(jnp.zeros((values.shape[0], self.rules.num_actions)), values)
