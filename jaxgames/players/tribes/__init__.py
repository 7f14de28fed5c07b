"""The plug of Tribes."""

from jaxgames.players.plugs import GameAgents
from jaxgames.players.tribes.levels import WITH_NETWORK, WITHOUT_NETWORK

AGENTS = GameAgents(
    best={
        2: ("afterstate:network=tribes", "rhea:budget=2000"),
        3: ("afterstate:network=tribes_3", "rhea:budget=2000"),
        4: ("afterstate:network=tribes_4", "rhea:budget=2000"),
    },
    levels={2: WITH_NETWORK} | dict.fromkeys((3, 4), WITHOUT_NETWORK),
    analyst=("gumbel:evaluator=heuristic,simulations=32",),
    score="jaxgames.players.tribes.score:WorthLead",
    planner_domain="jaxgames.players.tribes.planner_domain:make",
    afterstates="jaxgames.players.tribes.afterstate_domain:make",
    rule_based="jaxgames.players.tribes.rule_based.player:RuleBased",
    do_nothing="jaxgames.players.tribes.do_nothing:DoNothing",
)
