"""The plug of Tribes."""

from jaxgames.players.plugs import GameAgents

AGENTS = GameAgents(
    best={2: ("afterstate:network=tribes", "rhea:budget=2000")}
    | dict.fromkeys((3, 4), ("rhea:budget=2000",)),
    analyst=("gumbel:evaluator=heuristic,simulations=32",),
    opponent="best",
    score="jaxgames.players.tribes.score:WorthLead",
    planner_domain="jaxgames.players.tribes.planner_domain:make",
    afterstates="jaxgames.players.tribes.afterstate_domain:make",
    rule_based="jaxgames.players.tribes.rule_based.player:RuleBased",
    do_nothing="jaxgames.players.tribes.do_nothing:DoNothing",
)
