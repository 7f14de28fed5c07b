"""`ClockedAgent`: any agent of the registry at the clock, such as `best` or `external`.

A search, or a program in another process, gets a share of the time left for each move. Agents that
take no limit decide at once.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from agents.clock.player import TimedChoice
from agents.clock.policy import MovePlan
from agents.external.player import External
from agents.external.process import Failure
from agents.terminal.pondering import Ponder
from jaxgames.env import Env
from jaxgames.internal import compilation_cache
from jaxgames.players.opening_book.book import Book
from jaxgames.players.opening_book.player import BookThen
from jaxgames.players.player import Player
from jaxgames.players.real_time import DepthFirstDecision, RealTime, RealTimeMemory, ponders
from jaxgames.players.search_limits import Timed
from jaxgames.search.agent import Agent, Memory
from jaxgames.search.real_time.pieces import Clock, Limit

# Of the time left, for a move. Smaller than `LARGEST_SHARE`, because a search to a fixed depth is
# mostly finished before, and this one never: 40 moves leave an eighth of the time, not 1/200.
SHARE = 1 / 20
WARM_UP = 0.25  # real seconds of a search before the game, which measures its speed


@dataclasses.dataclass
class ClockedAgent:
    """An agent with its memory of the game that it is playing."""

    env: Env[Any]
    player: Player
    limit: Limit  # its own, in seconds of the clock, beside the share of the time left
    clock: Clock
    scale: float = 1.0  # real seconds of a second of the clock
    seed: int = 0
    book: ClassVar[Book | None] = None
    is_person: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Prepares for the first game."""
        self._memory: Memory = None
        self._agent = self.player.agent
        self.new_game()

    @property
    def name(self) -> str:
        """The name of the player."""
        return self.player.name

    def new_game(self) -> None:
        """Forgets the game before, but not how fast the search is."""
        memory = self.player.agent.reset(1)
        if isinstance(memory, RealTimeMemory) and self._memory is not None:
            memory = memory._replace(speed=self._memory.speed)
        self._memory, self._plies = memory, 0

    def warm_up(self, game: Any) -> None:
        """Compiles and measures a search, or starts the program in another process.

        Raises:
            ValueError: if the program does not start.
        """
        if isinstance(self.player.agent, External):
            self.player.agent.prepare(_batch(game))
        else:
            self._decide(game, MovePlan(0, WARM_UP / self.scale))
        self.new_game()

    def act(self, game: Any, remaining: float) -> TimedChoice:
        """Returns a move for a position with host values and the seconds left for the game."""
        plan = MovePlan(0, min(self.limit.seconds, SHARE * remaining))
        try:
            return self._decide(game, plan)
        except Failure as error:
            return TimedChoice(self.env.num_actions, 0, 0, plan, str(error))

    def pondering(self, game: Any) -> Ponder | None:
        """Returns how it thinks about a position of its opponent; None if it does not."""
        agent = self._agent
        if not ponders(agent):
            return None
        key = self._keys()[1]

        def ponder(is_stopped: Callable[[], bool]) -> None:
            self._memory = agent.ponder(
                self.player.params, self._memory, _batch(game), key, is_stopped
            )

        return ponder

    def _decide(self, game: Any, plan: MovePlan) -> TimedChoice:
        agent = self._agent = self._within(plan.seconds)
        key = self._keys()[0]
        self._plies += 1
        if not isinstance(agent, RealTime):
            player = self.player._replace(agent=agent)
            decision, self._memory = player.act(self._memory, _batch(game), key)
            return TimedChoice(int(decision.action[0]), 0, 0, plan)
        with compilation_cache.purpose(f"the player {self.name}"):
            last = agent.last_moment(self.player.params, self._memory, _batch(game), key)
            decision, self._memory = last.decide()
        depth = last.pieces.depth if isinstance(last.pieces, DepthFirstDecision) else 0
        return TimedChoice(int(decision.action[0]), depth, last.findings.nodes, plan)

    def _within(self, seconds: float) -> Agent:
        """Returns the agent with so many seconds of the clock for a move, if it takes a limit."""
        limit = dataclasses.replace(self.limit, seconds=seconds * self.scale)

        def within(agent: Agent) -> Agent:
            if isinstance(agent, RealTime):
                return dataclasses.replace(agent, limit=limit, clock=self._real_clock)
            if isinstance(agent, BookThen):
                return dataclasses.replace(agent, agent=within(agent.agent))
            return agent.within(limit) if isinstance(agent, Timed) else agent

        return within(self.player.agent)

    def _real_clock(self) -> float:
        # The pieces of a search are made for real seconds.
        return self.clock() * self.scale

    def _keys(self) -> tuple[PRNGKeyArray, PRNGKeyArray]:
        """Returns the keys of the next decision, and of the search before it."""
        key = jax.random.fold_in(jax.random.key(self.seed), self._plies)
        decide_key, ponder_key = jax.random.split(key)
        return decide_key, ponder_key


def _batch(game: Any) -> Any:
    return jax.tree.map(lambda x: jnp.asarray(x)[None], game)
