"""The plug of Terra Mystica."""

from jaxgames.players.plugs import GameAgents

AGENTS = GameAgents(
    best={
        seats: (f"gumbel:evaluator=afterstates,network={network},simulations=64",)
        for seats, network in (
            (2, "terra_mystica"),
            (3, "terra_mystica_3"),
            (4, "terra_mystica_4"),
            (5, "terra_mystica_5"),
        )
    },
    analyst=("gumbel:evaluator=heuristic,simulations=32",),
    opponent="best",
    score="jaxgames.players.terra_mystica.score:make",
    planner_domain="jaxgames.players.terra_mystica.planner_domain:make",
    afterstates="jaxgames.players.terra_mystica.afterstate_domain:make",
)
