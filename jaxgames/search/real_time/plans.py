"""`PlanPieces`: the search of a planner in pieces."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.internal.program_cache import cached_jit
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.planning.planner import AnytimePlanner, Decisive, Memory, PlanFlags
from jaxgames.search.real_time.pieces import Findings


class PlanPieces:
    """The search of a planner in pieces; games of a batch share their time."""

    first_rounds = 4
    fewest_rounds = 1

    def __init__(
        self,
        agent: AnytimePlanner,
        params: Params,
        memory: Memory,
        state: GameStates,
        key: PRNGKeyArray,
        most: int,
    ) -> None:
        """Begins a search.

        Args:
            agent: the planner.
            params: its parameters.
            memory: the memory of each game.
            state: the positions.
            key: of all randomness of the search.
            most: forward-model calls at which the search of a game ends.
        """
        self.agent = agent
        self._params, self._memory = params, memory
        self._at, self._run = _begin(agent, params, memory, state, key, jnp.int32(most))

    def advance(self, rounds: int) -> Findings:
        """Carries the search on by so many rounds."""
        self._run, flags = _advance(self.agent, self._params, self._run, jnp.int32(rounds))
        flags = jax.device_get(flags)
        is_running = flags.is_running
        used = flags.used[is_running].min() if is_running.any() else flags.used.max()
        return Findings(bool(is_running.any()), bool(flags.can_decide.all()), int(used))

    def decision(self) -> tuple[Decision, Memory]:
        """Returns the decision with the best plan so far, and the memory after it."""
        return _decide(self.agent, self._memory, self._at, self._run)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _begin(
    agent: AnytimePlanner,
    params: Params,
    memory: Memory,
    state: GameStates,
    key: PRNGKeyArray,
    most: Int32[Array, ""],
) -> tuple[Decisive, Any]:
    at = agent.prepare(memory, state, key)
    run = agent.begin(params, memory.kept, at.state, at.needs_plan, at.search_key, most)
    return at, run


@functools.partial(cached_jit.jit, static_argnames="agent")
def _advance(
    agent: AnytimePlanner, params: Params, run: Any, rounds: Int32[Array, ""]
) -> tuple[Any, PlanFlags]:
    run = agent.advance(params, run, rounds)
    return run, agent.flags(run)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _decide(
    agent: AnytimePlanner, memory: Memory, at: Decisive, run: Any
) -> tuple[Decision, Memory]:
    return agent.conclude(at, memory, agent.result(run))
