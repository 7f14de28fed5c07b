"""`Thinker`: analyses that grow while a search runs, of one position after another.

A tree search is made with more and more simulations and the same key, so that each search repeats
the last one and goes on; all together cost less than twice the last. A depth-first search is
carried on step by step, a search in real time piece by piece. Other agents decide at once.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from jaxgames.analysis import analysis, host_states, search_tree
from jaxgames.analysis.analysis import Analysis
from jaxgames.analysis.notation import Notation
from jaxgames.batching import trees
from jaxgames.env import Env
from jaxgames.internal.program_cache import cached_jit
from jaxgames.players import real_time
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.player import Player, decides_on_host
from jaxgames.players.player import decide as decide_program
from jaxgames.players.real_time import RealTime
from jaxgames.search.agent import Agent, Decision, GameStates, Params
from jaxgames.search.depth_first.search import DepthFirstResult
from jaxgames.search.depth_first.search_state import SearchState
from jaxgames.search.tree.search import TreeSearch
from jaxgames.state import State

FIRST_SIMULATIONS = 8
BETWEEN_THOUGHTS = 0.25  # seconds of a search in real time; each thought takes some of its time
FIRST_STEPS, STEP_GROWTH, MOST_STEPS = 1024, 2, 2**16  # of the loop of a depth-first search


class Thought(NamedTuple):
    """The findings of a player so far."""

    analysis: Analysis
    is_final: bool
    """Whether the player decides now."""
    memory: Any
    """The memory after the decision, as `Agent.act` returns it; that of a batch of one game."""


class DecisionPoint(NamedTuple):
    """A position in which a player decides."""

    seen: GameStates
    """The knowledge of the seat to move, as a batch of one game."""
    key: PRNGKeyArray
    """Decides all chance of the search."""
    text: Notation
    played: Callable[[int, Any], tuple[int, Any]]
    """Maps an action and the memory after it to what is played: the same, or a random legal action
    and a fresh memory if only hidden facts make that action illegal."""
    params: Params
    memory: Any
    top: int
    """The most moves that are listed."""
    patience: float
    """The least share of the whole search before the first thought."""


class Thinker:
    """A player that tells its thoughts; its compiled programs are dropped with it."""

    def __init__(self, env: Env[Any], player: Player) -> None:
        """`player`: made by `jaxgames.players.registry.make`."""
        self.env = env
        self.player = player
        self._think = _thinking(player.agent)

    def reset(self) -> Any:
        """Returns the memory at the start of a game."""
        return self.player.agent.reset(1)

    @property
    def ponders(self) -> bool:
        """Whether the player is to think while its opponent does."""
        return real_time.ponders(self.player.agent)

    def ponder(
        self, state: State[Any], memory: Any, key: PRNGKeyArray, is_stopped: Callable[[], bool]
    ) -> Any:
        """Returns the memory of a player that ponders after a search of its opponent's position.

        Args:
            state: one game in progress in which the opponent is to move.
            memory: as for `think`.
            key: decides all chance of the search.
            is_stopped: asked before each piece of the search.
        """
        agent = self.player.agent
        assert isinstance(agent, RealTime)
        batch = trees.stack([jax.device_get(state.game)])
        return agent.ponder(self.player.params, memory, batch, key, is_stopped)

    def think(
        self,
        state: State[Any],
        memory: Any,
        key: PRNGKeyArray,
        top: int = 5,
        patience: float = 1.0,
    ) -> Iterator[Thought]:
        """Yields the thoughts of the player, at last its decision (host side).

        Args:
            state: one game in progress. The player gets what the seat to move may know of it.
            memory: the result of `reset`, or the memory after the last decision in this game.
            key: decides all chance of the search; equal keys give equal decisions.
            top: the most moves that are listed.
            patience: the least share of the whole search, from 0 to 1, before the first thought; 1
                makes the search in one go.

        Raises:
            ValueError: for a game that is over.
        """
        if state.terminated or state.truncated:
            raise ValueError("the game is over, there is nothing to analyse")
        seen = state.game
        if not self.env.rules.perfect_information:
            seen = host_states.known_to(self.env, state.game, jnp.int32(state.current_player), key)
        legal = np.asarray(state.legal_action_mask)

        def played(action: int, after: Any) -> tuple[int, Any]:
            if legal[action] or self.env.rules.perfect_information:
                return action, after
            instead = int(
                host_states.legal_instead(self.env, np.int32(action), state.game, seen, key)
            )
            return instead, after if instead == action else self.reset()

        batch = trees.stack([jax.device_get(seen)])
        text = Notation(self.env, state, key)
        point = DecisionPoint(batch, key, text, played, self.player.params, memory, top, patience)
        return self._think(point)


def _thinking(agent: Agent) -> Callable[[DecisionPoint], Iterator[Thought]]:
    """Returns the way in which an agent thinks, with compiled programs of its own."""
    if isinstance(agent, TreeSearch):
        return _in_a_tree(agent)
    if isinstance(agent, DepthFirstPlayer):
        return _by_depths(agent)
    if isinstance(agent, RealTime):
        return _in_real_time(agent)
    return _at_once(agent)


def _in_a_tree(agent: TreeSearch) -> Callable[[DecisionPoint], Iterator[Thought]]:
    """Shows a tree search with doubling numbers of simulations."""
    run = search_tree.run.copy()

    def think(point: DecisionPoint) -> Iterator[Thought]:
        total = agent.total
        size = min(total, max(FIRST_SIMULATIONS, int(point.patience * total)))
        while True:
            simulations = np.array([size], np.int32)
            found, after = run(
                agent, point.params, point.memory, point.seen, point.key, simulations
            )
            found = analysis.at(jax.device_get(found), 0)
            action, after = point.played(int(found.action), after)
            shown = analysis.of_tree(agent, found._replace(action=action), point.text, point.top)
            if action != int(found.action):  # the search is not the reason
                shown = dataclasses.replace(shown, explanation=None)
            yield Thought(shown, size == total, after)
            if size == total:
                return
            size = min(total, 2 * size)

    return think


def _by_depths(agent: DepthFirstPlayer) -> Callable[[DecisionPoint], Iterator[Thought]]:
    """Shows a depth-first search after each of its finished depths."""

    @cached_jit.jit
    def start(
        params: Params, memory: Any, state: GameStates, key: PRNGKeyArray
    ) -> tuple[SearchState, Any]:
        memory = agent.watch(memory, state)
        return agent.search.start(agent.lanes(params, memory, 1), state, key), memory

    @cached_jit.jit
    def advance(
        params: Params, memory: Any, state: GameStates, search: SearchState, steps: Array
    ) -> tuple[SearchState, tuple[Decision, DepthFirstResult]]:
        search = agent.search.advance(agent.lanes(params, memory, 1), search, steps)
        result = agent.search.result(search)
        return search, (agent.decision(state, result), result._replace(table=None))

    def think(point: DecisionPoint) -> Iterator[Thought]:
        search, memory = start(point.params, point.memory, point.seen, point.key)
        steps, shown_depth, is_final = FIRST_STEPS, 0, False
        while not is_final:
            search, found = advance(point.params, memory, point.seen, search, np.int32(steps))
            decision, result = analysis.at(jax.device_get(found), 0)
            is_final = not bool(np.asarray(search.is_active).any())
            if is_final or (point.patience < 1 and int(result.depth) > shown_depth):
                shown_depth = int(result.depth)
                action, after = point.played(int(decision.action), memory)
                if action != int(decision.action):
                    decision = decision._replace(action=action)
                    result = result._replace(variation=np.array([action]))
                shown = analysis.of_depth_first(agent, decision, result, point.text)
                yield Thought(shown, is_final, after)
            steps = min(MOST_STEPS, STEP_GROWTH * steps)

    return think


def _in_real_time(agent: RealTime) -> Callable[[DecisionPoint], Iterator[Thought]]:
    """Shows a search within its time several times a second."""

    def think(point: DecisionPoint) -> Iterator[Thought]:
        shown_at = agent.clock()
        for moment in agent.moments(point.params, point.memory, point.seen, point.key):
            is_due = point.patience < 1 and agent.clock() - shown_at >= BETWEEN_THOUGHTS
            if moment.is_last or (is_due and moment.findings.can_decide):
                decision, after = moment.decide()
                decision = analysis.at(jax.device_get(decision), 0)
                action, after = point.played(int(decision.action), after)
                decision = decision._replace(action=action)
                shown = analysis.of_moment(moment, decision, point.text, point.top)
                yield Thought(shown, moment.is_last, after)
                shown_at = agent.clock()

    return think


def _at_once(agent: Agent) -> Callable[[DecisionPoint], Iterator[Thought]]:
    """Shows the decision of an agent that shows no search."""
    decide = decide_program.copy()

    def think(point: DecisionPoint) -> Iterator[Thought]:
        if decides_on_host(agent):
            decision, after = agent.act(point.params, point.memory, point.seen, point.key)
        else:
            decision, after = decide(agent, point.params, point.memory, point.seen, point.key)
        decision = analysis.at(jax.device_get(decision), 0)
        action, after = point.played(int(decision.action), after)
        decision = decision._replace(action=action)
        shown = analysis.of_decision(agent, decision, point.text, point.top)
        yield Thought(shown, True, after)

    return think
