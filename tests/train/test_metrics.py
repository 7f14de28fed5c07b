"""`metrics.jsonl`, its resumption, the picture and the terminal."""

import io
import json

import pytest
from rich.console import Console

from train.loggers import LoggedRun, Loggers, load
from train.metrics import MetricsFile, read_metrics
from train.plots import plot_learning_curve
from train.progress import TrainingProgress


def metrics_of(iteration: int) -> dict[str, float]:
    return {
        "learner/policy_kl": 1 / iteration,
        "learner/value_loss": 0.3,
        "selfplay/game_length": 20.0 + iteration,
        "evaluation/search/minimax:depth=2": 0.5,
    }


def write(folder, start: int, stop: int) -> None:
    with Loggers(load("tensorboard"), LoggedRun(folder, start)) as log:
        for iteration in range(start + 1, stop + 1):
            log.log(iteration, metrics_of(iteration))


def test_each_iteration_is_one_line_of_json_and_reaches_tensorboard(tmp_path):
    write(tmp_path, 0, 2)
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["iteration"] for line in lines] == [1, 2]
    assert json.loads(lines[1]) == {"iteration": 2, **metrics_of(2)}
    (events,) = (tmp_path / "tensorboard").iterdir()
    assert b"selfplay/game_length" in events.read_bytes()


def test_resumed_file_equals_that_of_an_uninterrupted_run(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir(), parts.mkdir()
    write(whole, 0, 7)
    write(parts, 0, 5)
    with (parts / "metrics.jsonl").open("a") as file:
        file.write('{"iteration": 6, "learner/pol')  # killed in the middle of a line
    write(parts, 3, 7)  # the last checkpoint was that of iteration 3
    assert (parts / "metrics.jsonl").read_bytes() == (whole / "metrics.jsonl").read_bytes()


def test_numbers_that_are_not_finite_are_null(tmp_path):
    log = MetricsFile(LoggedRun(tmp_path, 0))
    log.log(1, {"learner/loss": float("nan"), "learner/value_loss": float("inf")})
    log.close()
    (row,) = read_metrics(tmp_path / "metrics.jsonl")
    assert row == {"iteration": 1, "learner/loss": None, "learner/value_loss": None}


def test_damaged_line_is_refused_with_its_number(tmp_path):
    path = tmp_path / "metrics.jsonl"
    for line in (
        b"nonsense",
        b"\xff\xfe",
        b"[1]",
        b"{}",
        b'{"iteration": "abc"}',
        b'{"iteration": 1.5}',
        b'{"iteration": NaN}',
        b'{"iteration": Infinity}',
        b'{"iteration": 2, "learner/loss": NaN}',
        b'{"iteration": 2, "learner/loss": "low"}',
        b'{"iteration": 2, "learner/loss": [1]}',
        b'{"iteration": 2, "learner/loss": 1e999}',
        b'{"iteration": 1' + b"0" * 400 + b"}",
        b"[" * 100_000,
    ):
        path.write_bytes(b'{"iteration": 1}\n' + line + b"\n")
        with pytest.raises(ValueError, match="line 2: not the metrics of an iteration"):
            read_metrics(path)


def test_learning_curve_is_drawn_with_and_without_evaluations(tmp_path):
    write(tmp_path, 0, 3)
    picture = tmp_path / "learning_curve.png"
    plot_learning_curve(tmp_path / "metrics.jsonl", picture)
    with_scores = picture.read_bytes()
    assert with_scores.startswith(b"\x89PNG")
    (tmp_path / "metrics.jsonl").write_text('{"iteration": 1}\n')
    plot_learning_curve(tmp_path / "metrics.jsonl", picture)
    assert picture.read_bytes() != with_scores
    (tmp_path / "metrics.jsonl").write_text("")
    with pytest.raises(ValueError, match="holds no iteration"):
        plot_learning_curve(tmp_path / "metrics.jsonl", picture)


def test_colours_that_a_notebook_asks_for_do_not_make_a_bar(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with TrainingProgress(0, 1) as progress:
        progress.update(1, {})
    assert capsys.readouterr().err == "iteration 1/1\n"


def test_a_run_that_time_alone_ends_tells_what_is_left_of_it():
    output = io.StringIO()
    with TrainingProgress(0, None, Console(file=output), max_minutes=5.0) as progress:
        progress.update(1, {"time/minutes": 2.0})
    assert output.getvalue() == "iteration 1; 3 min left\n"


def test_without_a_terminal_evaluations_and_the_first_and_last_iteration_get_a_line():
    output = io.StringIO()
    with TrainingProgress(0, 4, Console(file=output)) as progress:
        progress.update(1, {"time/positions_per_second": 1234.4, "learner/value_loss": 0.25})
        progress.update(2, {"selfplay/game_length": 21.0})
        progress.update(3, {"evaluation/search/minimax:depth=2": 0.625, "selfplay/game_length": 2})
        progress.update(4, {})
    assert output.getvalue().splitlines() == [
        "iteration 1/4; 1,234 positions/s, value loss 0.250",
        "iteration 3/4; 2.0 plies a game; search vs minimax:depth=2 62%; 0 min left",
        "iteration 4/4",
    ]
