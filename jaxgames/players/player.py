"""`Player`: an agent that takes part in matches, with its name."""

from typing import NamedTuple

from jaxgames.search.agent import Agent, Params


class Player(NamedTuple):
    """An agent with its parameters (`()` if it learned nothing) and the name used in tables."""

    name: str
    agent: Agent
    params: Params
