"""The plug of Onitama."""

from jaxgames.players.onitama.levels import LEVELS
from jaxgames.players.plugs import GameAgents, OptionsNetwork

_SEARCH = "gumbel:network=onitama,simulations=256,rescale_values=false"

AGENTS = GameAgents(
    best={2: (_SEARCH, "negascout:depth=6,table=16")},
    levels={2: LEVELS},
    by_options=(OptionsNetwork({"has_expansion_cards": True}, "onitama_all"),),
    analyst=(_SEARCH, "gumbel:evaluator=heuristic,simulations=64"),
    score="jaxgames.players.onitama.score:make_material",
    integer_score="jaxgames.players.onitama.score:make_integer_score",
    tactics="jaxgames.players.onitama.tactics:OnitamaTactics",
    solved="jaxgames.onitama.solved_positions:draw",
    endgames="jaxgames.onitama.endgame_positions:draw",
    afterstates="jaxgames.players.onitama.afterstate_domain:make",
)
