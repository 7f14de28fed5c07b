"""The study of Murus Gallicus: tables, the command line, and a small run of its parts."""

import pytest

from benchmarks.studies import murus_gallicus as study

CONTEST = study.Contest("ms2", "ms1", 60, 10, 30, 0.65, 0.04, 41.5, 52, 97, 9.0)


def test_matches_are_a_table():
    lines = study._matches([CONTEST], "The paper says so.")
    assert "| ms2 | ms1 | 60 / 10 / 30 | 65.0 +- 4.0 % | 41.5 | 52 % | 97 | 9 |" in lines
    assert lines[0] == "The paper says so."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--parts", "nodes", "--positions=2"], "positions must be at least 3, got 2"),
        (["--parts", "ladder", "--games=3"], "got 3"),
        (["--parts", "nodes", "--depth=0"], "expected a whole number from 1 on, got '0'"),
        (["--parts", "laddder"], "invalid choice: 'laddder'"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        study.main([*arguments, f"--output={tmp_path}"])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_nodes_are_counted_and_values_equal(tmp_path):
    study.main(["--parts", "nodes", "--depth=3", "--positions=3", f"--output={tmp_path}"])
    report = (tmp_path / "study_murus_gallicus_nodes.md").read_text()
    assert "Values of all three: equal in every position." in report
