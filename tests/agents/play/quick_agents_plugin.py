"""A plugin for the page in a process of its own: all agents are quick."""

from jaxgames.players import plugs
from tests.agents.play import quick_agents

plugs._loaded.update(quick_agents.all_games())
