"""`EvolutionPieces`: plans that evolve in pieces of generations."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.internal.program_cache import cached_jit
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.planning.planner import Decisive, Memory
from jaxgames.search.planning.rhea import Evolution, Individuals
from jaxgames.search.real_time.pieces import Findings


class EvolutionRun(NamedTuple):
    """Plans that evolve, between two pieces."""

    at: Decisive
    before: Float[Array, "B players"]  # values of the roots
    found: Individuals
    used: Int32[Array, "B"]  # calls


class EvolutionPieces:
    """The evolution of plans in pieces; games of a batch share their time."""

    first_rounds = 1
    fewest_rounds = 1

    def __init__(
        self,
        agent: Evolution,
        params: Params,
        memory: Memory,
        state: GameStates,
        key: PRNGKeyArray,
        most: int | None = None,
    ) -> None:
        """Begins a search.

        Args:
            agent: its budget is the most calls of a search.
            params: its parameters.
            memory: the memory of each game.
            state: the positions.
            key: of all randomness of the search.
            most: calls at which the search ends, unless a generation needs more; None: the budget.
        """
        self.agent = agent
        self._params, self._memory, self._number = params, memory, 0
        self._most = np.int32(min(agent.budget, most or agent.budget))
        self._run = _begin(agent, params, memory, state, key)

    def advance(self, rounds: int) -> Findings:
        """Carries the evolution on by so many generations at most."""
        self._run, is_running, used = _advance(
            self.agent, self._params, self._run, np.int32(rounds), self._most, self._number
        )
        self._number += 1
        return Findings(bool(is_running), True, int(used))

    def decision(self) -> tuple[Decision, Memory]:
        """Returns the decision with the best plan so far, and the memory after it."""
        return _decide(self.agent, self._memory, self._run)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _begin(
    agent: Evolution, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
) -> EvolutionRun:
    at = agent.prepare(memory, state, key)
    before = agent.evaluate(params, at.state, jax.vmap(agent.domain.rules.to_move)(at.state))
    used = jnp.zeros(len(at.needs_plan), jnp.int32)
    return EvolutionRun(at, before, agent.begin(memory.kept), used)


@functools.partial(cached_jit.jit, static_argnames="agent")
def _advance(
    agent: Evolution,
    params: Params,
    run: EvolutionRun,
    rounds: Int32[Array, ""],
    most: Int32[Array, ""],
    number: Int32[Array, ""],
) -> tuple[EvolutionRun, Bool[Array, ""], Int32[Array, ""]]:
    """Returns the run after a piece, whether it goes on, and the calls used."""
    at, before, found, used = run
    # Plans that end early use less than a generation may, so a piece can make more of them.
    budget = jnp.minimum(used + rounds * agent.generation, jnp.maximum(most, agent.generation))
    key = jax.random.fold_in(at.search_key, number)
    found, used = agent.evolve(params, found, at.state, at.needs_plan, before, used, budget, key)
    goes_on = at.needs_plan & (used + agent.generation <= most)
    least = jnp.where(goes_on, used, used.max()).min()
    return EvolutionRun(at, before, found, used), goes_on.any(), least


@functools.partial(cached_jit.jit, static_argnames="agent")
def _decide(agent: Evolution, memory: Memory, run: EvolutionRun) -> tuple[Decision, Any]:
    return agent.conclude(run.at, memory, agent.result(run.found, run.before, run.used))
