"""The agents of this package by game."""

import importlib
from typing import Any

from jaxgames import Env
from jaxgames.messages import unknown
from jaxgames.search.agent import Agent, Params

# By id of the game: each path leads to `make(rules)`, which returns the agent.
_RULE_BASED = {"tribes": "agents.games.tribes.rule_based.player:RuleBased"}
_IDLE = {"tribes": "agents.games.tribes.do_nothing:DoNothing"}


def make_rule_based(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that follows the rules written for a game.

    Raises:
        ValueError: if nobody has written any; lists the games that have some.
    """
    return _made(env, "rule_based", _RULE_BASED), ()


def make_do_nothing(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that ends its turn, or takes the first legal action where it must act.

    In Tribes, it must where a city levels up.

    Raises:
        ValueError: for a game without such an agent; lists the others.
    """
    return _made(env, "do_nothing", _IDLE), ()


def _made(env: Env[Any], agent: str, paths: dict[str, str]) -> Agent:
    if env.id not in paths:
        raise ValueError(unknown(f"game for the agent {agent}:", env.id, paths))
    module, _, name = paths[env.id].partition(":")
    made: Agent = getattr(importlib.import_module(module), name)(env.rules)
    return made
