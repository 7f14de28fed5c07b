"""The plug of Tribes."""

from agents.games.registry import GameAgents

AGENTS = GameAgents(
    best={2: ("afterstate:network=tribes",)} | dict.fromkeys((3, 4), ("rhea:budget=2000",)),
    analyst=("gumbel:evaluator=heuristic,simulations=32",),
    opponent="best",
    score="agents.games.tribes.score:Lead",
    planner_domain="agents.games.tribes.planner_domain:make",
    afterstates="agents.games.tribes.afterstates:make",
    afterstate_presets="agents.games.tribes.preset:AFTERSTATE_PRESETS",
    rule_based="agents.games.tribes.rule_based.player:RuleBased",
    do_nothing="agents.games.tribes.do_nothing:DoNothing",
    presets="agents.games.tribes.preset:PRESETS",
    model_presets="agents.games.tribes.preset:MODEL_PRESETS",
)
