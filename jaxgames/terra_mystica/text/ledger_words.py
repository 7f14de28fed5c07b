"""What single commands of a ledger say, in our writing and as the online platform writes.

Capital letters do not matter. Besides the words of `commands.py`:

| command | same as |
| --- | --- |
| `leech 2 from giants`, `leech 2 red`, `decline`, `decline 2 from red` | `leech`, `decline` |
| `send p to FIRE for 2`, `send priest to FIRE` | `send FIRE 2`, the best spot that is free |
| `+FAV11`, `+TW3`, `+FIRE`, `+2FIRE` | `+1 FAV11`, `+1 TW3`, `+1 FIRE`, `+2 FIRE` |
| `convert 4 PW to 4 C`, `convert priest to worker` | `convert 1pw to 1c` four times, ... |
| `advance shipping`, `advance digging` | `advance ship`, `advance dig` |
| `transform C1 to green`, `upgrade D3 to temple` | `transform C1 to G`, `upgrade D3 to TE` |
| `transform C1` | the same to the home terrain |
| `connect C4:D5` | the river hex beside both |
| `-2SPADE` | `-1 SPADE` |
| `-KEY`, and what a printed row says by itself (`other_income_for_faction`) | nothing |
"""

import re
from typing import NamedTuple

import numpy as np

from jaxgames.internal import messages
from jaxgames.terra_mystica.engine.actions import CONVERSIONS, NUM_SENDS, Kind, decode, encode
from jaxgames.terra_mystica.tables.terrain import (
    COLOUR_LETTERS,
    LAND_CELLS,
    LAND_NAMES,
    NEIGHBOURS,
    NUM_COLOURS,
    NUM_RIVER,
    RIVER_COLUMN,
    RIVER_ROW,
    Colour,
)
from jaxgames.terra_mystica.tables.tiles import CULT_NAMES, TOWN_COPIES
from jaxgames.terra_mystica.text.commands import ACTIONS

OPEN_CHOICES = ("SPADE", "FREE_D", "FREE_TF", "FREE_TP", "CONVERT_W_TO_P")
"""What a turn may leave open, as `-1 SPADE` gives it up."""
COLOURS = {colour.name.lower(): colour for colour in Colour} | {"grey": Colour.GRAY}
"""Terrain colours by their names in small letters."""
END, GIVE_UP, NOTHING = "end", "give up", ("done", "wait")
UNKNOWN_GIVER = "none"  # as records write power of which it is not known whose it was

_FOLDED = {text.casefold(): action for text, action in ACTIONS.items()}
_MAX_COUNT = 99
_MOST = {Kind.FAVOR: 1, Kind.TOWN: int(TOWN_COPIES.max()), Kind.CULT: 10}  # at once, by `+n`
_RESOURCES = {
    **dict.fromkeys(("coin", "coins"), "c"),
    **dict.fromkeys(("worker", "workers"), "w"),
    **dict.fromkeys(("priest", "priests"), "p"),
    "power": "pw",
}
_STRUCTURES = {
    **{"trading post": "tp", "trading house": "tp", "temple": "te"},
    **{"stronghold": "sh", "sanctuary": "sa"},
}
_LEECH = re.compile(r"(leech|decline)(?: (\d{1,3}))?(?:(?: from)? ([a-z][a-z -]*))?")
_CONVERT = re.compile(r"convert (\d{0,3}) ?([a-z]+) to (\d{0,3}) ?([a-z]+)")
_SEND = re.compile(r"send (?:p|priest) to ([a-z]+)(?: for (\d))?")
_CONNECT = re.compile(r"connect ([a-i]\d+)((?::[a-i]\d+){1,2})")
_TO_HOME = re.compile(r"transform (\w+)")
_GIVE_UP = re.compile(rf"-(\d*) ?({'|'.join(OPEN_CHOICES).casefold()})")
_GAIN = re.compile(r"\+(\d*) ?([a-z]+\d*)")
# What the platform writes for what follows by itself, and the key of a step to the top of a cult.
_AUTOMATIC = re.compile(
    r"-(\d+ ?)?key|\[.*\]|setup.*|(cult_|other_)?income_for_faction|score_resources"
    r"|\+\d+ ?vp for .*"
)
_COUNTED = re.compile(r"(burn |dig |\+)(\d{1,3})(| [a-z]+\d*)")
_OTHER_SEPARATOR = re.compile(r" *[,;]")
# What each first word is followed by; `+` and `-` stand for themselves.
_FORMS = {
    "action": "action ACT5, action BON1, action FAV6 or action ACTW",
    "advance": "advance ship or advance dig",
    "bridge": "bridge A3:C1",
    "build": "build E7",
    "burn": "burn 2",
    "connect": "connect r10 or connect C4:D5",
    "convert": "convert 3pw to 1w",
    "decline": "decline, or decline 2 from giants",
    "dig": "dig 2",
    "faction": "faction witches",
    "leech": "leech, or leech 2 from giants",
    "pass": "pass BON4 or pass",
    "send": "send FIRE 3 or send p to FIRE for 3",
    "transform": "transform C1 to green or transform C1",
    "upgrade": "upgrade D3 to TP",
    "+": "+1 FAV11, +1 TW3 or +2 FIRE",
    "-": "-1 SPADE",
}
_OTHER_WORDS = (END, *NOTHING)


class LedgerCommand(NamedTuple):
    """What a command says, whatever comes before it."""

    text: str
    """In small letters."""
    actions: tuple[int, ...] = ()
    """In order; none for `end`, `wait` and the like."""
    others: tuple[int, ...] = ()
    """What the one action may be instead, where the words leave it open; the likeliest first."""
    amount: int | None = None
    """Power that is taken or declined, where it is said."""
    giver: str | None = None
    """Faction or colour that the power comes from, where it is said."""
    is_to_home: bool = False
    """Whether it terraforms to the home terrain, which depends on the faction."""

    def of_colour(self, home: int) -> "LedgerCommand":
        """Returns the command of the faction of a colour."""
        if not self.is_to_home:
            return self
        place = decode(self.actions[0])[1] // NUM_COLOURS
        return self._replace(actions=(encode(Kind.TERRAFORM, NUM_COLOURS * place + home),))


def parse(text: str) -> LedgerCommand:
    """Returns what a command says.

    Raises:
        ValueError: if it is no command; names the form that is expected, and offers the nearest.
    """
    words = _spelled(" ".join(text.casefold().split()))
    if _AUTOMATIC.fullmatch(words):
        return LedgerCommand(NOTHING[0])
    if words == END or words in NOTHING:
        return LedgerCommand(words)
    if _GIVE_UP.fullmatch(words):
        return LedgerCommand(GIVE_UP)
    if found := _LEECH.fullmatch(words):
        amount = int(found[2]) if found[2] else None
        giver = None if found[3] in (None, UNKNOWN_GIVER) else joined(found[3])
        return LedgerCommand(words, (ACTIONS[found[1]],), (), amount, giver)
    if found := _CONVERT.fullmatch(words):
        return LedgerCommand(words, _conversions(text, found))
    if found := _SEND.fullmatch(words):
        return _send(text, words, found)
    if (found := _TO_HOME.fullmatch(words)) and found[1].upper() in LAND_NAMES:
        place = LAND_NAMES.index(found[1].upper())
        action = encode(Kind.TERRAFORM, NUM_COLOURS * place)
        return LedgerCommand(words, (action,), is_to_home=True)
    if found := _CONNECT.fullmatch(words):
        return _connect(text, words, found)
    return LedgerCommand(words, _counted(text, words))


def is_command(text: str) -> bool:
    """Whether a text begins as commands do."""
    first = _first_word(text.casefold())
    return first in _FORMS or first in _OTHER_WORDS


def _spelled(words: str) -> str:
    """Returns a command with colours, structures, tracks and gains as `commands.py` spells them."""
    if found := re.fullmatch(r"advance (ship|dig)[a-z]*", words):
        return f"advance {found[1]}"
    if found := re.fullmatch(r"transform (\w+) to ([a-z]+)", words):
        colour = COLOURS.get(found[2])
        letter = found[2] if colour is None else COLOUR_LETTERS[colour].casefold()
        return f"transform {found[1]} to {letter}"
    if found := re.fullmatch(r"upgrade (\w+) to ([a-z ]+)", words):
        return f"upgrade {found[1]} to {_STRUCTURES.get(found[2], found[2])}"
    if found := _GAIN.fullmatch(words):
        return f"+{found[1] or 1} {found[2]}"
    return words


def _counted(text: str, words: str) -> tuple[int, ...]:
    """Returns the actions of a command that may have a number, as `burn 3`."""
    count, single = 1, words
    if found := _COUNTED.fullmatch(words):
        count, single = int(found[2]), f"{found[1]}1{found[3]}"
    if single not in _FOLDED or count > _MAX_COUNT:
        raise ValueError(_unknown(text))
    action = _FOLDED[single]
    kind = decode(action)[0]
    if kind in _MOST and not 1 <= count <= _MOST[kind]:
        raise ValueError(f"{text!r}: expected +1 to +{_MOST[kind]}, got +{count}")
    return (action,) * (1 if kind is Kind.CULT else count)


def _conversions(text: str, found: re.Match[str]) -> tuple[int, ...]:
    price, gain = int(found[1] or 1), int(found[3] or 1)
    source, target = (_RESOURCES.get(name, name) for name in (found[2], found[4]))
    for argument, conversion in enumerate(CONVERSIONS):
        one = _CONVERT.fullmatch(f"convert {conversion.name}")
        if one is None or (source, target) != (one[2], one[4]):
            continue
        count = gain // int(one[3])
        if 0 < count <= _MAX_COUNT and (price, gain) == (count * int(one[1]), count * int(one[3])):
            return (encode(Kind.CONVERT, argument),) * count
        raise ValueError(f"{text!r} is not a multiple of {conversion.name!r}")
    names = ", ".join(conversion.name for conversion in CONVERSIONS[1:])
    raise ValueError(f"unknown conversion {text!r}; available: {names}")


def _send(text: str, words: str, found: re.Match[str]) -> LedgerCommand:
    cult = found[1].upper()
    if cult not in CULT_NAMES:
        raise ValueError(f"{text!r}: {messages.unknown('cult', cult, CULT_NAMES)}")
    best, *others = (
        encode(Kind.SEND, NUM_SENDS * CULT_NAMES.index(cult) + fewer) for fewer in range(NUM_SENDS)
    )
    if found[2] is None:
        return LedgerCommand(words, (best,), tuple(others))
    if not 1 <= int(found[2]) <= NUM_SENDS:
        raise ValueError(f"{text!r}: expected 1 to {NUM_SENDS} steps, got {found[2]}")
    return LedgerCommand(words, (best + NUM_SENDS - int(found[2]),))


def _connect(text: str, words: str, found: re.Match[str]) -> LedgerCommand:
    """Returns the choices of a river hex; where hexes have two in common, the rules decide."""
    shared = np.ones(NUM_RIVER, bool)
    for name in (found[1] + found[2]).upper().split(":"):
        if name not in LAND_NAMES:
            raise ValueError(f"{text!r}: there is no hex {name}; expected a name as C4")
        near = NEIGHBOURS[LAND_CELLS[LAND_NAMES.index(name)]]
        shared &= near[RIVER_ROW] >> RIVER_COLUMN & 1 == 1
    rivers = np.flatnonzero(shared).tolist()
    if not rivers:
        raise ValueError(f"{text!r}: these hexes have no river hex in common")
    first, *others = (encode(Kind.CONNECT, river) for river in rivers)
    return LedgerCommand(words, (first,), tuple(others))


def joined(name: str) -> str:
    """Returns a name as the table of factions spells it: `chaosmagicians`."""
    return re.sub(r"[ -]", "", name).casefold()


def _first_word(text: str) -> str:
    return text[:1] if text[:1] in "+-" else text.partition(" ")[0]


def _unknown(text: str) -> str:
    """Returns the message for a text that is no command."""
    if found := _OTHER_SEPARATOR.search(text):
        text, rest = text[: found.start()], text[found.start() :]
        try:
            parse(text)
        except ValueError:
            pass  # then the first of the commands is the one to speak about
        else:
            return f"unexpected {rest!r} after {text!r}. Expected commands separated by dots"
    form = _FORMS.get(_first_word(text.casefold()))
    expected = form or f"one of {', '.join([*_FORMS, *_OTHER_WORDS])}"
    choices = [*ACTIONS, *_OTHER_WORDS, *(f"-1 {name}" for name in OPEN_CHOICES)]
    hint = messages.hint(text, choices) or "."
    return f"unknown command {text!r}{hint} Expected {expected}"
