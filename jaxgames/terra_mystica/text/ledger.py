"""Whole games as ledgers: lines of commands to and from action numbers. Host side, plain Python.

A line is `witches: burn 1. action ACT5. build E7`: a faction and its commands in order. A turn may
take several lines. Besides the words of `commands.py`:

| command | actions |
| --- | --- |
| `burn 3`, `convert 4pw to 4c` | that number of single conversions |
| `dig n` | none: TERRAFORM buys the spades; n of DIG for alchemists with a stronghold |
| `build H` on foreign terrain, with spades at hand | TERRAFORM to the home terrain, then BUILD |
| `+2 TW3`, `+2 FIRE` | two town tiles; one choice of a cult |
| `-1 SPADE`, `-1 FREE_D`, `-1 FREE_TF`, `-1 FREE_TP`, `-1 CONVERT_W_TO_P` | END: gives it up |
| `leech 2 giants`, `decline 2 giants` | as without amount and faction |
| `end` | END: the turn ends |
| `done` | none |

`end` need not be written. A turn also ends before the next action of its faction, and before the
line of another faction; choices that are still open are then given up. Conversions between two
actions of one faction belong to the turn of the first. Reading does not check whether commands are
legal, and it ends every turn with an END, even if the rules end turns by themselves.
`ledger_replay.py` checks the commands and leaves out such ENDs.
"""

import contextlib
import difflib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxgames import validation
from jaxgames.terra_mystica.engine.actions import (
    CONVERSIONS,
    Kind,
    decode,
    encode,
)
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, SPECIAL_NAMES, Special
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS
from jaxgames.terra_mystica.tables.tiles import TOWN_COPIES
from jaxgames.terra_mystica.text.commands import ACTIONS, command
from jaxgames.terra_mystica.text.ledger_state import END, LedgerTracker

SEPARATOR = ". "
GIVE_UP_SPADE = "-1 SPADE"
_CONVERT = re.compile(r"convert (\d+)([a-z]+) to (\d+)([a-z]+)")
_LEECH = re.compile(r"(leech|decline)(?: \d+ ([a-z]+|None))?")  # None: the giver is not known
_GIVEN_UP = ("SPADE", "FREE_D", "FREE_TF", "FREE_TP", "CONVERT_W_TO_P")
_GIVE_UP = re.compile(rf"-\d+ ({'|'.join(_GIVEN_UP)})")
_COUNTED = re.compile(r"(burn |dig |\+)(\d+)(.*)")
_OTHER_WORDS = ("done", *(f"-1 {name}" for name in _GIVEN_UP))
_MAX_COUNT = 99
_MOST = {Kind.FAVOR: 1, Kind.TOWN: int(TOWN_COPIES.max()), Kind.CULT: 10}  # at once, by `+n`


class Decision(NamedTuple):
    """An action of a game."""

    seat: int
    action: int
    line: int  # of the ledger, from 1; an END that is not written has the line it follows
    is_last: bool  # whether it ends a turn or stands between turns


def read(factions: Sequence[int], lines: Iterable[str]) -> list[Decision]:
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
    tracker, decisions, last = LedgerTracker(factions), list[Decision](), 0
    text = ""
    numbered = [(number, _stripped(number, line)) for number, line in enumerate(lines, start=1)]
    for number, text in (entry for entry in numbered if entry[1]):
        with _place(number, text):
            seat, commands = _split(factions, text)
            if tracker.turn and tracker.turn.seat != seat:
                decisions += _close(tracker, last)
            for words in commands:
                decisions += _read_command(tracker, seat, words, number, last)
                last = number
    with _place(last, text):
        return decisions + _close(tracker, last)


def _stripped(number: int, line: object) -> str:
    if not isinstance(line, str):
        raise ValueError(f"line {number}: expected a text, got {line!r}")
    return line.strip()


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
        validation.number(int(seat), 0, len(factions) - 1, "seat")
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


def _split(factions: Sequence[int], line: str) -> tuple[int, list[str]]:
    """Returns seat and commands of a line."""
    name, colon, rest = line.strip().partition(":")
    names = [FACTION_NAMES[number] for number in factions]
    if not colon or name not in names:
        nearest = difflib.get_close_matches(name, names, n=1) if colon else []
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise ValueError(
            f"expected a line to begin with one of {', '.join(names)} and a colon{hint}"
        )
    commands = [" ".join(text.split()) for text in rest.split(SEPARATOR.strip())]
    return names.index(name), [text for text in commands if text]


def _close(tracker: LedgerTracker, line: int) -> list[Decision]:
    """Ends the turn in progress, if there is one."""
    moves = list(tracker.close())
    return [
        Decision(*move, line, is_last=index == len(moves) - 1) for index, move in enumerate(moves)
    ]


def _read_command(
    tracker: LedgerTracker, seat: int, text: str, line: int, last: int
) -> Iterator[Decision]:
    """Yields the ENDs of the last turn if a command begins a new one, then its own actions.

    Args:
        tracker: the game so far.
        seat: seat that gives the command.
        text: the command.
        line: line of the command.
        last: line of the command before it.
    """
    if text == "done":
        return
    if text == "end":
        if tracker.turn is None:
            raise ValueError("no turn is in progress that could end")
        yield from _close(tracker, line)
        return
    if _GIVE_UP.fullmatch(text):
        if tracker.turn and not tracker.turn.open_choices():
            yield from _close(tracker, last)
        tracker.apply(seat, END)
        yield Decision(seat, END, line, tracker.turn is None)
        return
    actions = _actions_of(text)
    if not actions:  # burn 0
        return
    kind, argument = decode(actions[0])
    _check_faction(tracker, seat, text)
    if tracker.goes_beyond_turn(seat, kind, argument) and not _is_on_spades(tracker, seat, kind):
        yield from _close(tracker, last)
    if kind is Kind.DIG and not tracker.pays_single_spades(seat):
        tracker.dig(seat, len(actions))
        return
    if kind is Kind.BUILD and _is_on_spades(tracker, seat, kind):
        home = tracker.factions[seat].colour
        if tracker.colours[argument] != home:
            actions.insert(0, encode(Kind.TERRAFORM, NUM_COLOURS * argument + home))
    for action in actions:
        tracker.apply(seat, action)
        yield Decision(seat, action, line, tracker.turn is None)


def _is_on_spades(tracker: LedgerTracker, seat: int, kind: Kind) -> bool:
    """Whether a dwelling is built on a hex that pending spades or the sandstorm turn first."""
    turn = tracker.turn
    if kind is not Kind.BUILD or turn is None or turn.seat != seat:
        return False
    return turn.spades + turn.dug > 0 or turn.special is Special.SANDSTORM


def _actions_of(text: str) -> list[int]:
    """Returns the actions that a command stands for, regardless of the commands before it.

    Raises:
        ValueError: if it is no command; offers the nearest one.
    """
    if found := _LEECH.fullmatch(text):
        return [ACTIONS[found[1]]]
    if found := _CONVERT.fullmatch(text):
        return _conversions(text, int(found[1]), found[2], int(found[3]), found[4])
    count, single = 1, text
    if found := _COUNTED.fullmatch(text):
        count, single = int(found[2]), f"{found[1]}1{found[3]}"
    if single not in ACTIONS or not 0 <= count <= _MAX_COUNT:
        nearest = difflib.get_close_matches(text, [*ACTIONS, *_OTHER_WORDS], n=1, cutoff=0)
        raise ValueError(f"unknown command {text!r}; did you mean {nearest[0]!r}?")
    action = ACTIONS[single]
    kind = decode(action)[0]
    if kind in _MOST and not 1 <= count <= _MOST[kind]:
        raise ValueError(f"{text!r}: expected +1 to +{_MOST[kind]}, got +{count}")
    return [action] * (1 if kind is Kind.CULT else count)


def _check_faction(tracker: LedgerTracker, seat: int, text: str) -> None:
    """Refuses a special action that the faction lacks, and power from no opponent.

    Raises:
        ValueError: for such a command.
    """
    own = tracker.factions[seat]
    named = text.removeprefix("action ")
    if named in SPECIAL_NAMES[1:] and named != SPECIAL_NAMES[own.special]:
        have = SPECIAL_NAMES[own.special] or "no special action"
        raise ValueError(f"{text!r}: {own.name} have {have}")
    found = _LEECH.fullmatch(text)
    others = [faction.name for place, faction in enumerate(tracker.factions) if place != seat]
    if found and found[2] not in (None, "None", *others):
        raise ValueError(f"{text!r}: power comes from one of {', '.join(others)}")


def _conversions(text: str, price: int, source: str, gain: int, target: str) -> list[int]:
    for argument, conversion in enumerate(CONVERSIONS):
        found = _CONVERT.fullmatch(f"convert {conversion.name}")
        if found is None or (source, target) != (found[2], found[4]):
            continue
        count = gain // int(found[3])
        if 0 < count <= _MAX_COUNT and (price, gain) == (
            count * int(found[1]),
            count * int(found[3]),
        ):
            return [encode(Kind.CONVERT, argument)] * count
        raise ValueError(f"{text!r} is not a multiple of {conversion.name!r}")
    names = ", ".join(conversion.name for conversion in CONVERSIONS[1:])
    raise ValueError(f"unknown conversion {text!r}; available: {names}")


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
