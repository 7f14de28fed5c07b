"""The golden files of Murus Gallicus."""

from benchmarks.golden.core.encoding import GAME_FIELDS
from benchmarks.golden.core.reader import FileKind, Reader, each
from benchmarks.golden.murus_gallicus import endings, games, positions, statistics

_TRANSITION_FIELDS = {"fen": str, "variant": str, "children": [list]}
_PERFT_FIELDS = {"fen": str, "variant": str, "perft": [int]}
_GAMES = FileKind(GAME_FIELDS | {"result": int}, positions.check_games)

READER: Reader = {
    "transitions.jsonl": FileKind(_TRANSITION_FIELDS, positions.check_transitions),
    "random_games.jsonl": _GAMES,
    "shallow_search_games.jsonl": _GAMES,
    "cycle.json": FileKind(games.CYCLE_FIELDS, each(games.check_cycle)),
    "perft.jsonl": FileKind(_PERFT_FIELDS, positions.check_perft),
    "solved.jsonl": FileKind(endings.FIELDS, endings.check_solved),
    "exhaustive_counts.json": FileKind(
        endings.COUNT_FIELDS, each(endings.check_totals), rows="rows"
    ),
    "stats.json": FileKind(statistics.FIELDS, each(statistics.check_variants)),
}
