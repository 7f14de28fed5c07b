"""The agent `best`: the strongest player of each game that decides quickly."""

from typing import Any

from agents import registry
from agents.games import knowledge
from jaxgames.env import Env
from jaxgames.search.agent import Agent, Params


def make_best(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the player that the plug of the game names as the strongest.

    Raises:
        ValueError: if the game names none; lists the games that name one.
    """
    player = registry.make(knowledge.best_player_of(env), env)
    return player.agent, player.params
