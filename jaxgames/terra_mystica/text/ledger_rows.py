"""Whose line of a ledger it is, and which commands it has."""

import re
from collections.abc import Mapping, Sequence

from jaxgames.internal import messages
from jaxgames.terra_mystica.engine.actions import Kind, decode
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, FACTIONS, SPECIAL_NAMES
from jaxgames.terra_mystica.text import ledger_words
from jaxgames.terra_mystica.text.ledger_state import LedgerTracker
from jaxgames.terra_mystica.text.ledger_words import LedgerCommand

SEPARATOR = ". "
REMARK = "#"
ROWS_ARE_TURNS = "# a row is a turn or an answer"
"""Says that no turn goes on in the next row: what is built there is built in the next turn."""
BUYS_AT_ONCE = "# the last dig is bought at once"
"""Ends a row in which `dig`, of alchemists with a stronghold, is what terraforming buys."""
UNFINISHED = "# the turn goes on"
"""The last row of a game in which the turn before it has not ended."""
# Points, coins and so on of a printed row, up to bowls or cults, and the power that it offers to
# others: the commands come after them, and none begins with a digit.
_COLUMNS = re.compile(r"[^.]*\d+/\d+/\d+(?:/\d+)?(?: PW)?(?: \d+)*(?=\s|$)", re.IGNORECASE)
_NAME = re.compile(r"([a-z -]+):(.*)", re.IGNORECASE)
_MOST_WORDS = 2  # of a name: `Chaos Magicians`


def seat_names(factions: Sequence[int]) -> dict[str, int]:
    """Returns the seat of each name that a ledger may use: factions, then their colours."""
    colours = {
        name: seat
        for seat, number in enumerate(factions)
        for name, colour in ledger_words.COLOURS.items()
        if FACTIONS[number].colour == colour
    }
    return {FACTION_NAMES[number]: seat for seat, number in enumerate(factions)} | colours


def split(names: Mapping[str, int], line: str) -> tuple[int | None, list[str]]:
    """Returns the seat that a line names, None if it names none, and its commands.

    Raises:
        ValueError: for a name that is no faction or colour of the game; offers the nearest.
    """
    text = " ".join(line.partition(REMARK)[0].split())
    seat, rest = None, text
    if found := _NAME.fullmatch(text):
        name = ledger_words.joined(found[1])
        if name not in names:
            raise ValueError(expected_name(names) + messages.hint(name, names))
        seat, rest = names[name], found[2]
    else:
        words = text.split(" ")
        for count in range(_MOST_WORDS, 0, -1):
            seat = names.get(ledger_words.joined("".join(words[:count])))
            if seat is not None:
                rest = " ".join(words[count:])
                break
        if seat is None and words[0].isalpha() and not ledger_words.is_command(text):
            raise ValueError(expected_name(names) + messages.hint(words[0].casefold(), names))
    rest = _COLUMNS.sub("", rest, count=1)
    commands = [" ".join(words.split()) for words in rest.split(SEPARATOR.strip())]
    return seat, [words for words in commands if words]


def expected_name(names: Mapping[str, int]) -> str:
    """Returns what the beginning of a line is expected to be."""
    factions = ", ".join(name for name in names if name in FACTION_NAMES)
    return f"expected a line to begin with one of {factions} and a colon"


def implied_seat(tracker: LedgerTracker, names: Mapping[str, int], said: LedgerCommand) -> int:
    """Returns the seat of a line without a name, by its first command.

    Clear is whose choice of the set-up it is, whose action of a stronghold, who of two takes power,
    and what goes on with the turn of the line before it.

    Raises:
        ValueError: if it is not clear.
    """
    turn = tracker.turn
    seat = None
    if not said.actions:
        seat = turn.seat if turn else None
    else:
        kind, argument = decode(said.actions[0])
        if kind is Kind.FACTION:
            seat = names.get(FACTION_NAMES[argument])
        elif tracker.setup_seat is not None:
            seat = tracker.setup_seat
        elif kind in (Kind.TAKE_POWER, Kind.DECLINE_POWER):
            giver = names.get(said.giver) if said.giver else turn.seat if turn else None
            if giver is not None and len(tracker.factions) == 2:
                seat = 1 - giver
        elif kind is Kind.SPECIAL and _special_seats(tracker, said.text):
            seat = _special_seats(tracker, said.text)[0]
        elif turn and (
            tracker.builds_on_spades(turn.seat, kind)
            or not tracker.goes_beyond_turn(turn.seat, kind, argument)
        ):
            seat = turn.seat
    if seat is None:
        raise ValueError(f"{expected_name(names)}: it is not clear whose line this is")
    return seat


def _special_seats(tracker: LedgerTracker, text: str) -> list[int]:
    name = text.removeprefix("action ").upper()
    return [s for s, own in enumerate(tracker.factions) if SPECIAL_NAMES[own.special] == name]
