"""Players that search for a given time, or a given number of positions: `best:seconds=1`.

They decide on the host, between pieces of their search, so they cannot be traced: matches of whole
batches and programs of a user take players of a fixed effort. All limits share one program.
"""

import dataclasses
import functools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, TypeGuard

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from jaxgames.internal import programs
from jaxgames.internal.program_cache import cached_jit
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.search.agent import Agent, Decision, GameStates, Params
from jaxgames.search.depth_first import transposition_table
from jaxgames.search.depth_first.search import DepthFirstResult
from jaxgames.search.depth_first.transposition_table import TranspositionTable
from jaxgames.search.planning.planner import AnytimePlanner
from jaxgames.search.real_time.depth_first import DepthFirstPieces
from jaxgames.search.real_time.pieces import Clock, Findings, Limit, carry_on, piece_by_piece
from jaxgames.search.real_time.plans import PlanPieces
from jaxgames.search.real_time.tree import TreePieces
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.side_by_side import SideBySide

UNKNOWN = 0.0  # the speed of a search that has not been made yet
SAFETY = 0.9  # share of the expected simulations that a search plans with
TRIAL = 64  # simulations that the search plans with whose speed is measured


class DepthFirstMemory(NamedTuple):
    """The memory of a depth-first search."""

    of_player: Any
    table: TranspositionTable | None  # of all searches so far


class RealTimeMemory(NamedTuple):
    """The memory of a player in real time."""

    of_agent: Any
    """The memory of the agent, of a depth-first search a `DepthFirstMemory`."""
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
        agent = self.agent
        memory: Any = agent.reset(batch_size)
        if isinstance(agent, DepthFirstPlayer):
            bits = agent.search.table_bits
            table = None if bits is None else transposition_table.empty(batch_size, bits)
            memory = DepthFirstMemory(memory, table)
        return RealTimeMemory(memory, np.full(batch_size, UNKNOWN, np.float32))

    def act(
        self, params: Params, memory: RealTimeMemory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, RealTimeMemory]:
        """Returns what the search has found when its time is over.

        The first decision compiles and measures the search before its time begins.

        Raises:
            ValueError: if it is traced, or a depth-first search gets more than one game.
        """
        if len(memory.speed) == 0:  # a search needs the speed of its slowest game
            of_agent = memory.of_agent
            if isinstance(self.agent, DepthFirstPlayer):
                of_agent = of_agent.of_player
            return self.agent.act(params, of_agent, state, key)[0], memory
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
        if isinstance(self.agent, DepthFirstPlayer):
            if (games := len(memory.speed)) != 1:
                raise ValueError(
                    f"a depth-first search with seconds or nodes takes one game, got {games}"
                )
            memory = self.watch(memory, state)
        return self._search(params, memory, state, key, self.limit)

    def watch(self, memory: RealTimeMemory, state: GameStates) -> RealTimeMemory:
        """Returns the memory after seeing positions in which another player decides for this one.

        A depth-first player may change its score for good when it has seen some position.
        """
        if not isinstance(self.agent, DepthFirstPlayer):
            return memory
        watching = self.agent.watch(memory.of_agent.of_player, state)
        return memory._replace(of_agent=memory.of_agent._replace(of_player=watching))

    def ponder(
        self,
        params: Params,
        memory: RealTimeMemory,
        state: GameStates,
        key: PRNGKeyArray,
        is_stopped: Callable[[], bool],
    ) -> RealTimeMemory:
        """Returns the memory after a search of positions in which the opponent is to move.

        The next decision begins with what was found about the move that the opponent really makes:
        with its subtree, or with the table. The search plans for as much time as a decision has. It
        ends without being stopped once its tree is full, or it knows the result.

        Args:
            params: the parameters of the agent.
            memory: the memory after the last decision.
            state: the positions.
            key: of all randomness of the search.
            is_stopped: asked before each piece, which takes a tenth of a second at most, once all
                programs are compiled and the speed is measured.
        """
        last, moments = None, self._search(params, memory, state, key, Limit())
        while not is_stopped() and (moment := next(moments, None)):
            last = moment
        return memory if last is None else last.decide()[1]

    def _search(
        self,
        params: Params,
        memory: RealTimeMemory,
        state: GameStates,
        key: PRNGKeyArray,
        limit: Limit,
    ) -> Iterator[Moment]:
        """Yields a search after each of its pieces, until its limit is reached."""
        # Programs read from disk bind their results to a device. With all arguments bound to it,
        # the first search and later ones are one program.
        device, agent = jax.local_devices()[0], self.agent
        of_agent, state, key = jax.device_put((memory.of_agent, state, key), device)
        if isinstance(agent, DepthFirstPlayer):
            by_depths = functools.partial(DepthFirstDecision, agent, params, of_agent, state, key)
            return self._unplanned(by_depths, memory, limit)
        if isinstance(agent, AnytimePlanner):
            most = min(agent.budget, limit.nodes or agent.budget)
            plans = functools.partial(PlanPieces, agent, params, of_agent, state, key, most)
            return self._unplanned(plans, memory, limit)
        in_a_tree = functools.partial(TreePieces, agent, params, of_agent, state)
        return self._planned(in_a_tree, memory, key, limit)

    def _planned(
        self,
        begin_search: Callable[..., TreePieces],
        memory: RealTimeMemory,
        key: PRNGKeyArray,
        limit: Limit,
    ) -> Iterator[Moment]:
        """Yields a search that plans with the simulations of a decision."""
        speed = float(np.min(memory.speed))
        if speed == UNKNOWN:
            speed = self._speed(begin_search, key)
        begin = self.clock()
        planned = math.inf if speed == UNKNOWN else SAFETY * speed * self.limit.seconds
        if self.limit.nodes is not None:
            planned = min(planned, self.limit.nodes)
        pieces = begin_search(key, planned, limit.nodes)
        yield from self._pieces(pieces, limit, begin, memory, speed)

    def _speed(self, begin_search: Callable[..., TreePieces], key: PRNGKeyArray) -> float:
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
        limit: Limit,
    ) -> Iterator[Moment]:
        """Yields a search that needs not know how long it will be."""
        speed = float(np.min(memory.speed))
        if speed == UNKNOWN:  # compiled before the time begins
            pieces = begin_search()
            carry_on(pieces, Limit(nodes=1), self.clock)
            jax.block_until_ready(pieces.decision())
        begin = self.clock()
        yield from self._pieces(begin_search(), limit, begin, memory, speed)

    def _pieces(
        self,
        pieces: "TreePieces | DepthFirstDecision | PlanPieces",
        limit: Limit,
        begin: float,
        memory: RealTimeMemory,
        speed: float,
    ) -> Iterator[Moment]:
        """Yields a search after each of its pieces.

        Args:
            pieces: the search.
            limit: when it ends.
            begin: when it began.
            memory: the memory before it.
            speed: positions a second so far; after the last piece it is measured anew.
        """
        for found, is_last in piece_by_piece(pieces, limit, self.clock):
            if is_last and found.nodes:
                speed = found.nodes / max(self.clock() - begin, 1e-6)
            yield Moment(pieces, found, is_last, np.full_like(memory.speed, speed))


def ponders(agent: Agent) -> TypeGuard[RealTime]:
    """Returns whether an agent is to think while its opponent does."""
    return isinstance(agent, RealTime) and agent.limit.ponder


class DepthFirstDecision(DepthFirstPieces):
    """The search of a depth-first player in pieces, with what it decides."""

    def __init__(
        self,
        agent: DepthFirstPlayer,
        params: Params,
        memory: DepthFirstMemory,
        state: GameStates,
        key: PRNGKeyArray,
    ) -> None:
        """Begins the search of a batch of one game."""
        self.agent, self._positions, self._memory = agent, state, memory
        super().__init__(
            agent.search,
            agent.lanes(params, memory.of_player, 1),
            jax.tree.map(lambda x: x[0], state),
            jax.random.clone(key),
            agent.search.max_depth,
            memory.table,
        )

    def decision(self) -> tuple[Decision, DepthFirstMemory]:
        """Returns what the search has found so far, and the memory after it."""
        found = self.result()
        memory = self._memory._replace(table=found.table)
        return _decision(self.agent, self._positions, found._replace(table=None)), memory


@functools.partial(cached_jit.jit, static_argnames="agent")
def _decision(agent: DepthFirstPlayer, state: GameStates, found: DepthFirstResult) -> Decision:
    first = jax.tree.map(lambda x: x[:1], found)
    return agent.decision(state, first)
