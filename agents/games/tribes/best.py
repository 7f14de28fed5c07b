"""The strongest player of Tribes that decides quickly."""

from jaxgames.rules import Rules


def best_player(rules: Rules) -> str:
    """Returns the spec of the player: the best planner of the paper."""
    del rules
    return "rhea:budget=2000"
