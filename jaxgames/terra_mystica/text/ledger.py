"""Whole games as ledgers: lines of commands to and from action numbers. Host side, plain Python.

A line is `witches: burn 1. action ACT5. build E7`: a faction and its commands in order. A turn may
take several lines. A remark goes from `#` to the end of the line. Instead of the faction there may
be its colour; the colon may be missing, and so may the name, where it is clear whose line it is.
Capital letters do not matter. Besides the words of `commands.py` and those of the online platform
(`ledger_words.py`):

| command | actions |
| --- | --- |
| `burn 3`, `convert 4pw to 4c` | that number of single conversions |
| `dig n` | none: TERRAFORM buys the spades; n of DIG for alchemists with a stronghold |
| `build H` on foreign terrain, with spades at hand | TERRAFORM to the home terrain, then BUILD |
| `+2 TW3`, `+2 FIRE` | two town tiles; one choice of a cult |
| `-1 SPADE`, `-1 FREE_D`, `-1 FREE_TF`, `-1 FREE_TP`, `-1 CONVERT_W_TO_P` | END: gives it up |
| `end` | END: the turn ends |
| `done`, `wait` | none |

`end` need not be written. A turn also ends before the next action of its faction, and before the
line of another faction; choices that are still open are then given up. Conversions between two
actions of one faction belong to the turn of the first. Reading does not check whether commands are
legal, and it ends every turn with an END, even if the rules end turns by themselves.
`ledger_replay.py` checks the commands and leaves out such ENDs.
"""

import contextlib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxgames.internal import checks, messages
from jaxgames.terra_mystica.engine.actions import NUM_SENDS, Kind, decode, encode
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, SPECIAL_NAMES, Special
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS
from jaxgames.terra_mystica.text import ledger_rows, ledger_words
from jaxgames.terra_mystica.text.commands import command
from jaxgames.terra_mystica.text.ledger_rows import SEPARATOR
from jaxgames.terra_mystica.text.ledger_state import END, LedgerTracker
from jaxgames.terra_mystica.text.ledger_words import LedgerCommand

GIVE_UP_SPADE = "-1 SPADE"
_CONVERT = re.compile(r"convert (\d+)([a-z]+) to (\d+)([a-z]+)")


class LedgerDecision(NamedTuple):
    """An action of a game."""

    seat: int
    action: int
    line: int  # of the ledger, from 1; an END that is not written has the line it follows
    is_last: bool  # whether it ends a turn or stands between turns
    others: tuple[int, ...] = ()  # actions that the same words stand for, if this is not legal
    amount: int | None = None  # power that is taken or declined, where the ledger says it
    giver: int | None = None  # seat that the power comes from, where the ledger says it


def read(factions: Sequence[int], lines: Iterable[str]) -> list[LedgerDecision]:
    """Returns the actions of a game.

    Args:
        factions: number of the faction of each seat.
        lines: the ledger from the first dwelling on; blank lines are skipped.

    Raises:
        ValueError: for a malformed line or one that cannot follow those before it; names the line.
            For a number that is no faction, or two factions of one colour.
    """
    if isinstance(lines, str):
        raise ValueError(f"expected a list of lines, got one text of {len(lines)} letters")
    reader = _LedgerReader(factions)
    decisions: list[LedgerDecision] = []
    for number, line in enumerate(lines, start=1):
        text = _stripped(number, line)
        with _place(number, text):
            decisions += reader.read(number, text)
    with _place(reader.last, reader.text):
        return decisions + list(reader.close(reader.last))


def _stripped(number: int, line: object) -> str:
    if not isinstance(line, str):
        raise ValueError(f"line {number}: expected a text, got {line!r}")
    return line.removeprefix("\ufeff").strip()


def write(factions: Sequence[int], decisions: Iterable[tuple[int, int]]) -> list[str]:
    """Returns the ledger of a game, a line for each turn and for each decision between turns.

    Args:
        factions: number of the faction of each seat.
        decisions: seat and action number of each decision, from the first dwelling on.

    Raises:
        ValueError: for an action that cannot follow those before it, a seat that there is not, or
            numbers that are no factions.
    """
    tracker = LedgerTracker(factions)
    lines: list[tuple[int, list[str]]] = []
    moves = list(decisions)
    for seat, _ in moves:
        checks.number(int(seat), 0, len(factions) - 1, "seat")
    for (seat, action), after in itertools.zip_longest(moves, moves[1:]):
        goes_on = after is not None and after[0] == seat
        if tracker.goes_beyond_turn(seat, *decode(action)):
            tracker.turn = None  # games with `auto_end` lack the ENDs of many turns
        is_new_line = tracker.turn is None
        words = _words(tracker, seat, action, goes_on)
        tracker.apply(seat, action)
        if is_new_line:
            lines.append((seat, []))
        lines[-1][1].extend(words)
    return [
        f"{FACTION_NAMES[factions[seat]]}: {SEPARATOR.join(_merged(words))}"
        for seat, words in lines
    ]


@contextlib.contextmanager
def _place(line: int, text: str) -> Iterator[None]:
    """Adds the place to an error."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"line {line}, {text!r}: {error}") from error


@contextlib.contextmanager
def _command_named(words: str) -> Iterator[None]:
    """Adds the command to an error that does not name it."""
    try:
        yield
    except ValueError as error:
        if repr(words) in str(error):
            raise
        raise ValueError(f"{words!r}: {error}") from error


class _LedgerReader:
    """Reads line after line."""

    def __init__(self, factions: Sequence[int]) -> None:
        self.tracker = LedgerTracker(factions)
        self.names = ledger_rows.seat_names(factions)
        self.last = 0  # line of the last command
        self.text = ""  # of that line

    def read(self, number: int, text: str) -> Iterator[LedgerDecision]:
        """Yields the actions of a line, and before them the ENDs of a turn that it follows."""
        seat, commands = ledger_rows.split(self.names, text)
        for words in commands:
            with _command_named(words):
                said = ledger_words.parse(words)
                if said.text in ledger_words.NOTHING:
                    continue
                if seat is None:
                    seat = ledger_rows.implied_seat(self.tracker, self.names, said)
                if self.tracker.turn and self.tracker.turn.seat != seat:
                    yield from self.close(self.last)
                yield from self._command(seat, words, said, number)
                self.last, self.text = number, text

    def close(self, line: int) -> Iterator[LedgerDecision]:
        """Ends the turn in progress, if there is one; yields its ENDs."""
        moves = list(self.tracker.close())
        for index, move in enumerate(moves):
            yield LedgerDecision(*move, line, is_last=index == len(moves) - 1)

    def _command(
        self, seat: int, words: str, said: LedgerCommand, line: int
    ) -> Iterator[LedgerDecision]:
        tracker = self.tracker
        if said.text == ledger_words.END:
            if tracker.turn is None:
                raise ValueError("no turn is in progress that could end")
            yield from self.close(line)
        elif said.text == ledger_words.GIVE_UP:
            if tracker.turn and not tracker.turn.open_choices():
                yield from self.close(self.last)
            tracker.apply(seat, END)
            yield LedgerDecision(seat, END, line, tracker.turn is None)
        elif said.actions:
            giver = self._check(seat, words, said)
            yield from self._actions(seat, said, line, giver)

    def _actions(
        self, seat: int, said: LedgerCommand, line: int, giver: int | None
    ) -> Iterator[LedgerDecision]:
        tracker = self.tracker
        actions = [_first_free(tracker, (said.actions[0], *said.others)), *said.actions[1:]]
        others = tuple(other for other in said.others if other != actions[0])
        kind, argument = decode(actions[0])
        is_on_spades = tracker.builds_on_spades(seat, kind)
        if tracker.goes_beyond_turn(seat, kind, argument) and not is_on_spades:
            yield from self.close(self.last)
        if kind is Kind.DIG and not tracker.pays_single_spades(seat):
            tracker.dig(seat, len(actions))
            return
        if is_on_spades:
            home = tracker.factions[seat].colour
            if tracker.colours[argument] != home:
                actions.insert(0, encode(Kind.TERRAFORM, NUM_COLOURS * argument + home))
        for action in actions:
            tracker.apply(seat, action)
            is_last = tracker.turn is None
            yield LedgerDecision(seat, action, line, is_last, others, said.amount, giver)

    def _check(self, seat: int, words: str, said: LedgerCommand) -> int | None:
        """Returns the seat that power comes from, if the command names one.

        Raises:
            ValueError: for special actions and power of others than those who can have them.
        """
        own = self.tracker.factions[seat]
        special = said.text.removeprefix("action ").upper()
        if special in SPECIAL_NAMES[1:] and special != SPECIAL_NAMES[own.special]:
            have = SPECIAL_NAMES[own.special] or "no special action"
            raise ValueError(f"{words!r}: {own.name} have {have}")
        if said.giver is None:
            return None
        giver = self.names.get(said.giver, seat)
        if giver == seat:
            others = [other.name for other in self.tracker.factions if other is not own]
            hint = messages.hint(said.giver, others)
            raise ValueError(f"{words!r}: power comes from one of {', '.join(others)}{hint}")
        return giver


def _first_free(tracker: LedgerTracker, choices: tuple[int, ...]) -> int:
    """Returns the first of some choices that is not a priest's spot that is taken."""
    for choice in choices:
        kind, argument = decode(choice)
        cult, fewer = divmod(argument, NUM_SENDS)
        if kind is not Kind.SEND or tracker.is_spot_free(cult, NUM_SENDS - fewer):
            return choice
    return choices[-1]


def _words(tracker: LedgerTracker, seat: int, action: int, goes_on: bool) -> list[str]:
    """Returns the commands for an action in a ledger, given the game before it."""
    kind, argument = decode(action)
    turn, special = tracker.turn, tracker.factions[seat].special
    if kind is Kind.END:
        if turn is None:
            return [GIVE_UP_SPADE]
        return turn.open_choices()[:1] or (["end"] if goes_on else [])
    words = []
    if kind is Kind.TERRAFORM and not tracker.pays_single_spades(seat):
        bought = tracker.spades_to_buy(seat, *divmod(argument, NUM_COLOURS))
        words = [f"dig {bought}"] if bought else []
    steps = 2 if turn and turn.special is Special.CULT_STEPS else 1
    return [*words, command(action, SPECIAL_NAMES[special], steps)]


def _merged(words: list[str]) -> Iterator[str]:
    """Yields the commands, with a run of equal conversions merged into one."""
    for text, group in itertools.groupby(words):
        count = len(list(group))
        if found := _CONVERT.fullmatch(text):
            price, gain = count * int(found[1]), count * int(found[3])
            yield f"convert {price}{found[2]} to {gain}{found[4]}"
        elif text == "burn 1":
            yield f"burn {count}"
        else:
            yield from [text] * count
