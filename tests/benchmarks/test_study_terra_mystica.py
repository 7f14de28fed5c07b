"""The study of Terra Mystica: recorded averages, self-play to the end, the table."""

import json
import pathlib

import numpy as np
import pytest

from benchmarks.studies import terra_mystica as study

COMMITTED = pathlib.Path(__file__).resolve().parents[1] / "golden" / "terra_mystica"
# Final points of the two committed games of this pair.
ENGINEERS, HALFLINGS = (136, 128), (113, 133)


def options(*arguments: str):
    return study.make_parser().parse_args(arguments)


def test_recorded_games_are_averaged_by_players_and_who_played():
    rows = {(row.who, row.players): row for row in study.recorded(options(f"--golden={COMMITTED}"))}
    two = rows["heuristic program, against each other", "2"]
    assert two.engineers is not None and two.halflings is not None
    assert two.engineers.games == two.halflings.games == len(ENGINEERS)
    assert two.engineers.mean == np.mean(ENGINEERS)
    assert two.halflings.mean == np.mean(HALFLINGS)


def test_missing_records_are_an_error(tmp_path):
    with pytest.raises(ValueError, match="there are no recorded games in"):
        study.recorded(options(f"--golden={tmp_path}"))


def test_table_has_a_line_for_each_row():
    row = study.Row("nobody", "here", "2", study.Average(12.345, 0.25, 1000), None)
    assert study.report([row])[-1] == "| nobody | here | 2 | 12.3 +- 0.2 (1,000) | - |"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games=5"], "--games must be even, for both orders of seats; got 5"),
        (["--parts", "trained"], "part 'trained' needs --run"),
        (["--parts", "recorded", "--run", "nowhere"], "no network file or run folder at nowhere"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys):
    with pytest.raises(SystemExit):
        study.main(arguments)
    assert words in capsys.readouterr().err


def test_record_is_written(tmp_path):
    output = tmp_path / "points.md"
    study.main(["--parts", "recorded", f"--golden={COMMITTED}", f"--output={output}"])
    assert "| heuristic program | paper | not stated | 77.1 | 92.2 |" in output.read_text()
    numbers = json.loads(output.with_suffix(".json").read_text())
    assert len(numbers["rows"]) > len(study.STATED)
