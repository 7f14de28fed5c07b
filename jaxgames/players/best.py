"""The agent `best`: the strongest player of each game that decides quickly."""

import re
from collections.abc import Sequence
from typing import Any

from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.networks.network_files import DoesNotFit
from jaxgames.players import plugs, registry
from jaxgames.players.player import Player
from jaxgames.players.plugs import OptionsNetwork
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

    Options of a game can change the shape of its observation, the number of its actions or its
    version, which the networks of the library have not learned then. For options that the plug of
    the game lists, it names another network, or none.
    """
    *with_network, last = for_options(specs, env)
    for spec in with_network:
        try:
            return registry.make(spec, env)
        except ValueError as error:
            if not _does_not_fit(error):
                raise
    return registry.make(last, env)


def for_options(specs: Sequence[str], env: Env[Any]) -> tuple[str, ...]:
    """Returns specs with the network that the plug of the game names for its options.

    The last spec stays, which needs no network; alone, where the plug says that none has learned
    the game.
    """
    *with_network, last = specs
    if (other := network_by_options(env)) is not None:
        name = other.network
        with_network = [] if name is None else [_named(text, name, env) for text in with_network]
    return (*with_network, last)


def network_by_options(env: Env[Any]) -> OptionsNetwork | None:
    """Returns what the plug of a game names for its options; None for the game's own network.

    Raises:
        ValueError: if the plug names a property that the rules do not have.
    """
    rules = env.rules.canonical
    for entry in plugs.game_agents(env.id).by_options:
        for name in entry.properties:
            if not hasattr(rules, name):
                raise ValueError(
                    f"by_options of {env.id} names {name!r}, which its rules do not have"
                )
        if all(getattr(rules, name) == value for name, value in entry.properties.items()):
            return entry
    return None


def _named(text: str, network: str, env: Env[Any]) -> str:
    """Returns a spec with another network in place of the one that is named by the game's id."""
    return re.sub(rf"\bnetwork={re.escape(env.id)}(?![\w-])", f"network={network}", text)


def _does_not_fit(error: BaseException | None) -> bool:
    """Returns whether an error comes from a network that does not fit, or from its cause."""
    while error is not None and not isinstance(error, DoesNotFit):
        error = error.__cause__
    return error is not None
