"""The golden files of Onitama, for both encodings of the game."""

import functools
from collections.abc import Callable

from benchmarks.golden import onitama_games, onitama_positions, onitama_tablebase
from benchmarks.golden.onitama_variant import BASE, REPORT, Variant
from benchmarks.golden.reader import FileKind, Options, Reader
from benchmarks.golden.records import Fields, Record, Verdict

VariantCheck = Callable[[Variant, list[Record], Options], list[Verdict]]

FILES: dict[str, tuple[Fields, VariantCheck]] = {
    "random_games.jsonl": (onitama_games.FIELDS, onitama_games.check_games),
    "limit_games.jsonl": (onitama_games.FIELDS, onitama_games.check_games),
    "no_move.jsonl": (onitama_positions.NO_MOVE_FIELDS, onitama_positions.check_no_move),
    "perft_start.jsonl": (onitama_positions.PERFT_FIELDS, onitama_positions.check_perft),
    "perft_mid.jsonl": (onitama_positions.PERFT_FIELDS, onitama_positions.check_perft),
    "perft_sensei.jsonl": (onitama_positions.PERFT_FIELDS, onitama_positions.check_perft),
    "tablebase.jsonl": (onitama_tablebase.FIELDS, onitama_tablebase.check_tablebase),
    "tablebase_summary.jsonl": (
        onitama_tablebase.SUMMARY_FIELDS,
        onitama_tablebase.check_summary,
    ),
}


def reader(variant: Variant) -> Reader:
    """Returns the reader of the golden files for one encoding."""
    return {
        name: FileKind(fields, functools.partial(check, variant))
        for name, (fields, check) in FILES.items()
    }


ONITAMA = reader(BASE)
ONITAMA_REPORT = reader(REPORT)
