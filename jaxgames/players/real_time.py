"""Players that search for a given time, or a given number of positions: `best:seconds=1`.

They decide on the host, between pieces of their search, so they cannot be traced: matches of whole
batches and programs of a user take players of a fixed effort. All limits share one program.
"""

import dataclasses
import functools
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from jaxgames.internal import checks, programs
from jaxgames.internal.program_cache import cached_jit
from jaxgames.players import spec
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.network import PriorPolicy
from jaxgames.search.agent import Agent, Decision, GameStates, Params
from jaxgames.search.depth_first.search import DepthFirstResult
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.real_time.depth_first import LANES, DepthFirstPieces
from jaxgames.search.real_time.pieces import Clock, Limit, carry_on
from jaxgames.search.real_time.tree import TreePieces
from jaxgames.search.tree.search import TreeSearch

MOST_SIMULATIONS = 2**14  # that fit into the tree of one decision
MOST_DEPTH = 32  # plies of a depth-first search
UNKNOWN = 0.0  # the speed of a search that has not been made yet
SAFETY = 0.9  # share of the expected simulations that a search plans with
TRIAL = 64  # simulations that the search plans with whose speed is measured


class RealTimeMemory(NamedTuple):
    """The memory of a player in real time."""

    of_agent: Any
    speed: Float[np.ndarray, "B"]
    """The simulations of the last decision in a second; `UNKNOWN` before the first one."""


@dataclasses.dataclass(frozen=True)
class RealTime:
    """Searches until its limit is reached, or nothing can change any more.

    Of a depth-first search it takes one game at a time; the games of a batch share the time of a
    tree search.
    """

    agent: TreeSearch | DepthFirstPlayer
    limit: Limit
    clock: Clock = time.perf_counter
    decides_on_host: ClassVar[bool] = True

    @property
    def rules(self) -> Any:
        """The rules of the game."""
        inner: Any = self.agent
        return inner.rules if isinstance(self.agent, TreeSearch) else inner.search.rules

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
        if any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves((state, key))):
            raise ValueError(
                "a player with seconds or nodes decides on the host, outside of jit: leave them "
                f"out, or play one game at a time ({programs.command('agents.arena')} --seconds)"
            )
        if isinstance(self.agent, TreeSearch):
            return self._in_a_tree(self.agent, params, memory, state, key)
        return self._by_depths(self.agent, params, memory, state, key)

    def _in_a_tree(
        self,
        agent: TreeSearch,
        params: Params,
        memory: RealTimeMemory,
        state: GameStates,
        key: PRNGKeyArray,
    ) -> tuple[Decision, RealTimeMemory]:
        begin_search = functools.partial(TreePieces, agent, params, memory.of_agent, state)
        speed = float(np.min(memory.speed))
        if speed == UNKNOWN:
            speed = self._speed(begin_search, key)
        begin = self.clock()
        planned = math.inf if speed == UNKNOWN else SAFETY * speed * self.limit.seconds
        if self.limit.nodes is not None:
            planned = min(planned, self.limit.nodes)
        pieces = begin_search(key, planned, self.limit.nodes)
        made = carry_on(pieces, self.limit, self.clock).nodes
        if made:
            speed = made / max(self.clock() - begin, 1e-6)
        decision, after = pieces.decision()
        return decision, RealTimeMemory(after, np.full_like(memory.speed, speed))

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

    def _by_depths(
        self,
        agent: DepthFirstPlayer,
        params: Params,
        memory: RealTimeMemory,
        state: GameStates,
        key: PRNGKeyArray,
    ) -> tuple[Decision, RealTimeMemory]:
        if len(memory.speed) != 1:
            games = len(memory.speed)
            raise ValueError(
                f"a depth-first search with seconds or nodes takes one game, got {games}"
            )
        watched = agent.watch(memory.of_agent, state)
        lanes = agent.lanes(params, np.repeat(watched, LANES) if len(watched) else (), LANES)
        game = jax.tree.map(lambda x: x[0], state)
        is_first = memory.speed[0] == UNKNOWN  # compiled before the time begins
        for limit in (Limit(nodes=1), self.limit) if is_first else (self.limit,):
            begin = self.clock()
            pieces = DepthFirstPieces(
                agent.search, lanes, game, jax.random.clone(key), agent.search.max_depth
            )
            ended = carry_on(pieces, limit, self.clock)
            decision = jax.block_until_ready(_decision(agent, state, pieces.result()))
        speed = ended.nodes / max(self.clock() - begin, 1e-6)
        return decision, RealTimeMemory(watched, np.full_like(memory.speed, speed))


@functools.partial(cached_jit.jit, static_argnames="agent")
def _decision(agent: DepthFirstPlayer, state: GameStates, found: DepthFirstResult) -> Decision:
    first = jax.tree.map(lambda x: x[:1], found._replace(table=None))
    return agent.decision(state, first)


def limited(
    agent: Agent, limits: Mapping[str, str], most: int | None = None, depth: int | None = None
) -> Agent:
    """Returns an agent that searches within limits.

    An agent that only looks at what its actions lead to stays as it is: it decides at once.

    Args:
        agent: the agent.
        limits: fields of `Limit`, as text.
        most: the most simulations of a tree search; None: as many as fit into its tree.
        depth: the greatest depth of a depth-first search; None: any that is reached.

    Raises:
        ValueError: for a limit out of range, or an agent whose search cannot be stopped.
    """
    limit = Limit(**spec.arguments(spec.Spec("limit", limits), Limit))
    if not limit.seconds > 0:
        raise ValueError(f"seconds must be more than 0, got {limit.seconds}")
    if limit.nodes is not None:
        checks.count("nodes", limit.nodes)
    if isinstance(agent, TreeSearch) and takes_limits(agent):
        size = MOST_SIMULATIONS if most is None else most
        return RealTime(dataclasses.replace(agent, simulations=size, stop_decided=True), limit)
    if isinstance(agent, DepthFirstPlayer):
        search = dataclasses.replace(agent.search, max_depth=depth or MOST_DEPTH)
        return RealTime(dataclasses.replace(agent, search=search), limit)
    if isinstance(agent, OneStep | PriorPolicy):
        return agent
    raise ValueError(
        f"{type(agent).__name__} takes no seconds or nodes: only tree searches and depth-first "
        "searches do"
    )


def takes_limits(agent: Agent) -> bool:
    """Returns whether the search of an agent can be stopped at any time."""
    if isinstance(agent, TreeSearch):
        return agent.budget is None
    return isinstance(agent, DepthFirstPlayer)
