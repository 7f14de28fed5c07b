"""Whole games as ledgers: the action numbers of lines of commands. Host side, plain Python.

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

`end` need not be written. A turn also ends before a line of its faction that has its next action,
before such an action within a line, and before the line of another faction; choices that are still
open are then given up. Reading does not check whether commands are legal, and it ends every turn
with an END, even if the rules end turns by themselves. `ledger_replay.py` checks the commands and
leaves out such ENDs. `ledger_writing.py` writes ledgers.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxgames.internal import messages
from jaxgames.terra_mystica.engine.actions import NUM_SENDS, Kind, decode, encode
from jaxgames.terra_mystica.tables.factions import SPECIAL_NAMES
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS
from jaxgames.terra_mystica.text import ledger_rows, ledger_words
from jaxgames.terra_mystica.text.ledger_state import END, LedgerTracker
from jaxgames.terra_mystica.text.ledger_words import LedgerCommand


class LedgerDecision(NamedTuple):
    """An action of a game."""

    seat: int
    action: int
    line: int  # of the ledger, from 1; an END that is not written has the line it follows
    is_last: bool  # whether it ends a turn or stands between turns
    others: tuple[int, ...] = ()  # actions that the same words stand for, if this is not legal
    amount: int | None = None  # power that is taken or declined, where the ledger says it
    giver: int | None = None  # seat that the power comes from, where the ledger says it
    is_implied: bool = False  # whether it is the END of a turn that no word ends


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
    texts = [_stripped(number, line) for number, line in enumerate(lines, start=1)]
    is_unfinished = next(filter(None, reversed(texts)), "") == ledger_rows.UNFINISHED
    reader = _LedgerReader(factions, rows_are_turns=ledger_rows.ROWS_ARE_TURNS in texts)
    decisions: list[LedgerDecision] = []
    for number, text in enumerate(texts, start=1):
        with _place(number, text):
            decisions += reader.read(number, text)
    if is_unfinished:
        return decisions
    with _place(reader.last, reader.text):
        return decisions + list(reader.close(reader.last))


def _stripped(number: int, line: object) -> str:
    if not isinstance(line, str):
        raise ValueError(f"line {number}: expected a text, got {line!r}")
    return line.removeprefix("\ufeff").strip()


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

    def __init__(self, factions: Sequence[int], rows_are_turns: bool) -> None:
        self.tracker = LedgerTracker(factions)
        self.names = ledger_rows.seat_names(factions)
        self.last = 0  # line of the last command
        self.text = ""  # of that line
        self.rows_are_turns = rows_are_turns  # or a turn may take several

    def read(self, number: int, text: str) -> Iterator[LedgerDecision]:
        """Yields the actions of a line, and before them the ENDs of a turn that it follows."""
        seat, commands = ledger_rows.split(self.names, text)
        row = list(self._parsed(commands))
        for index, (words, said) in enumerate(row):
            with _command_named(words):
                if seat is None:
                    seat = ledger_rows.implied_seat(self.tracker, self.names, said)
                said = said.of_colour(self.tracker.factions[seat].colour)
                if self._follows_turn(seat, [] if index else row):
                    yield from self.close(self.last)
                if self._buys_at_once(seat, text, [said for _, said in row[index:]]):
                    self.tracker.dig(seat, len(said.actions))
                else:
                    yield from self._command(seat, words, said, number)
                self.last, self.text = number, text

    def _parsed(self, commands: Iterable[str]) -> Iterator[tuple[str, LedgerCommand]]:
        for words in commands:
            with _command_named(words):
                said = ledger_words.parse(words)
                if said.text not in ledger_words.NOTHING:
                    yield words, said

    def _follows_turn(self, seat: int, row: Iterable[tuple[str, LedgerCommand]]) -> bool:
        """Whether the turn in progress has ended: another faction's, or its next action is due."""
        tracker, turn = self.tracker, self.tracker.turn
        if self.rows_are_turns and row:
            return turn is not None
        if turn is None or turn.seat != seat or turn.actions or turn.dug or turn.open_choices():
            return turn is not None and turn.seat != seat
        kinds = (decode(said.actions[0]) for _, said in row if said.actions)
        return any(tracker.goes_beyond_turn(seat, *kind) for kind in kinds)

    def _buys_at_once(self, seat: int, text: str, left: list[LedgerCommand]) -> bool:
        """Whether spades that alchemists could buy one by one are bought by terraforming."""
        if not text.endswith(ledger_rows.BUYS_AT_ONCE):
            return False
        kinds = [decode(said.actions[0])[0] for said in left if said.actions]
        return kinds[:1] == [Kind.DIG] and Kind.DIG not in kinds[1:]

    def close(self, line: int) -> Iterator[LedgerDecision]:
        """Ends the turn in progress, if there is one; yields its ENDs."""
        moves = list(self.tracker.close())
        for index, move in enumerate(moves):
            is_last = index == len(moves) - 1
            yield LedgerDecision(*move, line, is_last, is_implied=True)

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
