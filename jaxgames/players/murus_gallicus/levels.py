"""The levels of Murus Gallicus: less search, then the moves of the network drawn by its policy."""

from jaxgames.players.plugs import Level

_NETWORK = "network=murus_gallicus"
_HEURISTIC = "gumbel:evaluator=heuristic"
LEVELS = (
    Level((f"network:{_NETWORK},temperature=2", "minimax:depth=1")),
    Level((f"network:{_NETWORK},temperature=1", f"{_HEURISTIC},simulations=8")),
    Level((f"network:{_NETWORK}", f"{_HEURISTIC},simulations=16")),
    Level((f"gumbel:{_NETWORK},simulations=8", f"{_HEURISTIC},simulations=32")),
    Level((f"gumbel:{_NETWORK},simulations=32", f"{_HEURISTIC},simulations=64")),
    Level(("best",)),
)
