"""The plug of Murus Gallicus."""

from jaxgames.players.murus_gallicus.levels import LEVELS
from jaxgames.players.plugs import GameAgents, OptionsNetwork

_SEARCH = "gumbel:network=murus_gallicus,simulations=128"

AGENTS = GameAgents(
    best={2: (_SEARCH, "gumbel:evaluator=heuristic,simulations=256")},
    levels={2: LEVELS},
    by_options=(
        # Their inputs have a plane more, which fits no other network.
        OptionsNetwork({"pie_rule": True}, "murus_gallicus_pie_rule"),
        OptionsNetwork({"redistribute_start": True}, "murus_gallicus_redistribute_start"),
        OptionsNetwork({"breakthrough": False}, "murus_gallicus_no_breakthrough"),
        OptionsNetwork({"max_stack": 2}, "murus_gallicus_basic"),
        OptionsNetwork({"win_timing": "delayed"}, "murus_gallicus_delayed"),
    ),
    analyst=(_SEARCH, "gumbel:evaluator=heuristic,simulations=64"),
    score="jaxgames.players.murus_gallicus.evaluation:SquashedLinear",
    integer_score="jaxgames.players.murus_gallicus.evaluation:make_linear",
    tactics="jaxgames.players.murus_gallicus.tactics:MurusTactics",
    afterstates="jaxgames.players.murus_gallicus.afterstate_domain:make",
    players={
        "ms1": "jaxgames.players.murus_gallicus.players:make_ms1",
        "ms2": "jaxgames.players.murus_gallicus.players:make_ms2",
        "ms3": "jaxgames.players.murus_gallicus.players:make_ms3",
    },
)
