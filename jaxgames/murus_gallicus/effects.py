"""What the stacks of Murus Gallicus do, in words; the options of the rules decide."""

from jaxgames.internal.sentences import joined, listed
from jaxgames.murus_gallicus.moves import FAR_SHOT, NEAR_SHOT
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import CATAPULT, DELAYED, TOWER

WALL = 1  # stone
STACK_NAMES = ("", "wall", "tower", "catapult")  # by height
_FIRE = {
    3: "straight or diagonally ahead",
    5: "to the sides, straight or diagonally ahead",
    8: "in any direction",
}


def stack(rules: MurusGallicus, height: int) -> str:
    """Returns what a stack of a number of stones does."""
    return {WALL: _wall, TOWER: _tower, CATAPULT: _catapult}[height](rules)


def far_row(rules: MurusGallicus) -> str:
    """Returns what a stone of a side on its far row is worth; empty if nothing."""
    if not rules.breakthrough:
        return ""
    if rules.terms.win_timing == DELAYED:
        return "a stone of theirs wins if it still stands when their next turn begins."
    return "a stone of theirs wins at once."


def glossary(rules: MurusGallicus) -> dict[str, dict[str, str]]:
    """Returns all stacks and actions with what they do."""
    heights = range(WALL, rules.terms.max_stack + 1)
    actions = {"move": _move(rules), "strike": _strike(rules)}
    if rules.terms.has_catapults:
        actions |= {"double strike": _double_strike(), "fire": _fire(rules)}
    return {
        "Stacks": {STACK_NAMES[height]: stack(rules, height) for height in heights},
        "Actions": {name: joined(words) for name, words in actions.items()},
    }


def _wall(rules: MurusGallicus) -> str:
    del rules
    return joined(
        "1 stone: does not act; it stands in the way of enemy towers, and a tower of its own "
        "side that falls on it adds a stone"
    )


def _tower(rules: MurusGallicus) -> str:
    double = _double_strike() if rules.terms.has_catapults else ""
    return joined("2 stones", _move(rules), _strike(rules), double)


def _catapult(rules: MurusGallicus) -> str:
    return joined("3 stones: neither moves nor strikes", _fire(rules))


def _move(rules: MurusGallicus) -> str:
    highest = STACK_NAMES[rules.terms.max_stack]
    return (
        "moves by falling over in any of 8 directions: the next two cells get a stone each, "
        f"if there is no enemy stone and no own {highest} on them"
    )


def _strike(rules: MurusGallicus) -> str:
    targets = ["wall", "catapult"] if rules.terms.has_catapults else ["wall"]
    return (
        f"strikes an enemy {listed(targets, 'or')} on a cell beside it: both lose a stone, "
        "so that the tower becomes a wall"
    )


def _double_strike() -> str:
    return "strikes a catapult with both stones: the tower is gone, the catapult becomes a wall"


def _fire(rules: MurusGallicus) -> str:
    where = _FIRE[rules.terms.fire_directions]
    return (
        f"fires a stone {NEAR_SHOT} or {FAR_SHOT} cells {where}, over anything, and "
        "becomes a tower: an empty cell gets a wall, an enemy stack loses a stone"
    )
