"""The strongest player of Onitama that decides quickly."""

from jaxgames.rules import Rules


def best_player(rules: Rules) -> str:
    """Returns the spec of the player, a depth-first search with a hand-written evaluation."""
    del rules
    return "negascout:depth=6,table=16"
