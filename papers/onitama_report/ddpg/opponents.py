"""The opponent in the environment of the learners: it decides all games of a batch at once."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32, UInt32

from jaxgames import sampling
from jaxgames.env import Env
from jaxgames.players.knowledge import score_of
from jaxgames.players.mcts import make_mcts
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates
from jaxgames.search.minimax import Minimax
from jaxgames.search.tree.search import TreeSearch
from papers.onitama_report.config import OpponentConfig

Opponent = Callable[[GameStates, Int8[Array, "B"], UInt32[Array, "B"]], Int32[Array, "B"]]
"""Decides for the seat to move; hashable. It maps positions, the depth that each game asks for, and
random words, which decide between equal moves, to an action for each game that is not over."""


@dataclasses.dataclass(frozen=True)
class MinimaxOpponent:
    """Plays a best move of minimax, in each game with a depth of its own."""

    agent: Minimax

    def __call__(
        self, games: GameStates, depth: Int8[Array, "B"], words: UInt32[Array, "B"]
    ) -> Int32[Array, "B"]:
        """Returns one of the best moves."""
        result = self.agent.search(games, depth.astype(jnp.int32))
        slots = jax.vmap(sampling.sample_mask)(result.is_best, words)
        return jnp.take_along_axis(result.actions, slots[:, None], axis=1)[:, 0]


@dataclasses.dataclass(frozen=True)
class MctsOpponent:
    """Plays the move of UCT with random playouts; each step of depth doubles the simulations.

    Its random numbers are shared by all games of the batch.
    """

    search: TreeSearch
    simulations: int  # at depth 1

    def __call__(
        self, games: GameStates, depth: Int8[Array, "B"], words: UInt32[Array, "B"]
    ) -> Int32[Array, "B"]:
        """Returns the move that was tried most."""
        simulations = self.simulations * 2 ** (depth.astype(jnp.int32) - 1)
        key = jax.random.key(words.sum(dtype=jnp.uint32))
        return self.search.act((), (), games, key, simulations)[0].action


@dataclasses.dataclass(frozen=True)
class RandomOpponent:
    """Plays any legal move, whatever the depth."""

    rules: Rules[Any]

    def __call__(
        self, games: GameStates, depth: Int8[Array, "B"], words: UInt32[Array, "B"]
    ) -> Int32[Array, "B"]:
        """Returns a random legal move."""
        del depth
        return jax.vmap(self.rules.sample_action)(games, words)


def make_opponent(env: Env[Any], config: OpponentConfig) -> Opponent:
    """Returns the opponent that the settings describe.

    Raises:
        ValueError: if it cannot play the game.
    """
    if config.kind == "random":
        return RandomOpponent(env.rules)
    if config.kind == "mcts":
        most = config.simulations * 2 ** (config.max_depth - 1)
        return MctsOpponent(make_mcts(env, simulations=most)[0], config.simulations)
    return MinimaxOpponent(Minimax(env.rules, score_of(env), config.max_depth))
