"""The golden files of Murus Gallicus."""

from benchmarks.golden.core.reader import FileKind, Reader
from benchmarks.golden.murus_gallicus import (
    endings,
    games,
    positions,
    statistics,
)

READER: Reader = {
    "transitions.jsonl": FileKind(positions.TRANSITION_FIELDS, positions.check_transitions),
    "random_games.jsonl": FileKind(games.FIELDS, games.check_games),
    "shallow_search_games.jsonl": FileKind(games.FIELDS, games.check_games),
    "cycle.json": FileKind(games.CYCLE_FIELDS, games.check_cycle),
    "perft.jsonl": FileKind(positions.PERFT_FIELDS, positions.check_perft),
    "solved.jsonl": FileKind(endings.FIELDS, endings.check_solved),
    "exhaustive_counts.json": FileKind(endings.COUNT_FIELDS, endings.check_counts, rows="rows"),
    "stats.json": FileKind(statistics.FIELDS, statistics.check_statistics),
}
