"""The strongest player of Murus Gallicus that decides quickly."""

from jaxgames.rules import Rules


def best_player(rules: Rules) -> str:
    """Returns the spec of the player, a depth-first search with a hand-written evaluation."""
    del rules
    return "ms3"
