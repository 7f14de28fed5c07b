"""Checks the legal actions before each decision of recorded games of Terra Mystica."""

import zlib

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    different,
    different_legal_sets,
    not_checked,
    read_records,
)
from benchmarks.golden.terra_mystica.games import FIELDS as GAME_FIELDS
from benchmarks.golden.terra_mystica.games import legal_actions, where
from benchmarks.golden.terra_mystica.recorded_game import RecordedGame, read_game
from benchmarks.golden.terra_mystica.replay import Replay, replay
from jaxgames.terra_mystica.text.commands import command

FIELDS = {"id": str, "file": str, "decisions": [list]}


def check_masks(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares the actions of games with their commands, and the legal actions with the game."""
    games = _games_of(records, settings)
    known = [record for record in records if record["id"] in games]
    pairs = [(games[record["id"]], read_game(games[record["id"]])) for record in known]
    verdicts = {
        record["id"]: check_legal_sets(record, recorded, played)
        for record, (_, recorded), played in zip(known, pairs, replay(pairs), strict=True)
    }
    missing = not_checked("the game itself is not there")
    return [verdicts.get(record["id"], missing) for record in records]


def _games_of(records: list[Record], settings: CheckSettings) -> dict[str, Record]:
    """Returns the recorded games that the decisions belong to, by name."""
    games: dict[str, Record] = {}
    for file in dict.fromkeys(record["file"] for record in records):
        path = settings.directory and settings.directory / f"{file}.jsonl.gz"
        if path and path.exists():
            found = read_records(path, GAME_FIELDS)
            games |= {record["id"]: record for record in found}
    return games


def check_legal_sets(record: Record, recorded: RecordedGame, played: Replay) -> Verdict:
    """Compares one game with its replay; the first difference counts."""
    decisions = [(decision.seat, decision.action) for decision in recorded.decisions]
    expected = [(row[0], row[1]) for row in record["decisions"]]
    if decisions != expected:
        pairs = zip(decisions, expected, strict=False)
        first = next((k for k, pair in enumerate(pairs) if pair[0] != pair[1]), -1)
        return different(f"{recorded.name}, decision {first}", expected[first], decisions[first])
    for number, (_, action, count, checksum, *listed) in enumerate(record["decisions"]):
        legal = legal_actions(played, number)
        if len(legal) != count or zlib.crc32(",".join(map(str, legal)).encode()) != checksum:
            place, given = where(recorded, number), listed[0] if listed else None
            return different_legal_sets(place, count, given, legal, command)
        if action not in legal:
            return different(where(recorded, number), command(action), "no such legal action")
    return EQUAL
