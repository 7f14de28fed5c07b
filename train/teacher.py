"""`Taught`: games in which a teacher labels every position, for a network that imitates it.

Source: S. Ross, G. Gordon, D. Bagnell, "A reduction of imitation learning and structured prediction
to no-regret online learning", AISTATS 2011: the learner meets the positions to which its own moves
lead, and learns what the teacher would do there.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from jaxgames import Rules
from jaxgames.search.agent import Agent, Decision, GameStates, Memoryless, Params
from jaxgames.search.evaluators.evaluator import Evaluator


class TaughtParams(NamedTuple):
    """What changes from one iteration to the next, and the teacher's own parameters."""

    network: Params
    teacher: Params
    share: Float[Array, ""]
    """Share of the moves that the teacher makes; the network makes the others."""


@dataclasses.dataclass(frozen=True)
class Taught(Memoryless):
    """The teacher's preferences as policy and its values; the network's where it has none.

    Each move is the teacher's choice or one drawn from the network's policy. So the teacher judges
    every position with a fresh memory: the rest of a plan would label positions that it was not
    made for. A teacher that counts its own moves, such as one with an opening book, always is at
    the first of them. The first plies of a game are drawn from the policy given here, which is the
    teacher's (`selfplay.play`).
    """

    rules: Rules[Any]
    teacher: Agent
    network: Evaluator

    def act(
        self, params: TaughtParams, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns the move of either, with the policy and the values of the teacher."""
        teach_key, evaluate_key, move_key, share_key = jax.random.split(key, 4)
        fresh = self.teacher.reset(len(jax.tree.leaves(state)[0]))
        taught, _ = self.teacher.act(params.teacher, fresh, state, teach_key)
        own = self.network(params.network, state, evaluate_key)
        legal = jax.vmap(self.rules.legal_actions)(state)
        logits = jnp.where(legal, own.logits, jnp.finfo(jnp.float32).min)
        policy = taught.policy
        if not self.rules.perfect_information:  # what the seat does not know may forbid a move
            known = jnp.where(legal, policy, 0.0)
            total = known.sum(axis=-1, keepdims=True)
            policy = jnp.where(total > 0, known / total, jax.nn.softmax(logits))
        move = jax.random.categorical(move_key, logits, axis=-1).astype(jnp.int32)
        is_teachers = jax.random.bernoulli(share_key, params.share, move.shape)
        action = jnp.where(is_teachers, taught.action, move)
        evaluates = taught.values.any(axis=-1, keepdims=True)
        values = jnp.where(evaluates, taught.values, own.values)
        return Decision(action, policy, values), memory


def share_of_moves(iteration: int, iterations: int) -> float:
    """Returns the teacher's share of the moves: it falls from 1 to 0 over `iterations`."""
    return max(0.0, 1.0 - iteration / iterations)
