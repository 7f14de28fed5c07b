"""Checks recorded games of Terra Mystica, state by state."""

import collections
from collections.abc import Iterable

import numpy as np

from benchmarks import host_batches
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    different,
    different_states,
    not_checked,
)
from benchmarks.golden.terra_mystica.compared_state import ComparedState
from benchmarks.golden.terra_mystica.recorded_game import RecordedGame, read_game
from benchmarks.golden.terra_mystica.replay import Replay, replay
from jaxgames.terra_mystica.engine.seats import Source
from jaxgames.terra_mystica.text.commands import command

FIELDS = {
    "id": str,
    "players": int,
    "factions": [str],
    "options": dict,
    "score": [str],
    "cards": [str],
    "check": dict,
    "init": [dict],
    "steps": [list],
    "vp": [int],
    "network": ([int], type(None)),
    "sources": [dict],
}
LINES_SHOWN = 5  # commands before a difference
# By the beginnings of names of sources in the files; None: not earned by an action. The name of a
# scoring tile is what it rewards.
SOURCES: dict[str, Source | None] = {
    "initial": None,
    "unknown": None,
    "FAV": Source.FAVOR,
    "BON": Source.BONUS_CARD,
    "TW": Source.TOWN,
    **dict.fromkeys(("faction", "SH", "advance_SH"), Source.FACTION),  # strongholds among others
    "advance": Source.ADVANCE,
    "leech": Source.LEECH,
    "convert": Source.RESOURCES,
    "network": Source.NETWORK,
    **dict.fromkeys(("fire", "water", "earth", "air"), Source.CULTS),
    **dict.fromkeys(("D >", "TP >", "TE >", "SA/SH >", "SPADE >", "TOWN >"), Source.SCORING_TILE),
}
# The files do not distinguish conversions during the game and at its end.
_SOURCE_NAMES = {source: source.name for source in Source} | {Source.CONVERSION: "RESOURCES"}


def check_games(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares the states after all turns and other decisions, and the results."""
    del settings
    readable = [(record, read_game(record)) for record in records]  # all must be
    chosen = [(record, recorded) for record, recorded in readable if is_in_order(record)]
    verdicts = {
        recorded.name: check_game(record, recorded, played)
        for (record, recorded), played in zip(chosen, replay(chosen), strict=True)
    }
    unordered = not_checked("the commands are not in the order of play")
    return [verdicts.get(record["id"], unordered) for record in records]


def is_in_order(record: Record) -> bool:
    """Whether the commands of a record are in the order of play."""
    return bool(record["check"].get("strict_order", True))


def check_game(record: Record, recorded: RecordedGame, played: Replay) -> Verdict:
    """Compares one game with its replay; the first difference counts."""
    first_wrong = first_difference(recorded, played)
    for number, decision in enumerate(recorded.decisions):
        if number == first_wrong:
            return _difference_of_states(recorded, played, number)
        place = f"{where(recorded, number)}"
        if played.trace.is_over[number]:
            return different(place, "a decision", "the end of the game before it", "end")
        mover = int(played.trace.to_move[number])
        if mover != decision.seat:
            seats = recorded.factions[decision.seat], recorded.factions[mover]
            return different(f"{place}, seat to move", *seats, "seat to move")
        if not played.trace.is_legal[number]:
            legal = [command(action) for action in legal_actions(played, number)]
            kind = f"illegal {command(decision.action).split()[0]}"
            listed = f"only {', '.join(legal)}"
            return different(f"{place}, legality", repr(command(decision.action)), listed, kind)
    if first_wrong is not None:
        return _difference_of_states(recorded, played, first_wrong)
    return _check_outcome(record, recorded, played)


def first_difference(recorded: RecordedGame, played: Replay) -> int | None:
    """Returns the decision before which a recorded state first differs, or None."""
    replayed = host_batches.take(played.trace.state, recorded.checks)
    is_wrong = np.zeros(len(recorded.checks), bool)
    for name, expected, actual in zip(
        ComparedState._fields, recorded.states, replayed, strict=True
    ):
        unequal = (expected != actual).reshape(len(expected), -1).any(axis=1)
        is_wrong |= unequal & _is_compared(recorded, name)
    return int(recorded.checks[is_wrong.argmax()]) if is_wrong.any() else None


def legal_actions(played: Replay, number: int) -> list[int]:
    """Returns the legal actions before a decision, ascending."""
    words = played.trace.legal[number].astype("<u4").view(np.uint8)
    actions: list[int] = np.flatnonzero(np.unpackbits(words, bitorder="little")).tolist()
    return actions


def where(recorded: RecordedGame, number: int) -> str:
    """Returns a decision of a game and the commands before it, as text."""
    line = recorded.decisions[number - 1].line if number else 0
    before = [text for text in recorded.lines[:line] if text][-LINES_SHOWN:]
    name = "the end"
    if number < len(recorded.decisions):
        seat, action = recorded.decisions[number][:2]
        name = f"{recorded.factions[seat]}: {command(action)}"
    return f"{recorded.name}, decision {number} ({name}) after [{'; '.join(before)}]"


def _is_compared(recorded: RecordedGame, name: str) -> np.ndarray:
    if name == "passed":
        return recorded.is_in_round
    # Points of the final scoring are compared at the end.
    last = np.arange(len(recorded.checks)) == len(recorded.checks) - 1
    return ~last if name == "vp" else np.ones(len(recorded.checks), bool)


def _difference_of_states(recorded: RecordedGame, played: Replay, number: int) -> Verdict:
    row = int(np.flatnonzero(recorded.checks == number)[0])
    names = [name for name in ComparedState._fields if _is_compared(recorded, name)[row]]
    rows = (recorded.states, row), (played.trace.state, number)
    sides = ({name: getattr(states, name)[i] for name in names} for states, i in rows)
    return different_states(where(recorded, number), *sides)


def _check_outcome(record: Record, recorded: RecordedGame, played: Replay) -> Verdict:
    end = len(recorded.decisions)
    place = where(recorded, end)
    if bool(played.trace.is_over[end]) != record["complete"]:
        results = ["the game goes on", "the game is over"]
        expected, actual = results if record["complete"] else results[::-1]
        return different(place, actual, expected, "end")
    if not record["complete"]:
        return EQUAL
    totals = [sum(sources.values()) for sources in record["sources"]]
    points = played.final.players.vp.tolist()
    pairs = {
        "largest networks": (record["network"], played.networks.tolist()),
        "points by source": (by_source(record), earned_by_source(played)),
        "final points": (record["vp"], points),
        "sum of the sources of points": (totals, points),
    }
    for what, (expected, actual) in pairs.items():
        if expected != actual:
            return different(f"{place}, {what}", expected, actual, what)
    return EQUAL


def by_source(record: Record) -> list[dict[str, int]]:
    """Returns the points of each seat by the name of their `Source`, without zeros."""
    return [
        _counted(
            (next(source for start, source in SOURCES.items() if name.startswith(start)), number)
            for name, number in sources.items()
        )
        for sources in record["sources"]
    ]


def earned_by_source(played: Replay) -> list[dict[str, int]]:
    """Returns the points of each seat of a replayed game by their source, without zeros."""
    return [_counted(zip(Source, row, strict=True)) for row in played.earned.tolist()]


def _counted(points: Iterable[tuple[Source | None, int]]) -> dict[str, int]:
    counted: collections.Counter[str] = collections.Counter()
    for source, number in points:
        if source is not None:
            counted[_SOURCE_NAMES[source]] += number
    return {name: number for name, number in sorted(counted.items()) if number}
