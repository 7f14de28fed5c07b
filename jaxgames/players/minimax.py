"""Minimax as an agent."""

from typing import Any

from jaxgames.env import Env
from jaxgames.players.knowledge import score_of
from jaxgames.search.agent import Params
from jaxgames.search.minimax import Minimax, Ties


def make_minimax(env: Env[Any], *, depth: int = 2, ties: Ties = "random") -> tuple[Minimax, Params]:
    """Returns minimax with the game's heuristic; it has no parameters.

    Raises:
        ValueError: if the game has no heuristic or is not a two-player game of full information,
            or for a value out of range.
    """
    return Minimax(env.rules, score_of(env), depth, ties), ()
