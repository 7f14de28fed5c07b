"""Onitama agrees with the golden data: the committed selection, and all of it where it is found."""

import functools
import pathlib

import pytest

from benchmarks.golden.core import runner
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, FileReport, Status
from tests.golden_reports import agree, shared_directory
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "onitama"
SHALLOW = CheckSettings(max_depth=4)
GAMES = ("random_games.jsonl", "limit_games.jsonl", "no_move.jsonl")
PERFT = ("perft_start.jsonl", "perft_mid.jsonl", "perft_sensei.jsonl")


@functools.cache
def check(game: str, path: pathlib.Path, options: CheckSettings) -> dict[str, FileReport]:
    return {report.name: report for report in runner.check_directory(game, path, options)}


@pytest.mark.parametrize("file", [*GAMES, *PERFT])
def test_committed_games_and_counts_are_all_equal(file):
    report = check("onitama", COMMITTED, CheckSettings())[file]
    assert agree(report) == (len(report.records), 0)
    assert len(report.records) > 0


def test_committed_endgames_up_to_distance_4_are_equal():
    report = check("onitama", COMMITTED, CheckSettings())["tablebase.jsonl"]
    near = sum(record["dtm"] is not None and record["dtm"] <= 4 for record in report.records)
    assert agree(report) == (near, len(report.records) - near)
    assert near >= 24


def test_report_variant_agrees_with_the_committed_records_of_its_cards():
    reports = check("onitama_report", COMMITTED, SHALLOW)
    assert agree(reports["random_games.jsonl"]) == (4, 4)
    assert all(agree(report) for report in reports.values())


@pytest.mark.slow
@pytest.mark.parametrize("file", GAMES)
def test_shared_games_are_all_equal(file):
    report = check("onitama", shared_directory("onitama"), SHALLOW)[file]
    assert agree(report) == (len(report.records), 0)


@pytest.mark.parametrize("file", PERFT)
def test_shared_counts_are_equal_to_four_plies(file):
    agree(check("onitama", shared_directory("onitama"), SHALLOW)[file])


def test_shared_endgames_up_to_distance_4_are_equal():
    report = check("onitama", shared_directory("onitama"), SHALLOW)["tablebase.jsonl"]
    near = sum(record["dtm"] is not None and record["dtm"] <= 4 for record in report.records)
    assert agree(report) == (near, len(report.records) - near)


def test_report_variant_agrees_with_the_shared_records_of_its_cards():
    reports = check("onitama_report", shared_directory("onitama_report"), SHALLOW)
    assert agree(reports["random_games.jsonl"])[0] == 100
    assert all(agree(report) for report in reports.values())


@pytest.mark.slow
@pytest.mark.parametrize("file", PERFT)
def test_shared_counts_are_equal_to_full_depth(file):
    report = check("onitama", shared_directory("onitama"), CheckSettings())[file]
    assert agree(report) == (len(report.records), 0)


@functools.cache
def deep_reports() -> dict[str, FileReport]:
    options = CheckSettings(deep=True, max_depth=1)
    return check("onitama", shared_directory("onitama"), options)


@pytest.mark.slow
def test_shared_endgames_with_one_student_a_side_are_equal_at_all_distances():
    report = deep_reports()["tablebase.jsonl"]
    agree(report)
    for record, verdict in zip(report.records, report.verdicts, strict=True):
        # Up to three men always have one student a side at most.
        assert verdict.status is Status.EQUAL or record["men"] > 3


@pytest.mark.slow
def test_shared_totals_of_endgames_with_one_student_a_side_are_equal():
    report = deep_reports()["tablebase_summary.jsonl"]
    for record, verdict in zip(report.records, report.verdicts, strict=True):
        if record["max_students"] > 1:
            assert verdict.status is Status.NOT_CHECKED
        else:
            assert verdict == EQUAL
