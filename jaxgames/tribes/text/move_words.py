"""Commands in the words of people: `spawn rider` as "Train rider"."""

from jaxgames.internal.sentences import spaced
from jaxgames.tribes.text.commands import TILE

_FIXED = {
    "burn_forest": "Burn the forest",
    "clear_forest": "Clear the forest",
    "grow_forest": "Grow a forest",
    "build_road": "Build a road",
    "make_veteran": "Become a veteran",
    "heal_others": "Heal others",
    "end_turn": "End the turn",
}


def words_of(command: str) -> str:
    """Returns a command in words; a tile stays as it is."""
    if TILE.fullmatch(command):
        return command
    if command in _FIXED:
        return _FIXED[command]
    match command.split():
        case ["move", tile]:
            return f"Move to {tile}"
        case ["convert", tile]:
            return f"Convert the unit on {tile}"
        case ["spawn", unit]:
            return f"Train {spaced(unit)}"
        case ["level_up", choice]:
            return f"Level up: {spaced(choice)}"
    return spaced(command).capitalize()
