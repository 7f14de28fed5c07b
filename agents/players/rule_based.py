"""Players that follow rules of thumb, from the plugs of the games."""

from typing import Any

from agents.games import knowledge
from jaxgames.env import Env
from jaxgames.search.agent import Agent, Params


def make_rule_based(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that follows the rules of thumb written for a game.

    Raises:
        ValueError: if nobody has written any; lists the games that have some.
    """
    return knowledge.rule_based_player_of(env), ()


def make_do_nothing(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that ends its turn, or takes the first legal action where it must act.

    In Tribes, it must act where a city levels up.

    Raises:
        ValueError: for a game without such an agent; lists the others.
    """
    return knowledge.do_nothing_player_of(env), ()
