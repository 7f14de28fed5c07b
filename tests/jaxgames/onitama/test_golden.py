"""Onitama agrees with the golden data: the committed selection, and all of it where it is found."""

import pathlib

import pytest

from benchmarks.golden.core import runner
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, FileReport, Status
from tests.golden_reports import ALL, agree, check, shared_directory
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "onitama"
SHALLOW = CheckSettings(max_depth=4)
GAMES = ("random_games.jsonl", "limit_games.jsonl", "no_move.jsonl")
PERFT = ("perft_start.jsonl", "perft_mid.jsonl", "perft_sensei.jsonl")


def shared(file: str, settings: CheckSettings) -> FileReport:
    return check("onitama", shared_directory("onitama"), file, settings)


def of_report_variant(path: pathlib.Path) -> dict[str, FileReport]:
    """Returns the reports of all files for the variant of the report."""
    reports = runner.check_directory("onitama_report", path, SHALLOW)
    return {report.name: report for report in reports}


@pytest.mark.parametrize("file", [*GAMES, *PERFT])
def test_committed_games_and_counts_are_all_equal(file):
    report = check("onitama", COMMITTED, file)
    assert agree(report) == (len(report.records), 0)
    assert len(report.records) > 0


def test_committed_endgames_up_to_distance_4_are_equal():
    report = check("onitama", COMMITTED, "tablebase.jsonl")
    near = sum(record["dtm"] is not None and record["dtm"] <= 4 for record in report.records)
    assert agree(report) == (near, len(report.records) - near)
    assert near >= 24


def test_report_variant_agrees_with_the_committed_records_of_its_cards():
    reports = of_report_variant(COMMITTED)
    assert agree(reports["random_games.jsonl"]) == (4, 4)
    assert all(agree(report) for report in reports.values())


@pytest.mark.slow
@pytest.mark.parametrize("file", GAMES)
def test_shared_games_are_all_equal(file):
    report = shared(file, SHALLOW)
    assert agree(report) == (len(report.records), 0)


@pytest.mark.parametrize("file", PERFT)
def test_shared_counts_are_equal_to_four_plies(file):
    agree(shared(file, SHALLOW))


def test_shared_endgames_up_to_distance_4_are_equal():
    report = shared("tablebase.jsonl", SHALLOW)
    near = sum(record["dtm"] is not None and record["dtm"] <= 4 for record in report.records)
    assert agree(report) == (near, len(report.records) - near)


def test_report_variant_agrees_with_the_shared_records_of_its_cards():
    reports = of_report_variant(shared_directory("onitama_report"))
    assert agree(reports["random_games.jsonl"])[0] == 100
    assert all(agree(report) for report in reports.values())


@pytest.mark.slow
@pytest.mark.parametrize("file", PERFT)
def test_shared_counts_are_equal_to_full_depth(file):
    report = shared(file, ALL)
    assert agree(report) == (len(report.records), 0)


DEEP = CheckSettings(deep=True, max_depth=1)


@pytest.mark.slow
def test_shared_endgames_with_one_student_a_side_are_equal_at_all_distances():
    report = shared("tablebase.jsonl", DEEP)
    agree(report)
    for record, verdict in zip(report.records, report.verdicts, strict=True):
        # Up to three men always have one student a side at most.
        assert verdict.status is Status.EQUAL or record["men"] > 3


@pytest.mark.slow
def test_shared_totals_of_endgames_with_one_student_a_side_are_equal():
    report = shared("tablebase_summary.jsonl", DEEP)
    for record, verdict in zip(report.records, report.verdicts, strict=True):
        if record["max_students"] > 1:
            assert verdict.status is Status.NOT_CHECKED
        else:
            assert verdict == EQUAL
