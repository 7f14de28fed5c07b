"""Who plays the other seats of `versus`: functions of one game, agents, or random play."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.batching.sparse_vmap import over_flat_batch
from jaxgames.env import Env
from jaxgames.rules import Action
from jaxgames.search.agent import Agent, decision_of
from jaxgames.state import State

Opponent = Callable[[State, PRNGKeyArray], Action]
"""Returns a legal action in one game; an illegal one ends the game, as in `Env.step`."""


@dataclasses.dataclass(frozen=True)
class AgentOpponent:
    """An agent as an opponent, with its parameters. It decides for the whole batch in one call.

    Its memory starts anew with each decision.
    """

    agent: Agent
    params: Any = ()

    def __call__(self, state: State, key: PRNGKeyArray) -> Action:
        """Returns the action of the agent."""

        def act(games: Any, keys: PRNGKeyArray) -> Int32[Array, "B"]:
            memory = self.agent.reset(keys.shape[0])
            decision, _ = decision_of(self.agent, self.params, memory, games, keys[0])
            return decision.action.astype(jnp.int32)

        action: Action = over_flat_batch(act)(state.game, key)
        return action


@dataclasses.dataclass(frozen=True)
class RandomOpponent:
    """Plays uniformly random legal actions of a game."""

    env: Env

    def __call__(self, state: State, key: PRNGKeyArray) -> Action:
        """Returns a uniformly random legal action."""
        return self.env.rules.sample_action(state.game, jax.random.bits(key, (), jnp.uint32))


def as_opponent(env: Env, member: Any) -> Opponent:
    """Returns what a caller named as an opponent as a function of one game; None is random play.

    Raises:
        ValueError: for something that cannot play this game.
    """
    if member is None:
        return RandomOpponent(env)
    agent = member.agent if isinstance(member, AgentOpponent) else member
    rules = getattr(agent, "rules", None)
    if rules is not None and type(rules) is not type(env.rules):
        raise ValueError(
            f"opponent plays by {type(rules).__name__}, but {env.id} has {type(env.rules).__name__}"
        )
    if callable(member):
        return member
    if hasattr(member, "act") and hasattr(member, "reset"):
        return AgentOpponent(member)
    raise ValueError(
        "opponent must be a function opponent(state, key) or an agent, or None for random play, "
        f"got {member!r}"
    )
