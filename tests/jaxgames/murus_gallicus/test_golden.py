"""Murus Gallicus agrees with the golden data: what is committed, and all of it where found."""

import pathlib

import pytest

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import FileReport
from tests import golden_reports
from tests.locations import GOLDEN

GAME = "murus_gallicus"
COMMITTED = GOLDEN / GAME
SHALLOW = CheckSettings(max_depth=4)
ALL_EQUAL = (
    "transitions.jsonl",
    "random_games.jsonl",
    "shallow_search_games.jsonl",
    "cycle.json",
    "solved.jsonl",
    "exhaustive_counts.json",
    pytest.param("stats.json", marks=pytest.mark.slow),
)


def check(path: pathlib.Path, settings: CheckSettings, file: str) -> FileReport:
    return golden_reports.check(GAME, path, file, settings)


def agree(report: FileReport) -> tuple[int, int]:
    """Returns how many records are equal and not checked, of at least one."""
    assert report.records
    return golden_reports.agree(report)


@pytest.mark.parametrize("file", ALL_EQUAL)
def test_committed_records_are_all_equal(file):
    report = check(COMMITTED, SHALLOW, file)
    assert agree(report) == (len(report.records), 0)


def test_committed_counts_are_equal_to_four_plies():
    report = check(COMMITTED, SHALLOW, "perft.jsonl")
    deep = sum(len(record["perft"]) > 4 for record in report.records)
    assert agree(report) == (len(report.records) - deep, deep)
    starts = [record["perft"][:3] for record in report.records if "start" in record["tags"]]
    assert [32, 1024, 28416] in starts and [20, 400, 6960] in starts


@pytest.mark.slow
@pytest.mark.parametrize("file", ["transitions.jsonl", "random_games.jsonl", "cycle.json"])
def test_shared_records_are_all_equal(file):
    report = check(golden_reports.shared_directory(GAME), SHALLOW, file)
    assert agree(report) == (len(report.records), 0)


@pytest.mark.slow
def test_shared_counts_are_equal_to_three_plies():
    agree(check(golden_reports.shared_directory(GAME), CheckSettings(max_depth=3), "perft.jsonl"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["shallow_search_games.jsonl", "solved.jsonl", "exhaustive_counts.json", "stats.json"]
)
def test_shared_games_endings_and_totals_are_all_equal(file):
    report = check(golden_reports.shared_directory(GAME), SHALLOW, file)
    assert agree(report) == (len(report.records), 0)


@pytest.mark.slow
def test_shared_counts_are_equal_to_full_depth():
    report = check(golden_reports.shared_directory(GAME), CheckSettings(), "perft.jsonl")
    assert agree(report) == (len(report.records), 0)
