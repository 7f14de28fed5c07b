"""Tribes agrees with the golden games: what is committed, and all of it where found."""

import pathlib

import pytest

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import FileReport
from tests.golden_reports import agree, check, shared_directory
from tests.locations import GOLDEN

GAME = "tribes"
COMMITTED = GOLDEN / GAME
# Rules are compiled for each number of players, side and mode: the quick tests have one of each.
CAPITALS = {
    "games_paper_levels.jsonl.gz": ("33",),
    "games_tribes.jsonl.gz": ("0", "10"),
    "games_mixed.jsonl.gz": ("10",),
    "games_search.jsonl.gz": ("3",),
}
OTHERS = {
    "games_mixed.jsonl.gz": ("13",),
    "games_fog.jsonl.gz": ("15",),
    "games_multi.jsonl.gz": ("1",),
}
SHARED = {
    "games_paper_levels.jsonl.gz": 50,
    "games_mixed.jsonl.gz": 41,
    "games_tribes.jsonl.gz": 35,
    "games_multi.jsonl.gz": 12,
    "games_fog.jsonl.gz": 16,
    "games_search.jsonl.gz": 8,
    "games_special.jsonl.gz": 3,
}


def check_file(path: pathlib.Path, file: str, names: tuple[str, ...] = ()) -> FileReport:
    return check(GAME, path, file, CheckSettings(names=names))


@pytest.mark.parametrize("file", CAPITALS)
def test_committed_games_for_capitals_are_equal(file):
    names = CAPITALS[file]
    assert agree(check_file(COMMITTED, file, names)) == (len(names), 0)


@pytest.mark.slow
@pytest.mark.parametrize("file", OTHERS)
def test_committed_games_of_other_kinds_are_equal(file):
    names = OTHERS[file]
    assert agree(check_file(COMMITTED, file, names)) == (len(names), 0)


@pytest.mark.slow
@pytest.mark.parametrize("file", SHARED)
def test_shared_games_are_all_equal(file):
    assert agree(check_file(shared_directory(GAME), file)) == (SHARED[file], 0)
