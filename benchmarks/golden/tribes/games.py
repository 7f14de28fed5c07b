"""Checks recorded games of Tribes: every state and the set of legal actions at every decision.

The files record states between turns too. The game has no such states: the end of a turn leads
straight to the first decision of the next turn, where all changes are compared. Unit numbers are
labels; lists of connected cities and of tribes met are compared as sets. Without fog the records
may name more tribes met, because their explorers walk then too; this has no other effect.
"""

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, Record, Verdict
from benchmarks.golden.tribes.recorded_game import read_game
from benchmarks.golden.tribes.replay import findings

FIELDS = {"k": str}
KEY = "id"


def games_of(lines: list[Record]) -> list[Record]:
    """Returns one record for each game of a file: its name and its lines.

    Raises:
        ValueError: if the file does not begin with the head of a game.
    """
    games: list[Record] = []
    for line in lines:
        if line["k"] == "G":
            games.append({KEY: str(line["id"]), "lines": []})
        if not games:
            raise ValueError(f"expected a record of kind 'G' first, got {line['k']!r}")
        games[-1]["lines"].append(line)
    return games


def check_games(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares games with their replays; the first difference of each counts."""
    del settings
    recorded_games = [read_game(record["lines"]) for record in records]
    first: dict[str, tuple[int, Verdict]] = {}
    for recorded, decision, verdict in findings(recorded_games):
        name = str(recorded.head["id"])
        if name not in first or decision < first[name][0]:
            first[name] = decision, verdict
    return [first[record[KEY]][1] if record[KEY] in first else EQUAL for record in records]
