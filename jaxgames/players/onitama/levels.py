"""The levels of Onitama: less search, then the moves of the network drawn by its policy."""

from jaxgames.players.plugs import Level

_NETWORK = "network=onitama"
LEVELS = (
    Level((f"network:{_NETWORK},temperature=2", "minimax:depth=1")),
    Level((f"network:{_NETWORK},temperature=1", "minimax:depth=2")),
    Level((f"network:{_NETWORK}", "minimax:depth=3")),
    Level((f"gumbel:{_NETWORK},simulations=16,rescale_values=false", "negascout:depth=4")),
    Level((f"gumbel:{_NETWORK},simulations=64,rescale_values=false", "negascout:depth=5")),
    Level(("best",)),
)
