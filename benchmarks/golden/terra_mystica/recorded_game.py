"""A golden game of Terra Mystica, prepared for a replay: actions, and states in between."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.golden.core.records import Record
from benchmarks.golden.terra_mystica.compared_state import NO_STRUCTURE, ComparedState
from jaxgames.terra_mystica.tables.factions import FACTIONS, STRUCTURE_NAMES, find_faction
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_NAMES,
    COLOUR_LETTERS,
    LAND_NAMES,
    NUM_BRIDGES,
    NUM_LAND,
    START_COLOURS,
)
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    CULT_NAMES,
    FAVOR_NAMES,
    NUM_CARDS,
    NUM_CULTS,
    NUM_FAVORS,
    NUM_SPOTS,
    NUM_TOWNS,
    TOWN_NAMES,
)
from jaxgames.terra_mystica.text import ledger
from jaxgames.terra_mystica.text.ledger import LedgerDecision

AUTOMATIC = -1  # seat of a step that is nobody's decision
FINAL = "final:rank"
CORRECTED = {"C": "coins", "W": "workers", "VP": "vp"}  # fields that a host's commands correct


class Edit(NamedTuple):
    """A correction by the host of a game, before a decision is made."""

    decision: int
    seat: int
    field: str  # of `PlayerStates`
    change: int


class RecordedGame(NamedTuple):
    """The actions of a game, and its states between them.

    Row `i` of `states` (each field has a leading axis) holds after `checks[i]` decisions.
    """

    name: str
    factions: list[str]
    decisions: list[LedgerDecision]
    edits: list[Edit]
    checks: np.ndarray
    states: ComparedState
    is_in_round: np.ndarray  # [checks] whether `passed` of the record means a pass
    lines: list[str]  # of the ledger, empty for steps that are no decision


def faction_numbers(record: Record) -> list[int]:
    """Returns the faction of each seat.

    Raises:
        ValueError: for an unknown faction.
    """
    return [find_faction(name) for name in record["factions"]]


def read_game(record: Record) -> RecordedGame:
    """Returns the actions of a game, and its states at the ends of turns and other decisions.

    The actions follow from the commands alone, with one exception. A command about power is no
    decision if the bowls have no room for it; the recorded states tell.

    Raises:
        ValueError: for a game that cannot be read.
    """
    states, lines, edits = [], [], []
    for step, (state, (seat, command, _)) in enumerate(
        zip(_states(record), record["steps"], strict=True)
    ):
        states.append(state)
        words = command.split()
        if seat == AUTOMATIC or _is_void(state, seat, words):
            lines.append("")
        elif record["check"].get("host_corrections") and words[-1] in CORRECTED:
            lines.append("")
            edits.append((step, seat, CORRECTED[words[1]], int(words[0])))
        else:
            lines.append(f"{record['factions'][seat]}: {command}")
    states.append(_after(states[-1], record["steps"][-1][2]))
    decisions = ledger.read(faction_numbers(record), lines)
    starts, steps = _turns(decisions, lines)
    end = next((k for k, step in enumerate(record["steps"]) if step[1] == FINAL), len(lines))
    starts, steps = [*starts, len(decisions)], [*steps, end]
    rows = [states[step] for step in steps]
    return RecordedGame(
        name=str(record["id"]),
        factions=record["factions"],
        decisions=decisions,
        edits=[Edit(_decision_after(decisions, step), *correction) for step, *correction in edits],
        checks=np.array(starts),
        states=ComparedState(*(np.stack(fields) for fields in zip(*rows, strict=True))),
        is_in_round=_is_in_round(record, starts, rows),
        lines=lines,
    )


def _states(record: Record) -> Iterator[ComparedState]:
    """Yields the state before each step."""
    seats = record["players"]
    state = _empty(seats)
    for seat, fields in enumerate(record["init"]):
        state = _after(state, {str(seat): fields})
    for _, _, changes in record["steps"]:
        yield state
        state = _after(state, changes)


def _empty(seats: int) -> ComparedState:
    numbers = dict.fromkeys(ComparedState._fields, ()) | {
        "pw": (3,),
        "cult": (NUM_CULTS,),
        "fav": (NUM_FAVORS,),
        "tw": (NUM_TOWNS,),
        "br": (NUM_BRIDGES,),
        "structures": (NUM_LAND,),
    }
    state = ComparedState(*(np.zeros((seats, *shape), np.int16) for shape in numbers.values()))
    return state._replace(
        structures=np.full((seats, NUM_LAND), NO_STRUCTURE, np.int16),
        hex=START_COLOURS.astype(np.int16),
        coins=np.zeros(NUM_CARDS, np.int16),
        spots=np.zeros((NUM_CULTS, NUM_SPOTS), np.int16),
    )


def _after(state: ComparedState, changes: dict[str, Any]) -> ComparedState:
    """Returns the state after a step; the state before it is left as it is."""
    new: dict[str, np.ndarray] = {}

    def field(name: str) -> np.ndarray:
        return new.setdefault(name, getattr(state, name).copy())

    for key, value in changes.items():
        if key.isdigit():
            for name, entry in value.items():
                _set_seat_field(field, int(key), name, entry)
        elif key == "hex":
            for place, letter in value.items():
                field("hex")[LAND_NAMES.index(place)] = COLOUR_LETTERS.index(letter)
        elif key == "coins":
            field("coins")[:] = [value.get(name, 0) for name in CARD_NAMES]
        elif key == "spots":
            for cult, priests in value.items():
                field("spots")[CULT_NAMES.index(cult)] = np.array(priests) + 1
        elif key != "q":
            raise ValueError(f"unknown change {key!r}")
    return state._replace(**new)


def _set_seat_field(field: Any, seat: int, name: str, entry: Any) -> None:
    if name in STRUCTURE_NAMES:
        row, kind = field("structures")[seat], STRUCTURE_NAMES.index(name)
        row[row == kind] = NO_STRUCTURE
        row[[LAND_NAMES.index(place) for place in entry]] = kind
    elif name in ("fav", "tw", "br"):
        names = {"fav": FAVOR_NAMES, "tw": TOWN_NAMES, "br": BRIDGE_NAMES}[name]
        held = [names.index(tile.replace(":", "-")) for tile in entry]
        field(name)[seat] = np.bincount(held, minlength=len(names))
    elif name == "bon":
        field(name)[seat] = CARD_NAMES.index(entry) + 1 if entry else 0
    elif name != "pend":
        field(name)[seat] = entry


def _is_void(state: ComparedState, seat: int, words: list[str]) -> bool:
    """Whether a command about power stands for no decision: the bowls have no room."""
    return words[0] in ("leech", "decline") and not 2 * state.pw[seat, 0] + state.pw[seat, 1]


def _turns(decisions: list[LedgerDecision], lines: list[str]) -> tuple[list[int], list[int]]:
    """Returns the first decision of each turn, and the step at which the turn begins."""
    starts, steps = [], []
    for number, before in enumerate(decisions[:-1], start=1):
        if before.is_last:
            starts.append(number)
            # Line numbers count from 1, so the line of the decision before is the next step.
            steps.append(next(k for k in range(before.line, len(lines)) if lines[k]))
    return starts, steps


def _decision_after(decisions: list[LedgerDecision], step: int) -> int:
    """Returns the first decision made after a step; a turn that it ends has ended."""
    return next(k for k, decision in enumerate(decisions) if decision.line > step + 1)


def _is_in_round(record: Record, starts: list[int], rows: list[ComparedState]) -> np.ndarray:
    """Returns whether each check is within a round: outside, `passed` means other things."""
    dwellings = sum(FACTIONS[number].first_dwellings for number in faction_numbers(record))
    begins = dwellings + record["players"]
    return np.array(
        [start >= begins and not row.passed.all() for start, row in zip(starts, rows, strict=True)]
    )
