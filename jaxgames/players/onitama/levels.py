"""The levels of Onitama: fewer simulations, then noise on what the search finds.

With noise of a scale, moves are drawn by what the search thinks of them: a move that loses at once
stays rare, and close moves become equal.
"""

from jaxgames.players.plugs import Level

_SEARCH = "gumbel:network=onitama,rescale_values=false"
_FEW = f"{_SEARCH},simulations=16"
LEVELS = (
    Level((f"{_FEW},gumbel_scale=5", "minimax:depth=1")),
    Level((f"{_FEW},gumbel_scale=2.9", "minimax:depth=2"), 0.795),
    Level((f"{_FEW},gumbel_scale=1.7", "minimax:depth=3"), 0.82),
    Level((_FEW, "negascout:depth=4,table=16"), 0.8075),
    Level((f"{_SEARCH},simulations=64", "negascout:depth=5,table=16"), 0.835),
    Level(("best",), 0.815),
)
