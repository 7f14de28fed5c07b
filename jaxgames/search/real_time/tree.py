"""`TreePieces`: a tree search in pieces of simulations."""

import functools
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.internal.program_cache import cached_jit
from jaxgames.search.agent import Decision, GameStates, Memory, Params
from jaxgames.search.real_time.pieces import Findings
from jaxgames.search.tree.policy import FOR_EVER
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.search_run import RunFlags, SearchRun


class TreePieces:
    """The search of a tree in pieces; games of a batch share their time."""

    fewest_rounds = 1

    def __init__(
        self,
        agent: TreeSearch,
        params: Params,
        memory: Memory,
        state: GameStates,
        key: PRNGKeyArray,
        planned: float,
        most: int | None = None,
    ) -> None:
        """Begins a search.

        Args:
            agent: its `simulations` are the most that fit into the tree.
            params: its parameters.
            memory: the memory of each game.
            state: the positions.
            key: of all randomness of the search.
            planned: the simulations that are expected to be made; the policy plans with them.
            most: the simulations at which the search ends; None: as many as fit into the tree.
        """
        self._agent, self._params, self._memory, self._key = agent, params, memory, key
        size = len(jax.tree.leaves(state)[0])
        schedule = np.full(size, int(min(max(planned, 1), agent.simulations)), np.int32)
        simulations = np.full(size, min(most or agent.simulations, agent.simulations), np.int32)
        self._run = _begin(agent, memory, state, key, simulations, schedule)
        # One simulation for each action that sequential halving considers, and the roots before.
        self.first_rounds = 1 + min(getattr(agent.policy, "max_considered", 16), agent.simulations)

    def advance(self, rounds: int) -> Findings:
        """Makes at most so many simulations in each game."""
        self._run, flags = _advance(self._agent, self._params, self._run, np.int32(rounds))
        flags = jax.device_get(flags)
        settled_for = flags.settled_for[flags.is_running]
        return Findings(
            bool(flags.is_running.any()),
            not flags.waits.any(),
            int(flags.made.max()),
            int(settled_for.min(initial=FOR_EVER)),
        )

    def decision(self) -> tuple[Decision, Memory]:
        """Returns what the search has found, and the memory after it."""
        return _conclude(self._agent, self._memory, self._run, self._key)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _begin(
    agent: TreeSearch,
    memory: Memory,
    state: GameStates,
    key: PRNGKeyArray,
    simulations: Int32[Array, "B"],
    schedule: Int32[Array, "B"],
) -> SearchRun:
    return agent.begin(memory, state, key, simulations, schedule)


@functools.partial(cached_jit.jit, static_argnames="agent", donate_argnames="run")
def _advance(
    agent: TreeSearch, params: Params, run: SearchRun, rounds: Int32[Array, ""]
) -> tuple[SearchRun, RunFlags]:
    run = agent.advance(params, run, rounds)
    return run, agent.flags(run)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _conclude(
    agent: TreeSearch, memory: Memory, run: SearchRun, key: PRNGKeyArray
) -> tuple[Decision, Any]:
    found = agent.result(run)
    return agent.conclude(found, key), found.tree if agent.reuse else memory
