"""The agent `best`: the strongest player of each game that decides quickly."""

from typing import Any

from agents import registry
from agents.games import knowledge
from agents.games import registry as plugs
from jaxgames.env import Env
from jaxgames.search.agent import Agent, Params

NAME = "best"


def stands_for(text: str, env: Env[Any]) -> str:
    """Returns the spec that `best` stands for in a game, and any other spec or name as it is.

    What is stored of games says who has played them, also after a game names another player.
    """
    if text.strip() != NAME:
        return text
    return plugs.game_agents(env.id).best.get(env.num_players, text)


def make_best(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the player that the plug of the game names as the strongest.

    Raises:
        ValueError: if the game names none; lists the games that name one.
    """
    player = registry.make(knowledge.best_player_of(env), env)
    return player.agent, player.params
