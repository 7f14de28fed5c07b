"""The study of Murus Gallicus: tables, the command line, and a small run of its parts."""

import re

import pytest

from papers import results
from papers.murus_gallicus import figures, study

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
        (["--parts", "nodes", "--depth=0"], "expected a whole number from 1 to 2147483647"),
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
    report = (tmp_path / "nodes.md").read_text()
    assert "Values of all three: equal in every position." in report


@pytest.mark.parametrize("part", figures.FIGURES)
def test_figures_are_those_of_the_records(part, tmp_path):
    figures.main(["--parts", part, f"--output={tmp_path}"])
    (picture,) = tmp_path.iterdir()
    words = re.findall(r">([^<>]+)</text>", picture.read_text())
    assert len(words) > 5
    # Those of the documentation were drawn from the same record.
    assert words == re.findall(
        r">([^<>]+)</text>", (results.figures(study.GAME) / picture.name).read_text()
    )
    assert set(study.PARTS) == set(figures.FIGURES)


def test_figure_without_a_record_is_refused(capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        figures.main(["--parts", "ladder", f"--results={tmp_path}", f"--output={tmp_path}"])
    assert stop.value.code == 2
    assert "make it by `python -m papers.murus_gallicus.study --parts ladder`" in (
        capsys.readouterr().err
    )
