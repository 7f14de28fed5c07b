"""AlphaTM: two-player Terra Mystica with the input and output of a paper's network.

Source: "AlphaTM" applies AlphaZero to Engineers against Halflings. The paper's network sees 206
planes of 9 x 26 cells (`planes.py`) and chooses among 2,143 outputs (`outputs.py`), which cannot
express every decision of the game; `default_policy.py` makes the others. `rules.py` puts this on
top of the full rules, so that one output is one step.

Where the paper is silent or contradicts itself, the module concerned says so after **Paper:**.
"""

from jaxgames.players.plugs import GameAgents

AGENTS = GameAgents(
    analyst=("gumbel:evaluator=heuristic,simulations=32",),
    score="jaxgames.players.terra_mystica.score:make",
)
