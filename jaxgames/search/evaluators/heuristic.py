"""`Heuristic`: the evaluator made of a scoring function that a person wrote for a game."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from jaxgames.batches import fold_in
from jaxgames.rules import Rules
from jaxgames.search import action_slots, checks
from jaxgames.search.action_lists import ActionBatch, over_actions
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation
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
        return Evaluation(self._scores_of_successors(state, key) / self.temperature, values)

    def _scores_of_successors(
        self, state: GameStates, key: PRNGKeyArray
    ) -> Float[Array, "B actions"]:
        """Returns the score for the mover after each legal action; zero for illegal actions."""
        rules = self.rules
        mover = jax.vmap(rules.to_move)(state)
        is_over = jax.vmap(rules.is_over)(state)
        words = action_slots.pack(jax.vmap(rules.legal_actions)(state) & ~is_over[:, None])

        def score_after(game: Any, action: Array, key: PRNGKeyArray | None) -> Array:
            after = rules.step(game, action, key)
            return jnp.where(rules.is_over(after), rules.returns(after), self.score(after))

        def score_part(part: ActionBatch, scores: Array) -> Array:
            games = jax.tree.map(lambda x: x[part.game], state)
            if rules.stochastic:
                keys = fold_in(jax.random.fold_in(key, part.part), jnp.arange(len(part.game)))
                after = jax.vmap(score_after)(games, part.bit, keys)
            else:
                after = jax.vmap(lambda game, action: score_after(game, action, None))(
                    games, part.bit
                )
            own = jnp.take_along_axis(after, mover[part.game][:, None], axis=1)[:, 0]
            row = jnp.where(part.is_there, part.game, len(mover))
            return scores.at[row, part.bit].set(own, mode="drop")

        scores = jnp.zeros((len(mover), rules.num_actions))
        size = len(mover) * self.width
        return over_actions(words, rules.num_actions, size, score_part, scores)
