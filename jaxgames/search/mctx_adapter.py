"""Gumbel MuZero by mctx, on the true rules. No other module imports mctx.

Source: Danihelka et al., "Policy improvement by planning with Gumbel", 2022.

How the terms of mctx map to those of this library:

* embedding: the game state, and the action of each slot unless slot and action are the same;
* reward of an edge: the return of the seat that moved, paid when the game ends there;
* discount: 0 at the end, +1 if the same seat moves again, -1 if the other one does;
* value: the value of the seat to move;
* illegal actions: they have the lowest finite logit at every node;
* a finished game: it keeps its state and pays nothing more.

Tests compare `jaxgames/search/tree` with it, which is faster and takes any number of seats and
chance.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import select_rows
from jaxgames.internal import checks
from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.agent import Decision, GameStates, Memoryless, Params
from jaxgames.search.evaluators.evaluator import Evaluation, Evaluator
from jaxgames.search.tree.gumbel import Gumbel


@dataclasses.dataclass(frozen=True)
class MctxGumbel(Memoryless):
    """Gumbel MuZero for two-player zero-sum games, searched by mctx.

    Raises:
        ValueError: for a game with another number of seats, or one with chance during play.
    """

    rules: Rules
    evaluator: Evaluator
    policy: Gumbel = dataclasses.field(default_factory=Gumbel)
    simulations: int = 32  # network evaluations below the root for one decision
    max_children: int | None = None  # most actions a node keeps: the most probable; None: all

    def __post_init__(self) -> None:
        """Checks that mctx's sign rule fits the game."""
        if self.rules.num_players != 2:
            raise ValueError(
                f"mctx searches two-player zero-sum games; {type(self.rules).__name__} has "
                f"{self.rules.num_players} seats"
            )
        if self.rules.stochastic:
            raise ValueError(f"mctx cannot search {type(self.rules).__name__}: step draws chance")
        checks.count("simulations", self.simulations)
        if self.max_children is not None and self.max_children < 1:
            raise ValueError(f"max_children must be at least 1 or None, got {self.max_children}")

    def act(
        self, params: Params, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns the decision in every game; `policy` is the improved policy of the paper."""
        output, root = self.search(params, state, key)
        action = output.action
        policy = output.action_weights
        if root.action is not None:
            action = jnp.take_along_axis(root.action, action[:, None], axis=-1)[:, 0]
            at = jnp.where(root.filled, root.action, self.rules.num_actions)
            dense = jnp.zeros((len(action), self.rules.num_actions))
            policy = dense.at[jnp.arange(len(action))[:, None], at].set(policy, mode="drop")
        else:
            policy = jnp.where(root.filled, policy, 0.0)
        value = output.search_tree.summary().value
        return Decision(action, policy, _seat_values(value, root.seat)), memory

    def search(
        self, params: Params, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Any, "_Position"]:
        """Returns the output of mctx, by slot, and the roots."""
        eval_key, search_key = jax.random.split(key)
        root = self._look_at(params, state, eval_key)
        output = mctx.gumbel_muzero_policy(
            params=params,
            rng_key=search_key,
            root=mctx.RootFnOutput(
                prior_logits=root.logits, value=root.value, embedding=(state, root.action)
            ),
            recurrent_fn=self._recurrent,
            num_simulations=self.simulations,
            invalid_actions=~root.filled,
            max_num_considered_actions=self.policy.max_considered,
            gumbel_scale=self.policy.gumbel_scale,
            qtransform=functools.partial(
                mctx.qtransform_completed_by_mix_value,
                value_scale=self.policy.value_scale,
                maxvisit_init=self.policy.visit_offset,
                rescale_values=self.policy.rescale_values,
            ),
        )
        return output, root

    def _recurrent(
        self, params: Params, key: PRNGKeyArray, slot: Int32[Array, "B"], embedding: Any
    ) -> tuple[Any, Any]:
        """Plays one action in every lane: the `recurrent_fn` of mctx."""
        rules = self.rules
        state, actions = embedding
        action = slot
        if actions is not None:
            action = jnp.take_along_axis(actions, slot[:, None], axis=-1)[:, 0]
        was_over = jax.vmap(rules.is_over)(state)
        mover = jax.vmap(rules.to_move)(state)
        moved = jax.vmap(lambda s, a: rules.step(s, a, None))(state, action)
        after = select_rows(was_over, state, moved)

        returns = jax.vmap(rules.returns)(after)
        reward = jnp.where(was_over, 0.0, _of_seat(returns, mover))
        new = self._look_at(params, after, key)
        discount = jnp.where(new.seat == mover, 1.0, -1.0)
        output = mctx.RecurrentFnOutput(
            reward=reward,
            discount=jnp.where(new.over, 0.0, discount),
            prior_logits=new.logits,
            value=new.value,
        )
        return output, (after, new.action)

    def _look_at(self, params: Params, state: GameStates, key: PRNGKeyArray) -> "_Position":
        rules = self.rules
        evaluation: Evaluation = self.evaluator(params, state, key)
        mask = jax.vmap(rules.legal_actions)(state)
        slots = action_slots.num_slots(rules, self.max_children)
        action, filled = action_slots.choose(rules, mask, evaluation.logits, slots)
        logits = action_slots.at_slots(evaluation.logits, action)
        seat = jax.vmap(rules.to_move)(state)
        over = jax.vmap(rules.is_over)(state)
        return _Position(
            logits=jnp.where(filled, logits, jnp.finfo(logits.dtype).min),
            value=jnp.where(over, 0.0, _of_seat(evaluation.values, seat)),
            action=None if slots == rules.num_actions else action,
            filled=filled,
            seat=seat,
            over=over,
        )


class _Position(NamedTuple):
    """Positions as mctx sees them."""

    logits: Float[Array, "B K"]
    value: Float[Array, "B"]  # of the seat to move
    action: Int32[Array, "B K"] | None  # None: slot and action are the same
    filled: Bool[Array, "B K"]
    seat: Int32[Array, "B"]
    over: Bool[Array, "B"]


def _of_seat(values: Float[Array, "B players"], seat: Int32[Array, "B"]) -> Float[Array, "B"]:
    return jnp.take_along_axis(values, seat[:, None], axis=-1)[:, 0]


def _seat_values(value: Float[Array, "B"], seat: Int32[Array, "B"]) -> Float[Array, "B 2"]:
    """Returns the value of the seat to move as values of both seats of a zero-sum game."""
    own = jnp.arange(2) == seat[:, None]
    return jnp.where(own, value[:, None], -value[:, None])
