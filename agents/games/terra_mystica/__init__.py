"""The plugs of Terra Mystica and of the variant that AlphaTM plays."""

from agents.games.registry import GameAgents

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
    score="agents.games.terra_mystica.score:make",
    planner_domain="agents.games.terra_mystica.planner_domain:make",
    afterstates="agents.games.terra_mystica.afterstates:make",
    afterstate_presets="agents.games.terra_mystica.preset:AFTERSTATE_PRESETS",
    presets="agents.games.terra_mystica.preset:PRESETS",
    model_presets="agents.games.terra_mystica.preset:MODEL_PRESETS",
)
ALPHATM_AGENTS = GameAgents(
    analyst=("gumbel:evaluator=heuristic,simulations=32",),
    score="agents.games.terra_mystica.score:make",
    plugin="papers.alphatm",  # its preset and its network
)
