"""The golden files of Onitama; other encodings of the game read them, too."""

import functools
from collections.abc import Callable

from benchmarks.golden.core.encoding import GAME_FIELDS
from benchmarks.golden.core.reader import CheckSettings, FileKind, Reader
from benchmarks.golden.core.records import Fields, Record, Verdict
from benchmarks.golden.onitama import positions, tablebase
from benchmarks.golden.onitama.variant import BASE, Variant

PERFT_FIELDS: Fields = {"fen": str, "perft": [int], "ended": [int]}
VariantCheck = Callable[[Variant, list[Record], CheckSettings], list[Verdict]]


def _check_games(variant: Variant, records: list[Record], settings: CheckSettings) -> list[Verdict]:
    del settings
    return variant.check_positions(records, variant.check_games, "start")


def _check_perft(variant: Variant, records: list[Record], settings: CheckSettings) -> list[Verdict]:
    return variant.check_positions(records, functools.partial(variant.check_perft, settings))


_GAMES = GAME_FIELDS | {"start": str, "winner": str}, _check_games
_PERFT = PERFT_FIELDS, _check_perft
FILES: dict[str, tuple[Fields, VariantCheck]] = {
    "random_games.jsonl": _GAMES,
    "limit_games.jsonl": _GAMES,
    "no_move.jsonl": (PERFT_FIELDS | {"moves": [dict]}, positions.check_no_move),
    "perft_start.jsonl": _PERFT,
    "perft_mid.jsonl": _PERFT,
    "perft_sensei.jsonl": _PERFT,
    "tablebase.jsonl": (tablebase.FIELDS, tablebase.check_tablebase),
    "tablebase_summary.jsonl": (tablebase.SUMMARY_FIELDS, tablebase.check_summary),
}


def reader(variant: Variant) -> Reader:
    """Returns the reader of the golden files for one encoding."""
    return {
        name: FileKind(fields, functools.partial(check, variant))
        for name, (fields, check) in FILES.items()
    }


READER = reader(BASE)
