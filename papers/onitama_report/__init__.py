"""The Onitama report: eight actors, trained with DDPG.

Importing this package adds the agent `ddpg` to the table of agents.
"""

from agents import registry

registry.register("ddpg", "papers.onitama_report.ddpg.players:make_ddpg")
