"""The golden files of Onitama; other encodings of the game read them, too."""

import functools
from collections.abc import Callable

from benchmarks.golden.core.reader import CheckSettings, FileKind, Reader
from benchmarks.golden.core.records import Fields, Record, Verdict
from benchmarks.golden.onitama import games, positions, tablebase
from benchmarks.golden.onitama.variant import BASE, Variant

VariantCheck = Callable[[Variant, list[Record], CheckSettings], list[Verdict]]

FILES: dict[str, tuple[Fields, VariantCheck]] = {
    "random_games.jsonl": (games.FIELDS, games.check_games),
    "limit_games.jsonl": (games.FIELDS, games.check_games),
    "no_move.jsonl": (positions.NO_MOVE_FIELDS, positions.check_no_move),
    "perft_start.jsonl": (positions.PERFT_FIELDS, positions.check_perft),
    "perft_mid.jsonl": (positions.PERFT_FIELDS, positions.check_perft),
    "perft_sensei.jsonl": (positions.PERFT_FIELDS, positions.check_perft),
    "tablebase.jsonl": (tablebase.FIELDS, tablebase.check_tablebase),
    "tablebase_summary.jsonl": (
        tablebase.SUMMARY_FIELDS,
        tablebase.check_summary,
    ),
}


def reader(variant: Variant) -> Reader:
    """Returns the reader of the golden files for one encoding."""
    return {
        name: FileKind(fields, functools.partial(check, variant))
        for name, (fields, check) in FILES.items()
    }


READER = reader(BASE)
