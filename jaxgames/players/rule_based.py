"""The players `rule_based` and `do_nothing` of the games that have them in their plugs."""

from typing import Any

from jaxgames.env import Env
from jaxgames.players import knowledge
from jaxgames.search.agent import Agent, Params


def make_rule_based(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that follows the rules of thumb written for a game.

    Raises:
        ValueError: if the game has none; lists the games that have one.
    """
    return knowledge.rule_based_player_of(env), ()


def make_do_nothing(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that ends its turn, or takes the first legal action where it must act.

    In Tribes, for instance, it must act where a city levels up.

    Raises:
        ValueError: if the game has none; lists the games that have one.
    """
    return knowledge.do_nothing_player_of(env), ()
