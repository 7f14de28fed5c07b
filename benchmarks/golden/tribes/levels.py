"""Checks recorded levels of Tribes: reads them from text, and makes them again from their seeds."""

from typing import NamedTuple

from benchmarks.golden.core.reader import FileKind, each
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    combine,
    different,
)
from jaxgames.tribes.levels.host_generation import generate
from jaxgames.tribes.levels.level_files import Level, level_from_csv, level_to_csv
from jaxgames.tribes.tables.tribes import Tribe

FIELDS = {
    "seed": int,
    "size": int,
    "tribes": [str],
    "grid": [str],
    "terrain": [int],
    "resource": [int],
    "capitals": [[int]],
}


class _Board(NamedTuple):
    """The fields of a level that a record has."""

    terrain: list[int]
    resource: list[int]
    capitals: list[list[int]]


def _check_level(record: Record) -> Verdict:
    """Compares a level, read from its text and made from its seed, with its numbers."""
    recorded = _Board(record["terrain"], record["resource"], record["capitals"])
    text = "\n".join(record["grid"]) + "\n"
    tribes = [Tribe[name] for name in record["tribes"]]
    made = generate(record["seed"], record["size"], tribes)
    return combine(
        _compare("read from its text", recorded, _board(level_from_csv(text))),
        _compare("made from its seed", recorded, _board(made)),
        # The reference sometimes writes a blank in place of no resource.
        _compare_texts(text.replace(" ", ""), level_to_csv(made)),
    )


def _board(level: Level) -> _Board:
    capitals = [list(capital) for capital in level.capitals]
    return _Board(level.terrain.tolist(), level.resource.tolist(), capitals)


def _compare(how: str, recorded: _Board, found: _Board) -> Verdict:
    for name, expected, actual in zip(_Board._fields, recorded, found, strict=True):
        if expected != actual:
            return different(f"{name} {how}", expected, actual, name)
    return EQUAL


def _compare_texts(expected: str, actual: str) -> Verdict:
    return EQUAL if expected == actual else different("text", expected, actual, "text")


LEVELS = FileKind(FIELDS, each(_check_level), key="seed")
"""A file of levels, one in each record."""
