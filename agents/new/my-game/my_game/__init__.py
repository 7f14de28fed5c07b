"""My Game for jaxgames. Importing it, which the entry point does, registers the game."""

import jaxgames
from jaxgames.players import plugs

jaxgames.register(
    "my_game",
    "my_game.rules:MyGameRules",
    notation="my_game.notation",
    renderer="my_game.board",
    summary="My Game: a row of stones wins; 6x7 squares, two seats",
)
plugs.register("my_game", "my_game:AGENTS")
AGENTS = plugs.GameAgents(
    score="my_game.evaluation:make_score",
    best={2: ("minimax:depth=3",)},
    analyst=("gumbel:evaluator=heuristic,simulations=64",),
)
