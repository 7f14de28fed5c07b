"""`HostPlayer`: any player in one game at a time on the host, people included."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray

from agents.terminal.asking import Command, ask_move
from agents.terminal.console import Console
from agents.terminal.human import Human
from agents.terminal.pondering import Ponder
from jaxgames.analysis import host_states
from jaxgames.env import Env
from jaxgames.internal import compilation_cache
from jaxgames.internal.messages import title
from jaxgames.internal.program_cache import cached_jit
from jaxgames.matches import scheduling
from jaxgames.players.player import Player, decides_on_host
from jaxgames.players.real_time import ponders
from jaxgames.search.agent import Agent, Memory, Params
from jaxgames.state import State


class HostPlayer:
    """A player with its memory of the game that it is playing."""

    def __init__(self, env: Env[Any], player: Player, console: Console) -> None:
        self._env = env
        self._player = player
        self._console = console
        self.new_game()

    @property
    def is_human(self) -> bool:
        """Whether a person plays."""
        return isinstance(self._player.agent, Human)

    @property
    def name(self) -> str:
        """The name of the player."""
        agent = self._player.agent
        return agent.name if isinstance(agent, Human) else self._player.name

    def new_game(self) -> None:
        """Forgets the game before, or moves that were taken back."""
        self._memory: Memory = self._player.agent.reset(1)

    def choose(
        self,
        state: State[Any],
        key: PRNGKeyArray,
        commands: Mapping[str, str] | None = None,
        note: str = "",
    ) -> int | Command:
        """Returns the action of the player in a position; of a person, it may be a command.

        Args:
            state: one game in progress in which the player is to move. It gets what its seat knows.
            key: decides all chance of a search.
            commands: commands that a person is offered, as `ask_move` takes them.
            note: a few words for a person.

        Raises:
            Left: if a person quits, or the input is over.
        """
        if self.is_human:
            return ask_move(self._env, state, self._console, self.name, commands, note)
        if decides_on_host(self._player.agent):
            return self._decide_on_host(state, key)
        games = jax.tree.map(lambda x: jnp.asarray(x)[None], state.game)
        with compilation_cache.purpose(f"{self.name} of {title(self._env.id)}"):
            action, self._memory = _decide(
                self._env, self._player.agent, self._player.params, self._memory, games, key
            )
        return int(action)

    def pondering(self, state: State[Any], key: PRNGKeyArray) -> Ponder | None:
        """Returns how the player thinks about a position of its opponent; None if it does not.

        Args:
            state: one game in progress in which the opponent is to move.
            key: decides all chance of the search.
        """
        agent, params = self._player.agent, self._player.params
        if not ponders(agent):
            return None
        games = jax.tree.map(lambda x: jnp.asarray(x)[None], state.game)

        def ponder(is_stopped: Callable[[], bool]) -> None:
            self._memory = agent.ponder(params, self._memory, games, key, is_stopped)

        return ponder

    def _decide_on_host(self, state: State[Any], key: PRNGKeyArray) -> int:
        """Returns the action of an agent that cannot be traced."""
        env, seen = self._env, state.game
        hide_key, act_key, instead_key = jax.random.split(key, 3)
        if not env.rules.perfect_information:
            seen = host_states.known_to(env, seen, jnp.int32(state.current_player), hide_key)
        games = jax.tree.map(lambda x: jnp.asarray(x)[None], seen)
        decision, self._memory = self._player.act(self._memory, games, act_key)
        action = int(decision.action[0])
        if env.rules.perfect_information:
            return action
        instead = int(
            host_states.legal_instead(env, jnp.int32(action), state.game, seen, instead_key)
        )
        if instead != action:
            self.new_game()
        return instead


@functools.partial(cached_jit.jit, static_argnames=("env", "agent"))
def _decide(
    env: Env[Any], agent: Agent, params: Params, memory: Memory, games: Any, key: PRNGKeyArray
) -> tuple[Array, Memory]:
    lanes, is_filled = jnp.zeros(1, jnp.int32), jnp.ones(1, bool)
    actions, memory = scheduling.decide(env, agent, params, memory, games, lanes, is_filled, key)
    return actions[0], memory
