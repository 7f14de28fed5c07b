"""The golden files of Murus Gallicus."""

from benchmarks.golden import (
    murus_gallicus_endings,
    murus_gallicus_games,
    murus_gallicus_positions,
    murus_gallicus_statistics,
)
from benchmarks.golden.reader import FileKind, Reader

READER: Reader = {
    "transitions.jsonl": FileKind(
        murus_gallicus_positions.TRANSITION_FIELDS, murus_gallicus_positions.check_transitions
    ),
    "random_games.jsonl": FileKind(murus_gallicus_games.FIELDS, murus_gallicus_games.check_games),
    "shallow_search_games.jsonl": FileKind(
        murus_gallicus_games.FIELDS, murus_gallicus_games.check_games
    ),
    "cycle.json": FileKind(murus_gallicus_games.CYCLE_FIELDS, murus_gallicus_games.check_cycle),
    "perft.jsonl": FileKind(
        murus_gallicus_positions.PERFT_FIELDS, murus_gallicus_positions.check_perft
    ),
    "solved.jsonl": FileKind(murus_gallicus_endings.FIELDS, murus_gallicus_endings.check_solved),
    "exhaustive_counts.json": FileKind(
        murus_gallicus_endings.COUNT_FIELDS, murus_gallicus_endings.check_counts, rows="rows"
    ),
    "stats.json": FileKind(
        murus_gallicus_statistics.FIELDS, murus_gallicus_statistics.check_statistics
    ),
}
