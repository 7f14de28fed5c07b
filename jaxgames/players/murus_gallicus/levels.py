"""The levels of Murus Gallicus: fewer simulations, then noise on what the search finds.

With noise of a scale, moves are drawn by what the search thinks of them: a move that loses at once
stays rare, and close moves become equal.
"""

from jaxgames.players.plugs import Level

_SEARCH, _PLAIN = "gumbel:network=murus_gallicus", "gumbel:evaluator=heuristic"
_FEW = f"{_SEARCH},simulations=16"
LEVELS = (
    Level((f"{_FEW},gumbel_scale=4.2", f"{_PLAIN},simulations=8")),
    Level((f"{_FEW},gumbel_scale=2.9", f"{_PLAIN},simulations=16"), 0.815),
    Level((f"{_FEW},gumbel_scale=2", f"{_PLAIN},simulations=32"), 0.74),
    Level((_FEW, f"{_PLAIN},simulations=64"), 0.775),
    Level((f"{_SEARCH},simulations=48", f"{_PLAIN},simulations=128"), 0.825),
    Level(("best",), 0.76),
)
