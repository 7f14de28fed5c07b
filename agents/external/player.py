"""`external:command="python my_player.py"`: a program of any language as an agent."""

import dataclasses
import functools
import math
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from agents.external import process, protocol
from agents.external.process import Program
from jaxgames.analysis import host_states
from jaxgames.env import Env
from jaxgames.search.agent import Decision, GameStates, Memory, Params
from jaxgames.search.real_time.pieces import Limit
from jaxgames.state import State

SECONDS = 60.0  # for a move, unless the spec or the command says otherwise


@dataclasses.dataclass(frozen=True)
class External:
    """Asks another process for each move (`protocol`)."""

    env: Env[Any]
    program: Program
    limit: Limit
    decides_on_host: ClassVar[bool] = True

    def reset(self, batch_size: int) -> tuple[()]:
        """Returns `()`: each position is told as a whole."""
        del batch_size
        return ()

    def within(self, limit: Limit) -> "External":
        """Returns this player with another limit for a move, which always has a time."""
        seconds = limit.seconds if math.isfinite(limit.seconds) else SECONDS
        return dataclasses.replace(self, limit=dataclasses.replace(limit, seconds=seconds))

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns the moves of the process in positions that are told one after the other.

        Raises:
            Failure: if it ends, is late, or answers with anything but a legal move.
            ValueError: if it does not start.
        """
        del params, key
        games = jax.device_get(state)
        size = len(jax.tree.leaves(games)[0])
        actions = np.zeros(size, np.int32)
        policy = np.zeros((size, self.env.num_actions), np.float32)
        values = np.zeros((size, self.env.num_players), np.float32)
        for lane in range(size):
            game = jax.tree.map(lambda x, lane=lane: x[lane], games)
            actions[lane], values[lane] = self._ask(game)
            policy[lane, actions[lane]] = 1.0
        return Decision(jnp.asarray(actions), jnp.asarray(policy), jnp.asarray(values)), memory

    def prepare(self, state: GameStates) -> None:
        """Starts the process and compiles what a question needs, before a clock runs.

        Raises:
            ValueError: if it does not start.
        """
        self._question(jax.tree.map(lambda x: x[0], state))
        self.program.start()

    def _ask(self, game: Any) -> tuple[int, Any]:
        line, state = self._question(game)
        read = functools.partial(protocol.read_move, self.env, state)
        action, values = self.program.ask(line, self.limit.seconds, read)
        return action, values or 0.0

    def _question(self, game: Any) -> tuple[str, State[Any]]:
        """Returns the question about a position, and its state."""
        state = jax.device_get(host_states.without_observation(self.env, game))
        return protocol.line(protocol.move_query(self.env, state, self.limit)), state


def make_external(
    env: Env[Any], *, command: str, start: float = 60.0
) -> tuple[External, tuple[()]]:
    """Returns a player in a process of its own, with no parameters.

    Args:
        env: the game, which needs moves in words.
        command: the command line of the process.
        start: seconds from its start to its first answer.

    Raises:
        ValueError: for a game without notation, a program that cannot be found, or a time that is
            not positive.
    """
    if env.notation is None:
        raise ValueError("an external player needs moves in words, and the game has no notation")
    if not start > 0:
        raise ValueError(f"start must be more than 0 seconds, got {start}")
    greeting = protocol.line(protocol.start(env))
    program = Program(process.words_of(command), greeting, protocol.read_ready, start)
    return External(env, program, Limit(seconds=SECONDS)), ()
