"""Calibration is counted by tenths as the record says."""

import pytest

from benchmarks.calibration import Judged, by_tenths, summary


def test_chances_are_divided_at_equal_steps():
    judged = [Judged(0.05, 0.0), Judged(0.06, 1.0), Judged(0.95, 1.0), Judged(1.0, 1.0)]
    rows = by_tenths(judged, is_chance=True)
    assert rows == [
        ["0 to 10%", 2, "5.5%", "50.0%", "-44.5%"],
        ["90 to 100%", 2, "97.5%", "100.0%", "-2.5%"],
    ]
    assert summary(judged, rows) == [
        "Mean error of a tenth, weighted by its positions: 23.5%; mean of all 4 positions: -23.5%."
    ]


def test_points_are_divided_into_groups_of_equal_size():
    judged = [Judged(float(points), points + 2.0) for points in range(60, 160)]
    rows = by_tenths(judged, is_chance=False)
    assert [row[1] for row in rows] == [10] * 10
    assert {row[4] for row in rows} == {"-2.0"}
    assert "2.0 points; mean of all 100 positions: -2.0 points" in summary(judged, rows)[0]


def test_nothing_to_compare_is_an_error():
    with pytest.raises(ValueError, match="no positions"):
        by_tenths([], is_chance=True)
