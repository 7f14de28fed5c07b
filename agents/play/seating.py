"""Who plays a new game, unless a person says otherwise."""

from collections.abc import Sequence
from typing import Any

from agents.play.session.session import HUMAN
from jaxgames.env import Env
from jaxgames.players import levels
from jaxgames.players.best import first_that_fits
from jaxgames.players.plugs import game_agents


def seats(env: Env[Any], given: Sequence[str]) -> list[str]:
    """Returns the spec of each seat: those given, or a person against agents."""
    return list(given) or [HUMAN, *[default_opponent(env)] * (env.num_players - 1)]


def default_opponent(env: Env[Any]) -> str:
    """Returns the spec of the agent that plays against a person by default: a middle level."""
    return levels.middle(env) or analyst(env)


def analyst(env: Env[Any]) -> str:
    """Returns the spec of the agent that explains positions."""
    return first_that_fits(game_agents(env.id).analyst, env).name
