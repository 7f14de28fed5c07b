"""Commands in the words of people: `upgrade D3 to TP` as "Upgrade D3 to a trading post"."""

import re

from jaxgames.internal.sentences import count, listed, spaced
from jaxgames.terra_mystica.tables.factions import STRUCTURE_NAMES, Structure
from jaxgames.terra_mystica.tables.terrain import COLOUR_LETTERS, Colour
from jaxgames.terra_mystica.tables.tiles import POWER_ACTIONS
from jaxgames.terra_mystica.text.effects import gains

SET_UP = "Set-up"  # the chapter in which the first cards are taken
_TITLES = {"chaosmagicians": "Chaos Magicians"}
_GOODS = {"c": "coin", "w": "worker", "p": "priest", "pw": "power", "vp": "point"}
_AMOUNT = re.compile(r"(\d+)([a-z]+)")
_FIXED = {
    "advance ship": "Advance shipping",
    "advance dig": "Advance digging",
    "action BON1": "Use BON1: a spade",
    "action BON2": "Use BON2: a cult step",
    "action FAV6": "Use FAV6: a cult step",
    "action ACTE": "Use ACTE: a bridge",
    "leech": "Take power (leech)",
    "decline": "Decline the power",
    "burn 1": "Burn 1 power",
    "dig 1": "Buy a spade",
    "end": "Done (end)",
    "pass": "Pass",
}


def faction_title(name: str) -> str:
    """Returns the name of a faction for people: `Chaos Magicians` for `chaosmagicians`."""
    return _TITLES.get(name, name.title())


def words_of(command: str, chapter: str) -> str:
    """Returns a command in words; others than those of `commands.py` stay as they are.

    Args:
        command: a move.
        chapter: the part of the game that it belongs to, as `notation.chapter` says.
    """
    if command in _FIXED:
        return _FIXED[command]
    match command.split():
        case ["transform", place, "to", letter]:
            colour = Colour(COLOUR_LETTERS.index(letter))
            return f"Transform {place} to {colour.name.lower()}"
        case ["build", place]:
            return f"Build a dwelling on {place}"
        case ["upgrade", place, "to", name]:
            kind = Structure(STRUCTURE_NAMES.index(name))
            return f"Upgrade {place} to a {spaced(kind.name)}"
        case ["bridge", ends]:
            return f"Build a bridge from {ends.replace(':', ' to ')}"
        case ["connect", river]:
            return f"Found a town across {river}"
        case ["send", cult, steps]:
            return f"Send a priest to {cult.lower()}: {count(int(steps), 'step')}"
        case ["action", name]:
            return _action(name)
        case [steps, name] if steps.startswith("+"):
            return _gain(int(steps), name)
        case ["pass", card]:
            return f"Take {card}" if chapter == SET_UP else f"Pass, take {card}"
        case ["convert", price, "to", gain]:
            return f"Exchange {_amount(price)} for {_amount(gain)}"
        case ["faction", name]:
            return f"Play the {faction_title(name)}"
    return command


def _action(name: str) -> str:
    """Returns a power action with its effect, or the special action of a stronghold."""
    if not name[-1].isdigit():
        return f"Use the stronghold ({name})" if name.isupper() else "Use the stronghold"
    action = POWER_ACTIONS[int(name.removeprefix("ACT")) - 1]
    effect = gains(action.gain, sign="")
    effect += [count(action.spades, "spade")] if action.spades else []
    effect += [count(action.bridges, "bridge")] if action.bridges else []
    return f"Use {name}: {listed(effect)} for {action.power} power"


def _gain(number: int, name: str) -> str:
    """Returns steps on a cult, or a tile that is taken."""
    if name.isalpha():
        return f"Take {count(number, 'step')} on the {name.lower()} cult"
    kind = "favor tile" if name.startswith("FAV") else "town tile"
    return f"Take {kind} {name}"


def _amount(text: str) -> str:
    match = _AMOUNT.fullmatch(text)
    assert match is not None, text
    number, good = int(match[1]), _GOODS[match[2]]
    return f"{number} power" if good == "power" else count(number, good)
