"""`Heuristic`: the evaluator made of a scoring function that a person wrote for a game."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.internal import checks
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.evaluators.successors import values_after_actions
from jaxgames.types import SeatValues

Score = Callable[[Any], SeatValues]
"""Estimates the return of every seat, in [-1, 1], from one position that is not over.

Must be hashable. In a game of two seats, the two values add up to zero."""


@dataclasses.dataclass(frozen=True)
class Heuristic:
    """Values from a scoring function; the prior is uniform or made of the scores of successors.

    With `temperature`, the logit of an action is the score of its successor for the seat to move,
    divided by the temperature. Then the cost is that of scoring all successors. In games with
    chance, one outcome of each action is drawn.
    """

    rules: Rules[Any]
    score: Score
    temperature: float | None = None  # None: a uniform prior
    width: int = 8  # successors scored at once for each game of the batch

    def __post_init__(self) -> None:
        """Checks the settings."""
        checks.count("width", self.width)
        if self.temperature is not None and not self.temperature > 0:
            raise ValueError(f"temperature must be above 0 or None, got {self.temperature}")

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the scores of a batch of positions as values, and the prior."""
        del params
        values = jax.vmap(self.score)(state)
        if self.temperature is None:
            return Evaluation(jnp.zeros((values.shape[0], self.rules.num_actions)), values)
        after = values_after_actions(
            self.rules, state, lambda after, mover: jax.vmap(self.score)(after), self.width, key
        )
        mover = jax.vmap(self.rules.to_move)(state)
        own = jnp.take_along_axis(after, mover[:, None, None], axis=2)[..., 0]
        return Evaluation(own / self.temperature, values)
