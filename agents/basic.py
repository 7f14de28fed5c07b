"""Agents that look at nothing but the legal moves: the floor of every comparison."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PRNGKeyArray

from agents.agent import Decision, GameStates, Memory, Params
from jaxgames import sampling
from jaxgames.env import Env
from jaxgames.rules import Rules


@dataclasses.dataclass(frozen=True)
class Random:
    """Plays each legal action with equal chance, at the price of one random word a game."""

    rules: Rules[Any]

    def reset(self, batch_size: int) -> Memory:
        """Returns `()`: nothing is remembered."""
        del batch_size
        return ()

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns a random legal action for each game; `policy` is uniform over them."""
        del params
        legal = _legal_actions(self.rules, state)
        words = sampling.random_words(key, legal.shape[0])
        action = jax.vmap(self.rules.sample_action)(state, words)
        policy = legal / jnp.maximum(legal.sum(axis=1, keepdims=True), 1)
        values = jnp.zeros((legal.shape[0], self.rules.num_players), jnp.float32)
        return Decision(action, policy, values), memory


@dataclasses.dataclass(frozen=True)
class FirstLegal:
    """Plays the legal action of lowest number: a fixed opponent without chance."""

    rules: Rules[Any]

    def reset(self, batch_size: int) -> Memory:
        """Returns `()`: nothing is remembered."""
        del batch_size
        return ()

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns the first legal action for each game; `policy` is one there."""
        del params, key
        action = _legal_actions(self.rules, state).argmax(axis=1).astype(jnp.int32)
        policy = jax.nn.one_hot(action, self.rules.num_actions)
        values = jnp.zeros((action.shape[0], self.rules.num_players), jnp.float32)
        return Decision(action, policy, values), memory


def make_random(env: Env[Any]) -> tuple[Random, Params]:
    """Returns the uniformly random agent; it plays every game."""
    return Random(env.rules), ()


def make_first_legal(env: Env[Any]) -> tuple[FirstLegal, Params]:
    """Returns the agent that takes the first legal action; it plays every game."""
    return FirstLegal(env.rules), ()


def _legal_actions(rules: Rules[Any], state: GameStates) -> Bool[Array, "B actions"]:
    return jax.vmap(rules.legal_actions)(state)
