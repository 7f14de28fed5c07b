"""`Thinker`: analyses that grow while a search runs, of one position after another.

A tree search is made with more and more simulations and the same key, so that each search repeats
the last one and goes on; all together cost less than twice the last. A depth-first search is
carried on step by step. Other agents decide at once.
"""

import abc
import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.analysis import analysis, search_tree
from jaxgames.analysis.analysis import Analysis
from jaxgames.analysis.notation import Notation
from jaxgames.batching import trees
from jaxgames.env import Env
from jaxgames.matches import scheduling
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.player import Player
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.depth_first.search import DepthFirstResult
from jaxgames.search.depth_first.search_state import SearchState
from jaxgames.search.tree.search import TreeSearch
from jaxgames.state import State

FIRST_SIMULATIONS = 8
FIRST_STEPS, STEP_GROWTH, MOST_STEPS = 1024, 2, 2**16  # of the loop of a depth-first search


class Thought(NamedTuple):
    """What a player has found so far."""

    analysis: Analysis
    is_final: bool
    """Whether the player decides now."""
    memory: Any
    """The memory after the decision, as `Agent.act` returns it; that of a batch of one game."""


class DecisionPoint(NamedTuple):
    """A position in which a player decides."""

    seen: GameStates
    """What the seat to move knows, as a batch of one game."""
    key: PRNGKeyArray
    """Decides all chance of the search."""
    text: Notation
    played: Callable[[int, Any], tuple[int, Any]]
    """Maps an action and the memory after it to what is played: the same, or a random legal action
    and a fresh memory if only hidden facts make that action illegal."""


class Thinker(abc.ABC):
    """A player that tells what it thinks; its compiled programs are dropped with it."""

    def __init__(self, env: Env[Any], player: Player) -> None:
        self.env = env
        self.player = player

    def reset(self) -> Any:
        """Returns the memory at the start of a game."""
        return self.player.agent.reset(1)

    def think(
        self,
        state: State[Any],
        memory: Any,
        key: PRNGKeyArray,
        top: int = 5,
        patience: float = 1.0,
    ) -> Iterator[Thought]:
        """Yields what the player finds, at last its decision (host side).

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
            seen = _known(self.env, state.game, jnp.int32(state.current_player), key)
        legal = np.asarray(state.legal_action_mask)

        def played(action: int, after: Any) -> tuple[int, Any]:
            if legal[action] or self.env.rules.perfect_information:
                return action, after
            instead = int(_legal_instead(self.env, np.int32(action), state.game, seen, key))
            return instead, after if instead == action else self.reset()

        batch = trees.stack([jax.device_get(seen)])
        position = DecisionPoint(batch, key, Notation(self.env, state, key), played)
        return self._think(position, memory, top, patience)

    @abc.abstractmethod
    def _think(
        self, position: DecisionPoint, memory: Any, top: int, patience: float
    ) -> Iterator[Thought]: ...


def make_thinker(env: Env[Any], player: Player) -> Thinker:
    """Returns the thinker for a player, made by `jaxgames.players.registry.make`."""
    if isinstance(player.agent, TreeSearch):
        return TreeThinker(env, player)
    if isinstance(player.agent, DepthFirstPlayer):
        return DepthFirstThinker(env, player)
    return InstantThinker(env, player)


class TreeThinker(Thinker):
    """Shows a tree search with doubling numbers of simulations."""

    def _think(
        self, position: DecisionPoint, memory: Any, top: int, patience: float
    ) -> Iterator[Thought]:
        agent = self.player.agent
        assert isinstance(agent, TreeSearch)
        state, key = position.seen, position.key
        total = agent.simulations if agent.budget is None else agent.budget
        size = min(total, max(FIRST_SIMULATIONS, int(patience * total)))
        while True:
            found, after = self._run(self.player.params, memory, state, key, jnp.array([size]))
            found = analysis.at(jax.device_get(found), 0)
            action, after = position.played(int(found.action), after)
            shown = analysis.of_tree(agent, found._replace(action=action), position.text, top)
            if action != int(found.action):  # the search is not the reason
                shown = dataclasses.replace(shown, explanation=None)
            yield Thought(shown, size == total, after)
            if size == total:
                return
            size = min(total, 2 * size)

    @functools.cached_property
    def _run(self) -> Any:
        agent = self.player.agent
        assert isinstance(agent, TreeSearch)

        @jax.jit
        def run(
            params: Params, memory: Any, state: GameStates, key: PRNGKeyArray, simulations: Array
        ) -> tuple[search_tree.TreeFindings, Any]:
            found = agent.search(params, memory, state, key, simulations)
            kept = found.tree if agent.reuse else memory
            return search_tree.findings(agent, found, key), kept

        return run


class DepthFirstThinker(Thinker):
    """Shows a depth-first search after each of its finished depths."""

    @property
    def _agent(self) -> DepthFirstPlayer:
        agent = self.player.agent
        assert isinstance(agent, DepthFirstPlayer)
        return agent

    def _think(
        self, position: DecisionPoint, memory: Any, top: int, patience: float
    ) -> Iterator[Thought]:
        del top
        agent = self._agent
        params, state, key = self.player.params, position.seen, position.key
        search, memory = self._start(params, memory, state, key)
        steps, shown_depth = FIRST_STEPS, 0
        while True:
            search, (decision, result) = self._advance(params, memory, state, search, steps)
            decision, result = jax.device_get((decision, result))
            is_final = not bool(np.asarray(search.is_active).any())
            depth = int(result.depth[0])
            if is_final or (patience < 1 and depth > shown_depth):
                shown_depth = depth
                decided, found = analysis.at(decision, 0), analysis.at(result, 0)
                action, after = position.played(int(decided.action), memory)
                if action != int(decided.action):
                    decided = decided._replace(action=action)
                    found = found._replace(variation=np.array([action]))
                shown = analysis.of_depth_first(agent, decided, found, position.text)
                yield Thought(shown, is_final, after)
            if is_final:
                return
            steps = min(MOST_STEPS, STEP_GROWTH * steps)

    @functools.cached_property
    def _start(self) -> Any:
        agent = self._agent

        @jax.jit
        def start(
            params: Params, memory: Any, state: GameStates, key: PRNGKeyArray
        ) -> tuple[SearchState, Any]:
            memory = agent.watch(memory, state)
            return agent.search.start(agent.lanes(params, memory, 1), state, key), memory

        return start

    @functools.cached_property
    def _advance(self) -> Any:
        agent = self._agent

        @jax.jit
        def advance(
            params: Params, memory: Any, state: GameStates, search: SearchState, steps: Array
        ) -> tuple[SearchState, tuple[Decision, DepthFirstResult]]:
            lanes = agent.lanes(params, memory, 1)
            search = agent.search.advance(lanes, search, steps)
            result = agent.search.result(search)
            return search, (agent.decision(state, result), result._replace(table=None))

        return advance


class InstantThinker(Thinker):
    """Shows the decision of an agent that shows no search."""

    def _think(
        self, position: DecisionPoint, memory: Any, top: int, patience: float
    ) -> Iterator[Thought]:
        del patience
        decision, after = self._act(self.player.params, memory, position.seen, position.key)
        decision = analysis.at(jax.device_get(decision), 0)
        action, after = position.played(int(decision.action), after)
        decision = decision._replace(action=action)
        shown = analysis.of_decision(self.player.agent, decision, position.text, top)
        yield Thought(shown, True, after)

    @functools.cached_property
    def _act(self) -> Any:
        return jax.jit(self.player.agent.act)


@functools.partial(jax.jit, static_argnames="env")
def _known(env: Env[Any], game: Any, seat: Int32[Array, ""], key: PRNGKeyArray) -> Any:
    return env.rules.determinize(game, seat, key)


@functools.partial(jax.jit, static_argnames="env")
def _legal_instead(
    env: Env[Any], action: Int32[Array, ""], game: Any, seen: Any, key: PRNGKeyArray
) -> Int32[Array, ""]:
    actions, games, known = jax.tree.map(lambda x: jnp.asarray(x)[None], (action, game, seen))
    return scheduling.legal_instead(env.rules, actions, games, known, key)[0]
