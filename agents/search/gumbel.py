"""Gumbel AlphaZero: the search of mctx on the true rules. The only module that knows mctx.

Source: Danihelka et al., "Policy improvement by planning with Gumbel", 2022.

What mctx asks for, in the terms of this project:

* embedding: the game state, nothing else;
* reward of an edge: the return of the seat that moved, paid when the game ends there;
* discount: 0 at the end, +1 if the same seat moves again, -1 if the other one does;
* value: that of the seat to move;
* illegal actions: the lowest finite logit, at every node;
* a finished node keeps its state and pays nothing more.

The tree has one slot for each *legal* action (`candidates.py`): a row of Onitama has 40 entries
instead of 202, which is what the search costs in time and memory.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from agents.agent import Decision, GameStates, Params
from agents.batches import select_rows
from agents.evaluators.evaluator import Evaluation, Evaluator
from agents.search import candidates
from jaxgames import Rules


@dataclasses.dataclass(frozen=True)
class GumbelSearch:
    """Gumbel AlphaZero for two-player zero-sum games.

    Raises:
        ValueError: for a game with another number of seats, or one with chance during play.
    """

    rules: Rules
    evaluator: Evaluator
    simulations: int = 32  # network evaluations below the root for one decision
    max_considered: int = 16  # root actions that sequential halving starts with
    gumbel_scale: float = 1.0  # 1 explores as in training; 0 plays the best action found

    def __post_init__(self) -> None:
        """Checks that mctx's sign rule fits the game."""
        if self.rules.num_players != 2:
            raise ValueError(
                f"gumbel searches two-player zero-sum games; {type(self.rules).__name__} has "
                f"{self.rules.num_players} seats"
            )
        if self.rules.stochastic:
            raise ValueError(f"gumbel cannot search {type(self.rules).__name__}: step draws chance")
        if self.simulations < 1:
            raise ValueError(f"simulations must be at least 1, got {self.simulations}")
        if not self.gumbel_scale >= 0:
            raise ValueError(f"gumbel_scale must be at least 0, got {self.gumbel_scale}")
        if self.max_considered < 1:
            raise ValueError(f"max_considered must be at least 1, got {self.max_considered}")

    def reset(self, batch_size: int) -> tuple[()]:
        """Returns the empty memory: nothing is kept between plies."""
        del batch_size
        return ()

    def act(
        self, params: Params, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Searches every game of the batch; `policy` is the improved policy of the paper."""
        mask = jax.vmap(self.rules.legal_actions)(state)
        output, seat = self.search(params, state, key)
        slot = output.action[:, None]
        action = candidates.action_at(candidates.pack(mask), slot)[:, 0]
        policy = candidates.to_dense(output.action_weights, mask)
        value = output.search_tree.summary().value
        return Decision(action, policy, _seat_values(value, seat)), memory

    def search(
        self, params: Params, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Any, Int32[Array, "B"]]:
        """Returns mctx's output, by slots of the legal list, and the seat to move."""
        eval_key, search_key = jax.random.split(key)
        seat = jax.vmap(self.rules.to_move)(state)
        over = jax.vmap(self.rules.is_over)(state)
        logits, value, filled = self._evaluate(params, state, seat, over, eval_key)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        output = mctx.gumbel_muzero_policy(
            params=params,
            rng_key=search_key,
            root=root,
            recurrent_fn=self._recurrent,
            num_simulations=self.simulations,
            invalid_actions=~filled,
            max_num_considered_actions=self.max_considered,
            gumbel_scale=self.gumbel_scale,
        )
        return output, seat

    def _recurrent(
        self, params: Params, key: PRNGKeyArray, slot: Int32[Array, "B"], state: GameStates
    ) -> tuple[Any, GameStates]:
        """Plays one action in every lane: mctx's model of the game."""
        rules = self.rules
        was_over = jax.vmap(rules.is_over)(state)
        mover = jax.vmap(rules.to_move)(state)
        words = candidates.pack(jax.vmap(rules.legal_actions)(state))
        action = candidates.action_at(words, slot[:, None])[:, 0]
        moved = jax.vmap(lambda s, a: rules.step(s, a, None))(state, action)
        after = select_rows(was_over, state, moved)

        over = jax.vmap(rules.is_over)(after)
        seat = jax.vmap(rules.to_move)(after)
        returns = jax.vmap(rules.returns)(after)
        reward = jnp.where(was_over, 0.0, _of_seat(returns, mover))
        logits, value, _ = self._evaluate(params, after, seat, over, key)
        discount = jnp.where(seat == mover, 1.0, -1.0)
        output = mctx.RecurrentFnOutput(
            reward=reward,
            discount=jnp.where(over, 0.0, discount),
            prior_logits=logits,
            value=value,
        )
        return output, after

    def _evaluate(
        self,
        params: Params,
        state: GameStates,
        seat: Int32[Array, "B"],
        over: Bool[Array, "B"],
        key: PRNGKeyArray,
    ) -> tuple[Float[Array, "B K"], Float[Array, "B"], Bool[Array, "B K"]]:
        """Returns logits by slot, the value of the seat to move, and which slots are filled."""
        evaluation: Evaluation = self.evaluator(params, state, key)
        words = candidates.pack(jax.vmap(self.rules.legal_actions)(state))
        actions, filled = candidates.legal_list(words, self.rules.max_legal_actions)
        logits = jnp.take_along_axis(evaluation.logits, actions, axis=-1)
        logits = jnp.where(filled, logits, jnp.finfo(logits.dtype).min)
        value = jnp.where(over, 0.0, _of_seat(evaluation.values, seat))
        return logits, value, filled


def _of_seat(values: Float[Array, "B players"], seat: Int32[Array, "B"]) -> Float[Array, "B"]:
    return jnp.take_along_axis(values, seat[:, None], axis=-1)[:, 0]


def _seat_values(value: Float[Array, "B"], seat: Int32[Array, "B"]) -> Float[Array, "B 2"]:
    """Returns the value of the seat to move as values of both seats of a zero-sum game."""
    own = jnp.arange(2) == seat[:, None]
    return jnp.where(own, value[:, None], -value[:, None])
