"""The benchmark of the depth-first search."""

import pytest

from benchmarks import depth_first, limits

SPEEDS = [
    depth_first.Speed("pvs", 12, 2, (10.0, 20.0, 30.0), 0.5, 1.0, 2048, 40.0),
    depth_first.Speed("pvs", 12, 8, (40.0, 50.0, 60.0), 1.0, 1.0, 2048, 20.0),
    depth_first.Speed("pvs", None, 8, (400.0, 500.0, 600.0), 1.0, 1.0, 1024, 9.0),
]


def test_report_has_a_line_for_each_search():
    report = depth_first.render({"game": "onitama"}, SPEEDS)
    assert "| pvs, table of 2^12 | 2 | 0.000 M (0.000-0.000) | 0.50 | 1.0 s | 2.0 |" in report
    assert "| pvs | 8 |" in report


def test_the_fastest_search_with_a_table_is_held_against_the_machine():
    lines = depth_first.bounds(SPEEDS, limits.Limits(5e3, 1e3), devices=2)
    text = lines[-1]
    assert "pvs with a table, 8 lanes: XLA counts 20 operations a node" in text
    assert "arithmetic takes 50% of the time" in text


def test_an_unknown_game_is_refused(capsys, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "")
    with pytest.raises(SystemExit) as stop:
        depth_first.main(["--game=onitma"])
    assert stop.value.code == 2
    assert "did you mean 'onitama'?" in capsys.readouterr().err
