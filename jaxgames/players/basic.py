"""Agents that use nothing but the legal actions: the lower end of every comparison."""

import dataclasses
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PRNGKeyArray

from jaxgames import sampling
from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.rules import Rules
from jaxgames.search.agent import Decision, GameStates, Memory, Memoryless, Params
from jaxgames.search.planning.domain import PlannerDomain


@dataclasses.dataclass(frozen=True)
class Random(Memoryless):
    """Plays each legal action with equal chance; takes one random word for each game."""

    rules: Rules[Any]

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
class RandomActions(Memoryless):
    """Plays each legal action with equal chance, where an action may take several plies.

    The chance of a first ply is the sum of the chances of all actions that begin with it.
    """

    domain: PlannerDomain

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns the next ply of a random action; `policy` is 1 for it."""
        del params
        num_games = len(jax.tree.leaves(state)[0])
        action = jax.vmap(self.domain.random_action)(state, sampling.random_words(key, num_games))
        policy = jax.nn.one_hot(action, self.domain.rules.num_actions)
        values = jnp.zeros((num_games, self.domain.rules.num_players), jnp.float32)
        return Decision(action, policy, values), memory


@dataclasses.dataclass(frozen=True)
class FirstLegal(Memoryless):
    """Plays the legal action of lowest number: a fixed opponent without chance."""

    rules: Rules[Any]

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns the first legal action for each game; `policy` is 1 for it."""
        del params, key
        action = _legal_actions(self.rules, state).argmax(axis=1).astype(jnp.int32)
        policy = jax.nn.one_hot(action, self.rules.num_actions)
        values = jnp.zeros((action.shape[0], self.rules.num_players), jnp.float32)
        return Decision(action, policy, values), memory


def make_random(
    env: Env[Any], *, of: Literal["plies", "actions"] = "plies"
) -> tuple[Random | RandomActions, Params]:
    """Returns the uniformly random agent, which plays every game.

    Args:
        env: the game.
        of: in a game whose actions take two plies, whether all `plies` or all `actions` are equally
            likely.

    Raises:
        ValueError: for another value of `of`, or `of="actions"` in a game without heuristic.
    """
    if of not in ("plies", "actions"):
        raise ValueError(unknown("of", of, ("plies", "actions")))
    if of == "plies":
        return Random(env.rules), ()
    return RandomActions(planner_domain_of(env)), ()


def make_first_legal(env: Env[Any]) -> tuple[FirstLegal, Params]:
    """Returns the agent that takes the first legal action; it plays every game."""
    return FirstLegal(env.rules), ()


def _legal_actions(rules: Rules[Any], state: GameStates) -> Bool[Array, "B actions"]:
    return jax.vmap(rules.legal_actions)(state)
