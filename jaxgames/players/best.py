"""The agent `best`: the strongest player of each game that decides quickly."""

from collections.abc import Sequence
from typing import Any

from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.networks.network_files import DoesNotFit
from jaxgames.players import plugs, registry
from jaxgames.players.player import Player
from jaxgames.search.agent import Agent, Params

NAME = "best"


def make_best(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the player that the plug of the game names as the strongest.

    Raises:
        ValueError: as `best_player`.
    """
    player = best_player(env)
    return player.agent, player.params


def best_player(env: Env[Any]) -> Player:
    """Returns the strongest player of a game that decides quickly; its name is its spec.

    Raises:
        ValueError: if the game names none, or none for this number of seats; lists those it has.
    """
    best = plugs.game_agents(env.id).best
    if not best:
        raise ValueError(unknown("game for the agent best:", env.id, plugs.games_with("best")))
    if env.num_players not in best:
        seats = ", ".join(map(str, sorted(best)))
        raise ValueError(f"the agent best plays {env.id} with {seats} seats, not {env.num_players}")
    return first_that_fits(best[env.num_players], env)


def first_that_fits(specs: Sequence[str], env: Env[Any]) -> Player:
    """Returns the first player whose network fits the game, else the last one.

    Options of a game can change the shape of its observation, the number of its actions, its
    version, or its aim, which the networks of the library have not learned then.
    """
    *with_network, last = specs
    for spec in [] if has_other_aim(env) else with_network:
        try:
            return registry.make(spec, env)
        except ValueError as error:
            if not _does_not_fit(error):
                raise
    return registry.make(last, env)


def has_other_aim(env: Env[Any]) -> bool:
    """Returns whether an option changes the aim of a game, as the plug of the game says.

    Raises:
        ValueError: if the plug names an option that the game does not have.
    """
    options = plugs.game_agents(env.id).other_aim
    for name in options:
        if not hasattr(env.rules, name):
            raise ValueError(
                f"other_aim of {env.id} names {name!r}, which is no option of the game"
            )
    return any(getattr(env.rules, name) == value for name, value in options.items())


def _does_not_fit(error: BaseException | None) -> bool:
    """Returns whether an error comes from a network that does not fit, or from its cause."""
    while error is not None and not isinstance(error, DoesNotFit):
        error = error.__cause__
    return error is not None
