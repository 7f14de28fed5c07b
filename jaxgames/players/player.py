"""`Player`: an agent that takes part in matches, with its name; what callers pass for it."""

import operator
from typing import Any, NamedTuple

import jax
from jaxtyping import PRNGKeyArray

from jaxgames.internal import compilation_cache
from jaxgames.internal.argument_checks import check_key
from jaxgames.internal.program_cache import cached_jit
from jaxgames.search.agent import Agent, Decision, GameStates, Memory, Params, decision_of

_METHODS = ("reset", "act")


class Player(NamedTuple):
    """An agent with its parameters (`()` if it learned nothing) and the name used in tables."""

    name: str
    agent: Agent
    params: Params

    def act(self, memory: Memory, state: GameStates, key: PRNGKeyArray) -> tuple[Decision, Memory]:
        """Returns the decisions in a batch of games, and the new memory, by a compiled program.

        The program is traced and compiled at the first call for a number of games. Where JAX's
        compilation cache has a folder, both are kept there for the next process.

        Args:
            memory: the memory of each game: `agent.reset(B)` at first, then the last one returned.
            state: the positions, a game's own states (`state.game`) with a leading axis `B`.
            key: of all randomness of this decision.

        Returns:
            A `Decision`: `action` `int32[B]`, `policy` `float32[B, actions]`, `values`
            `float32[B, players]`, expected returns from -1 to 1; and the memory.

        Raises:
            ValueError: if an agent of your own returns anything else.
        """
        with compilation_cache.purpose(f"the player {self.name}"):
            if decides_on_host(self.agent):
                return self.agent.act(self.params, memory, state, key)
            return decide(self.agent, self.params, memory, state, key)


decide = cached_jit.jit(decision_of, static_argnames="agent")
"""`decision_of` as a compiled program."""


def decides_on_host(agent: Agent) -> bool:
    """Returns whether an agent cannot be traced: its `act` is called outside of programs."""
    return getattr(agent, "decides_on_host", False)


def of_agent(agent: Agent) -> Player:
    """Returns the player of an agent that learned nothing, named by its class.

    Raises:
        ValueError: if it lacks a method of agents, or cannot be a static argument of `jax.jit`.
    """
    if isinstance(agent, type) or not all(callable(getattr(agent, m, None)) for m in _METHODS):
        raise ValueError(
            "expected a spec such as 'minimax:depth=2', a Player, or an agent, an object with the "
            f"methods {' and '.join(_METHODS)}; got {agent!r}"
        )
    try:
        hash(agent)
    except TypeError as error:
        raise ValueError(
            f"the agent {agent!r} must be hashable, for instance a frozen dataclass: {error}"
        ) from error
    return Player(type(agent).__name__, agent, ())


def as_key(key: Any) -> PRNGKeyArray:
    """Returns the random key of a caller: the key itself, or that of a seed.

    Raises:
        ValueError: for anything but one random key or a whole number of 64 bits at most.
    """
    try:
        return jax.random.key(operator.index(key))
    except (TypeError, OverflowError) as error:
        if hasattr(key, "dtype"):
            check_key(key, "this call")
            return key
        raise ValueError(f"key must be a random key or a seed, got {key!r}") from error
