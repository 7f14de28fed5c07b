"""The plug of Murus Gallicus."""

from agents.games.registry import GameAgents

_SEARCH = "gumbel:network=murus_gallicus,simulations=128"

AGENTS = GameAgents(
    best={2: (_SEARCH, "gumbel:evaluator=heuristic,simulations=256")},
    other_aim={"breakthrough": False},  # the network heads for the last row
    analyst=(_SEARCH, "gumbel:evaluator=heuristic,simulations=64"),
    score="agents.games.murus_gallicus.evaluation:SquashedLinear",
    integer_score="agents.games.murus_gallicus.evaluation:make_linear",
    tactics="agents.games.murus_gallicus.tactics:MurusTactics",
    afterstates="agents.games.murus_gallicus.afterstates:make",
    tunable="agents.games.murus_gallicus.tunable:make_tunable",
    players={
        "ms1": "agents.games.murus_gallicus.players:make_ms1",
        "ms2": "agents.games.murus_gallicus.players:make_ms2",
        "ms3": "agents.games.murus_gallicus.players:make_ms3",
    },
    clock_players={
        "ms1": "agents.games.murus_gallicus.clock_players:make_ms1",
        "ms2": "agents.games.murus_gallicus.clock_players:make_ms2",
        "ms3": "agents.games.murus_gallicus.clock_players:make_ms3",
    },
    presets="agents.games.murus_gallicus.preset:PRESETS",
    model_presets="agents.games.murus_gallicus.preset:MODEL_PRESETS",
    tuning_stages="agents.games.murus_gallicus.preset:TUNING_STAGES",
)
