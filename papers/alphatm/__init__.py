"""AlphaTM: a network that plays Terra Mystica from planes.

Importing this package adds its network and its training settings to the tables of the project.
"""

from agents.games import registry
from jaxgames.networks.towers import register_tower

register_tower("alphatm", "papers.alphatm.network:TOWER")
registry.extend("terra_mystica_alphatm", presets="papers.alphatm.preset:PRESETS")
