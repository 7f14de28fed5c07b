"""Who plays a new game, unless a person says otherwise."""

import contextlib
from collections.abc import Sequence
from typing import Any

from agents.play.session.session import HUMAN
from jaxgames.analysis.afterstate_values import network_of
from jaxgames.env import Env
from jaxgames.networks.network_files import DoesNotFit
from jaxgames.players import levels
from jaxgames.players.best import best_player, first_that_fits
from jaxgames.players.plugs import game_agents
from jaxgames.search.tree.search import TreeSearch


def seats(env: Env[Any], given: Sequence[str]) -> list[str]:
    """Returns the spec of each seat: those given, or a person against agents."""
    return list(given) or [HUMAN, *[default_opponent(env)] * (env.num_players - 1)]


def default_opponent(env: Env[Any]) -> str:
    """Returns the spec of the agent that plays against a person by default: a middle level."""
    return levels.middle(env) or analyst(env)


def analyst(env: Env[Any]) -> str:
    """Returns the spec of the agent that explains positions: `best`, if it shows values of moves.

    Other games, and options that no network fits, have an agent that does.
    """
    specs = game_agents(env.id)
    if env.num_players in specs.best:
        with contextlib.suppress(DoesNotFit):
            player = best_player(env)
            if isinstance(player.agent, TreeSearch) or network_of(player) is not None:
                return player.name
    return first_that_fits(specs.analyst, env).name
