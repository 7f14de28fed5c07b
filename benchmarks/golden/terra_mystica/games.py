"""Checks recorded games of Terra Mystica, state by state."""

import collections

import numpy as np

from benchmarks.golden.core.reader import Options
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    different,
    not_checked,
)
from benchmarks.golden.terra_mystica import sheet
from benchmarks.golden.terra_mystica.replay import Replay, replay
from benchmarks.golden.terra_mystica.script import Script, script_of
from benchmarks.golden.terra_mystica.sheet import Sheet
from jaxgames.search.exhaustive import host_batches
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
MAX_SHOWN = 6  # fields of one state
LINES_SHOWN = 5  # commands before a difference
# How names of sources in the files begin; None: not earned by an action. Scoring tiles are named by
# what they reward.
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
# The files do not tell conversions during the game from those at its end.
_SOURCE_NAMES = {source: source.name for source in Source} | {Source.CONVERSION: "RESOURCES"}


def check_games(records: list[Record], options: Options) -> list[Verdict]:
    """Compares the states after all turns and other decisions, and the results."""
    del options
    readable = [(record, script_of(record)) for record in records]  # all must be
    in_order = [(record, script) for record, script in readable if is_in_order(record)]
    chosen, scripts = [record for record, _ in in_order], [script for _, script in in_order]
    verdicts = {
        script.name: check_game(record, script, played)
        for record, script, played in zip(chosen, scripts, replay(chosen, scripts), strict=True)
    }
    unordered = not_checked("the commands are not in the order of play")
    return [verdicts.get(record["id"], unordered) for record in records]


def is_in_order(record: Record) -> bool:
    """Whether the commands of a record are in the order of play."""
    return bool(record["check"].get("strict_order", True))


def check_game(record: Record, script: Script, played: Replay) -> Verdict:
    """Compares one game with its replay; the first difference counts."""
    first_wrong = first_difference(script, played)
    for number, decision in enumerate(script.decisions):
        if number == first_wrong:
            return _difference_of_states(script, played, number)
        place = f"{where(script, number)}"
        if played.trace.is_over[number]:
            return different(place, "a decision", "the end of the game before it", "end")
        mover = int(played.trace.to_move[number])
        if mover != decision.seat:
            seats = script.factions[decision.seat], script.factions[mover]
            return different(f"{place}, seat to move", *seats, "seat to move")
        if not played.trace.is_legal[number]:
            legal = [command(action) for action in legal_actions(played, number)]
            kind = f"illegal {command(decision.action).split()[0]}"
            listed = f"only {', '.join(legal)}"
            return different(f"{place}, legality", repr(command(decision.action)), listed, kind)
    if first_wrong is not None:
        return _difference_of_states(script, played, first_wrong)
    return _check_outcome(record, script, played)


def first_difference(script: Script, played: Replay) -> int | None:
    """Returns the decision before which a recorded state first differs, or None."""
    sheets = host_batches.take(played.trace.sheet, script.checks)
    is_wrong = np.zeros(len(script.checks), bool)
    for name, expected, actual in zip(Sheet._fields, script.sheets, sheets, strict=True):
        unequal = (expected != actual).reshape(len(expected), -1).any(axis=1)
        is_wrong |= unequal & _is_compared(script, name)
    return int(script.checks[is_wrong.argmax()]) if is_wrong.any() else None


def legal_actions(played: Replay, number: int) -> list[int]:
    """Returns the legal actions before a decision, ascending."""
    words = played.trace.legal[number].astype("<u4").view(np.uint8)
    actions: list[int] = np.flatnonzero(np.unpackbits(words, bitorder="little")).tolist()
    return actions


def where(script: Script, number: int) -> str:
    """Returns which decision of a game is meant, and the commands before it, as text."""
    line = script.decisions[number - 1].line if number else 0
    before = [text for text in script.lines[:line] if text][-LINES_SHOWN:]
    name = "the end"
    if number < len(script.decisions):
        seat, action = script.decisions[number][:2]
        name = f"{script.factions[seat]}: {command(action)}"
    return f"{script.name}, decision {number} ({name}) after [{'; '.join(before)}]"


def _is_compared(script: Script, name: str) -> np.ndarray:
    if name == "passed":
        return script.is_phase_free
    # Points of the final scoring are compared at the end.
    last = np.arange(len(script.checks)) == len(script.checks) - 1
    return ~last if name == "vp" else np.ones(len(script.checks), bool)


def _difference_of_states(script: Script, played: Replay, number: int) -> Verdict:
    row = int(np.flatnonzero(script.checks == number)[0])
    found = [
        difference
        for difference in sheet.differences(
            host_batches.take(script.sheets, row),
            host_batches.take(played.trace.sheet, number),
            script.factions,
        )
        if _is_compared(script, difference.field)[row]
    ]
    shown = [f"{d.what} {d.expected}" for d in found[:MAX_SHOWN]]
    actual = [f"{d.what} {d.actual}" for d in found[:MAX_SHOWN]]
    kind = "state: " + ", ".join(dict.fromkeys(d.field for d in found))
    return different(where(script, number), "; ".join(shown), "; ".join(actual), kind)


def _check_outcome(record: Record, script: Script, played: Replay) -> Verdict:
    end = len(script.decisions)
    place = where(script, end)
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
    """Returns the points of each seat by what a `Source` counts, without zeros."""
    points: list[dict[str, int]] = []
    for sources in record["sources"]:
        counted: collections.Counter[str] = collections.Counter()
        for name, number in sources.items():
            source = next(source for start, source in SOURCES.items() if name.startswith(start))
            if source is not None:
                counted[_SOURCE_NAMES[source]] += number
        points.append({name: number for name, number in sorted(counted.items()) if number})
    return points


def earned_by_source(played: Replay) -> list[dict[str, int]]:
    """Returns the same for a replayed game."""
    points: list[dict[str, int]] = []
    for row in played.earned.tolist():
        counted: collections.Counter[str] = collections.Counter()
        for source, number in zip(Source, row, strict=True):
            counted[_SOURCE_NAMES[source]] += number
        points.append({name: number for name, number in sorted(counted.items()) if number})
    return points
