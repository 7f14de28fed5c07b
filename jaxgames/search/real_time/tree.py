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
from jaxgames.search.tree.search_run import RunFlags
from jaxgames.search.tree.side_by_side import SideBySide


class TreePieces:
    """The search of a tree in pieces; games of a batch share their time."""

    fewest_rounds = 1

    def __init__(
        self,
        agent: TreeSearch | SideBySide,
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
        self.agent, self.key = agent, key
        self._params, self._memory = params, memory
        size = len(jax.tree.leaves(state)[0])
        schedule = np.full(size, int(min(max(planned, 1), agent.simulations)), np.int32)
        simulations = np.full(size, min(most or agent.simulations, agent.simulations), np.int32)
        self.run = _begin(agent, memory, state, key, simulations, schedule)
        """The search so far; the next piece takes its arrays."""
        # The roots, and then one simulation for each action that sequential halving considers.
        self.first_rounds = 2
        if isinstance(agent, TreeSearch):
            considered = getattr(agent.policy, "max_considered", 16)
            self.first_rounds = 1 + min(considered, agent.simulations)

    def advance(self, rounds: int) -> Findings:
        """Makes at most so many simulations in each game."""
        self.run, flags = _advance(self.agent, self._params, self.run, np.int32(rounds))
        flags = jax.device_get(flags)
        is_running = flags.is_running
        # A limit holds for each game, and side by side some are ahead of others.
        made = flags.made[is_running].min() if is_running.any() else flags.made.max()
        settled_for = flags.settled_for[is_running].min(initial=FOR_EVER)
        return Findings(bool(is_running.any()), not flags.waits.any(), int(made), int(settled_for))

    def decision(self) -> tuple[Decision, Memory]:
        """Returns what the search has found, and the memory after it."""
        return _conclude(self.agent, self._memory, self.run, self.key)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _begin(
    agent: TreeSearch | SideBySide,
    memory: Memory,
    state: GameStates,
    key: PRNGKeyArray,
    simulations: Int32[Array, "B"],
    schedule: Int32[Array, "B"],
) -> Any:
    return agent.begin(memory, state, key, simulations, schedule)


@functools.partial(cached_jit.jit, static_argnames="agent", donate_argnames="run")
def _advance(
    agent: TreeSearch | SideBySide, params: Params, run: Any, rounds: Int32[Array, ""]
) -> tuple[Any, RunFlags]:
    run = agent.advance(params, run, rounds)
    return run, agent.flags(run)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _conclude(
    agent: TreeSearch | SideBySide, memory: Memory, run: Any, key: PRNGKeyArray
) -> tuple[Decision, Any]:
    return agent.decide(run, memory, key)
