"""`Heuristic`: the evaluator made of a scoring function that a person wrote for a game."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import fold_in
from jaxgames.internal import checks
from jaxgames.rules import Rules, SeatValues
from jaxgames.search import action_slots
from jaxgames.search.action_slots import ActionBatch, over_actions
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation

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
        legal = jax.vmap(self.rules.legal_actions)(state)
        return self.given_legal(params, state, legal, key)

    def given_legal(
        self, params: Params, state: GameStates, legal: Bool[Array, "B actions"], key: PRNGKeyArray
    ) -> Evaluation:
        """Returns the same, given the masks of legal actions."""
        del params
        values = jax.vmap(self.score)(state)
        if self.temperature is None:
            return Evaluation(jnp.zeros((values.shape[0], self.rules.num_actions)), values)

        def judge(after: GameStates, mover: Int32[Array, "N"]) -> Float[Array, "N players"]:
            del mover
            return jax.vmap(self.score)(after)

        after = values_after_actions(self.rules, state, legal, judge, self.width, key)
        mover = jax.vmap(self.rules.to_move)(state)
        own = jnp.take_along_axis(after, mover[:, None, None], axis=2)[..., 0]
        return Evaluation(own / self.temperature, values)


Judge = Callable[[GameStates, Int32[Array, "N"]], Float[Array, "N players"]]
"""Returns the value of positions for every seat, given the seat that acted before each."""


def values_after_actions(
    rules: Rules[Any],
    state: GameStates,
    legal: Bool[Array, "B actions"],
    judge: Judge,
    width: int,
    key: PRNGKeyArray,
) -> Float[Array, "B actions players"]:
    """Returns the value for every seat after each legal action; zeros for illegal actions.

    A game that ended with the action counts its returns. The cost grows with the number of legal
    actions. In games with chance, one outcome of each action is drawn.

    Args:
        rules: the game.
        state: `B` positions.
        legal: their masks of legal actions.
        judge: values of positions that are not over; it is called with `B * width` of them.
        width: successors judged at once for each game.
        key: of the outcomes of chance.
    """
    mover = jax.vmap(rules.to_move)(state).astype(jnp.int32)
    is_over = jax.vmap(rules.is_over)(state)
    words = action_slots.pack(legal & ~is_over[:, None])

    def judge_part(part: ActionBatch, found: Array) -> Array:
        games = jax.tree.map(lambda x: x[part.game], state)
        if rules.stochastic:
            keys = fold_in(jax.random.fold_in(key, part.part), jnp.arange(len(part.game)))
            after = jax.vmap(rules.step)(games, part.bit, keys)
        else:
            after = jax.vmap(lambda game, action: rules.step(game, action, None))(games, part.bit)
        has_ended = jax.vmap(rules.is_over)(after)
        returns = jax.vmap(rules.returns)(after)
        values = jnp.where(has_ended[:, None], returns, judge(after, mover[part.game]))
        row = jnp.where(part.is_there, part.game, len(mover))
        return found.at[row, part.bit].set(values, mode="drop")

    nothing = jnp.zeros((len(mover), rules.num_actions, rules.num_players))
    return over_actions(words, rules.num_actions, len(mover) * width, judge_part, nothing)
