"""The agent `best`: the strongest player of each game that decides quickly."""

from collections.abc import Sequence
from typing import Any

from agents import registry
from agents.games import registry as plugs
from jaxgames.env import Env
from jaxgames.messages import unknown
from jaxgames.networks.network_files import OtherShapes
from jaxgames.search.agent import Agent, Params

NAME = "best"


def stands_for(text: str, env: Env[Any]) -> str:
    """Returns the spec that `best` stands for in a game, and any other spec or name as it is.

    What is stored of games says who has played them, also after a game names another player.
    """
    if text.strip() != NAME or env.num_players not in plugs.game_agents(env.id).best:
        return text
    return best_player_of(env)


def make_best(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the player that the plug of the game names as the strongest.

    Raises:
        ValueError: if the game names none; lists the games that name one.
    """
    player = registry.make(best_player_of(env), env)
    return player.agent, player.params


def best_player_of(env: Env[Any]) -> str:
    """Returns the spec of the strongest player of a game that decides quickly.

    Raises:
        ValueError: if the game names none; lists the games that name one.
    """
    specs = plugs.game_agents(env.id).best.get(env.num_players)
    if specs is None:
        raise ValueError(unknown("game for the agent best:", env.id, plugs.games_with("best")))
    return first_that_fits(specs, env)


def first_that_fits(specs: Sequence[str], env: Env[Any]) -> str:
    """Returns the first spec whose network has the shapes of the game; else the last one.

    Options of a game can change the shape of its observation or the number of its actions.
    """
    for spec in specs[:-1]:
        try:
            registry.make(spec, env)
        except ValueError as error:
            if not isinstance(error.__cause__, OtherShapes):
                raise
        else:
            return spec
    return specs[-1]
