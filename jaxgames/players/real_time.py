"""Players that search for a given time, or a given number of positions: `best:seconds=1`.

They decide on the host, between pieces of their search, so they cannot be traced: matches of whole
batches and programs of a user take players of a fixed effort. All limits share one program.
"""

import dataclasses
import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from jaxgames.internal import checks, device_kind, programs
from jaxgames.internal.program_cache import cached_jit
from jaxgames.players import spec
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.network import PriorPolicy
from jaxgames.search.agent import Agent, Decision, GameStates, Params
from jaxgames.search.depth_first.search import DepthFirstResult
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.planning.planner import AnytimePlanner
from jaxgames.search.real_time.depth_first import DepthFirstPieces
from jaxgames.search.real_time.pieces import Clock, Findings, Limit, carry_on, piece_by_piece
from jaxgames.search.real_time.plans import PlanPieces
from jaxgames.search.real_time.tree import TreePieces
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.side_by_side import SideBySide, can_be_side_by_side

MOST_SIMULATIONS = 2**14  # that fit into the tree of one decision
MOST_DEPTH = 32  # plies of a depth-first search
UNKNOWN = 0.0  # the speed of a search that has not been made yet
SAFETY = 0.9  # share of the expected simulations that a search plans with
TRIAL = 64  # simulations that the search plans with whose speed is measured


@runtime_checkable
class Timed(Protocol):
    """An agent that keeps limits by itself."""

    def within(self, limit: Limit) -> Agent:
        """Returns this agent with other limits."""
        ...


class RealTimeMemory(NamedTuple):
    """The memory of a player in real time."""

    of_agent: Any
    speed: Float[np.ndarray, "B"]
    """The simulations of the last decision in a second; `UNKNOWN` before the first one."""


class Moment(NamedTuple):
    """A search between two of its pieces."""

    pieces: "TreePieces | DepthFirstDecision | PlanPieces"
    findings: Findings
    is_last: bool
    speed: Float[np.ndarray, "B"]  # see `RealTimeMemory`

    def decide(self) -> tuple[Decision, RealTimeMemory]:
        """Returns what the search has found so far, and the memory after this decision."""
        decision, after = self.pieces.decision()
        return jax.block_until_ready(decision), RealTimeMemory(after, self.speed)


@dataclasses.dataclass(frozen=True)
class RealTime:
    """Searches until its limit is reached, or nothing can change any more.

    Of a depth-first search it takes one game at a time; the games of a batch share the time of a
    tree search.
    """

    agent: TreeSearch | SideBySide | DepthFirstPlayer | AnytimePlanner
    limit: Limit
    clock: Clock = time.perf_counter
    decides_on_host: ClassVar[bool] = True

    @property
    def rules(self) -> Any:
        """The rules of the game."""
        agent = self.agent
        if isinstance(agent, TreeSearch):
            return agent.rules
        return agent.domain.rules if isinstance(agent, AnytimePlanner) else agent.search.rules

    def reset(self, batch_size: int) -> RealTimeMemory:
        """Returns the memory before the first decision."""
        return RealTimeMemory(
            self.agent.reset(batch_size), np.full(batch_size, UNKNOWN, np.float32)
        )

    def act(
        self, params: Params, memory: RealTimeMemory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, RealTimeMemory]:
        """Returns what the search has found when its time is over.

        The first decision compiles and measures the search before its time begins.

        Raises:
            ValueError: if it is traced, or a depth-first search gets more than one game.
        """
        return self.last_moment(params, memory, state, key).decide()

    def last_moment(
        self, params: Params, memory: RealTimeMemory, state: GameStates, key: PRNGKeyArray
    ) -> Moment:
        """Returns the search of `act` after its last piece.

        Raises:
            ValueError: as `act`.
        """
        *_, last = self.moments(params, memory, state, key)
        return last

    def moments(
        self, params: Params, memory: RealTimeMemory, state: GameStates, key: PRNGKeyArray
    ) -> Iterator[Moment]:
        """Yields the search of `act` after each of its pieces; the time between them counts.

        Raises:
            ValueError: as `act`.
        """
        if any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves((state, key))):
            raise ValueError(
                "a player with seconds or nodes decides on the host, outside of jit: leave them "
                f"out, or play one game at a time ({programs.command('agents.arena')} --seconds)"
            )
        agent, of_agent = self.agent, memory.of_agent
        if isinstance(agent, DepthFirstPlayer):
            if (games := len(memory.speed)) != 1:
                raise ValueError(
                    f"a depth-first search with seconds or nodes takes one game, got {games}"
                )
            by_depths = functools.partial(DepthFirstDecision, agent, params, of_agent, state, key)
            return self._unplanned(by_depths, memory)
        if isinstance(agent, AnytimePlanner):
            most = min(agent.budget, self.limit.nodes or agent.budget)
            plans = functools.partial(PlanPieces, agent, params, of_agent, state, key, most)
            return self._unplanned(plans, memory)
        return self._in_a_tree(agent, params, memory, state, key)

    def _in_a_tree(
        self,
        agent: TreeSearch | SideBySide,
        params: Params,
        memory: RealTimeMemory,
        state: GameStates,
        key: PRNGKeyArray,
    ) -> Iterator[Moment]:
        begin_search = functools.partial(TreePieces, agent, params, memory.of_agent, state)
        speed = float(np.min(memory.speed))
        if speed == UNKNOWN:
            speed = self._speed(begin_search, key)
        begin = self.clock()
        planned = math.inf if speed == UNKNOWN else SAFETY * speed * self.limit.seconds
        if self.limit.nodes is not None:
            planned = min(planned, self.limit.nodes)
        pieces = begin_search(key, planned, self.limit.nodes)
        yield from self._pieces(pieces, begin, memory, speed)

    def _speed(
        self, begin_search: Callable[[PRNGKeyArray, float], TreePieces], key: PRNGKeyArray
    ) -> float:
        """Returns the simulations a second, after all programs of a decision are compiled.

        It is `UNKNOWN` if the position needs no search.
        """
        for _ in range(2):  # the first one compiles
            pieces = begin_search(jax.random.clone(key), TRIAL)
            begin = self.clock()
            made = pieces.advance(pieces.first_rounds).nodes
            seconds = self.clock() - begin
            jax.block_until_ready(pieces.decision())
        return made / max(seconds, 1e-6)

    def _unplanned(
        self,
        begin_search: Callable[[], "DepthFirstDecision | PlanPieces"],
        memory: RealTimeMemory,
    ) -> Iterator[Moment]:
        """Yields a search that needs not know how long it will be."""
        speed = float(np.min(memory.speed))
        if speed == UNKNOWN:  # compiled before the time begins
            pieces = begin_search()
            carry_on(pieces, Limit(nodes=1), self.clock)
            jax.block_until_ready(pieces.decision())
        begin = self.clock()
        yield from self._pieces(begin_search(), begin, memory, speed)

    def _pieces(
        self,
        pieces: "TreePieces | DepthFirstDecision | PlanPieces",
        begin: float,
        memory: RealTimeMemory,
        speed: float,
    ) -> Iterator[Moment]:
        """Yields a search after each of its pieces.

        Args:
            pieces: the search.
            begin: when it began.
            memory: the memory before it.
            speed: positions a second so far; after the last piece it is measured anew.
        """
        for found, is_last in piece_by_piece(pieces, self.limit, self.clock):
            if is_last and found.nodes:
                speed = found.nodes / max(self.clock() - begin, 1e-6)
            yield Moment(pieces, found, is_last, np.full_like(memory.speed, speed))


class DepthFirstDecision(DepthFirstPieces):
    """The search of a depth-first player in pieces, with what it decides."""

    def __init__(
        self,
        agent: DepthFirstPlayer,
        params: Params,
        memory: Any,
        state: GameStates,
        key: PRNGKeyArray,
    ) -> None:
        """Begins the search of a batch of one game; `memory` is that of the player."""
        self.agent, self._positions, self._memory = agent, state, agent.watch(memory, state)
        super().__init__(
            agent.search,
            agent.lanes(params, self._memory, 1),
            jax.tree.map(lambda x: x[0], state),
            jax.random.clone(key),
            agent.search.max_depth,
        )

    def decision(self) -> tuple[Decision, Any]:
        """Returns what the search has found so far, and the memory of the player after it."""
        return _decision(self.agent, self._positions, self.result()), self._memory


@functools.partial(cached_jit.jit, static_argnames="agent")
def _decision(agent: DepthFirstPlayer, state: GameStates, found: DepthFirstResult) -> Decision:
    first = jax.tree.map(lambda x: x[:1], found._replace(table=None))
    return agent.decision(state, first)


def limited(
    agent: Agent,
    limits: Mapping[str, str],
    most: int | None = None,
    depth: int | None = None,
    budget: int | None = None,
) -> Agent:
    """Returns an agent that searches within limits.

    An agent that only looks at what its actions lead to stays as it is: it decides at once.

    Args:
        agent: the agent.
        limits: fields of `Limit`, as text.
        most: the most simulations of a tree search; None: as many as fit into its tree.
        depth: the greatest depth of a depth-first search; None: any that is reached.
        budget: the most forward-model calls of a planner; None: any number.

    Raises:
        ValueError: for a limit out of range, or an agent whose search cannot be stopped.
    """
    limit = limit_of(limits)
    if isinstance(agent, Timed):
        return agent.within(limit)
    if isinstance(agent, TreeSearch) and takes_limits(agent):
        size = MOST_SIMULATIONS if most is None else most
        agent = dataclasses.replace(agent, simulations=size, stop_decided=True)
        if device_kind.is_cpu() or not can_be_side_by_side(agent):
            return RealTime(agent, limit)
        return RealTime(SideBySide(agent), limit)
    if isinstance(agent, DepthFirstPlayer):
        search = dataclasses.replace(agent.search, max_depth=depth or MOST_DEPTH)
        return RealTime(dataclasses.replace(agent, search=search), limit)
    if isinstance(agent, AnytimePlanner):
        return RealTime(agent.with_most(budget or checks.MOST_COUNT), limit)
    if isinstance(agent, OneStep | PriorPolicy):
        return agent
    raise ValueError(
        f"{type(agent).__name__} takes no seconds or nodes: only tree searches, depth-first "
        "searches and planners do"
    )


def limit_of(fields: Mapping[str, str]) -> Limit:
    """Returns the limit that fields of a spec give.

    Raises:
        ValueError: for another field, or a value out of range.
    """
    limit = Limit(**spec.arguments(spec.Spec("limit", fields), Limit))
    if not limit.seconds > 0:
        raise ValueError(f"seconds must be more than 0, got {limit.seconds}")
    if limit.nodes is not None:
        checks.count("nodes", limit.nodes)
    return limit


def takes_limits(agent: Agent) -> bool:
    """Returns whether the search of an agent can be stopped at any time."""
    if isinstance(agent, TreeSearch):
        return agent.budget is None
    return isinstance(agent, DepthFirstPlayer | AnytimePlanner | Timed)
