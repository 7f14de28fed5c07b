"""The plugs of Onitama and of the variant that the Onitama report plays."""

from agents.games.registry import GameAgents

_SEARCH = "gumbel:network=onitama,simulations=256,rescale_values=false"

AGENTS = GameAgents(
    best={2: (_SEARCH, "negascout:depth=6,table=16")},
    analyst=(_SEARCH, "gumbel:evaluator=heuristic,simulations=64"),
    score="agents.games.onitama.score:make_material",
    integer_score="agents.games.onitama.score:make_integer_score",
    tactics="agents.games.onitama.tactics:OnitamaTactics",
    afterstates="agents.games.onitama.afterstates:make",
    presets="agents.games.onitama.preset:PRESETS",
    model_presets="agents.games.onitama.preset:MODEL_PRESETS",
)
REPORT_AGENTS = GameAgents(
    best={2: ("negascout:depth=6,table=16",)},
    score="agents.games.onitama.score:make_material",
    integer_score="agents.games.onitama.score:make_integer_score",
    tactics="agents.games.onitama.tactics:ReportTactics",
    presets="agents.games.onitama.preset:REPORT_PRESETS",
)
