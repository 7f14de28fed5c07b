"""The plug of Terra Mystica."""

from jaxgames.players.plugs import GameAgents
from jaxgames.players.terra_mystica.levels import NETWORKS, of_seats

AGENTS = GameAgents(
    best={
        seats: (f"gumbel:evaluator=afterstates,network={network},simulations=64",)
        for seats, network in NETWORKS.items()
    },
    levels={seats: of_seats(seats) for seats in NETWORKS},
    analyst=("gumbel:evaluator=heuristic,simulations=32",),
    score="jaxgames.players.terra_mystica.score:make",
    planner_domain="jaxgames.players.terra_mystica.planner_domain:make",
    afterstates="jaxgames.players.terra_mystica.afterstate_domain:make",
)
