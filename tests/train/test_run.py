"""What every training program does around its iterations, with one that learns nothing."""

import dataclasses
import json
import os
import signal

import numpy as np
import pytest

from configs.training import RunConfig
from train.run import TrainingRun


@dataclasses.dataclass(frozen=True)
class CountingConfig(RunConfig):
    iterations: int = 3

    CHANGEABLE = (*RunConfig.CHANGEABLE, "iterations")
    name = "counting"


class Counting:
    """A program that counts its iterations."""

    game_version = "1"

    def initial_state(self):
        return np.zeros(1, np.int32)

    def iterate(self, state, iteration):
        return state + 1, {"learner/count": float(state[0] + 1)}

    def done(self, state, iteration):
        return iteration

    def evaluate(self, now):
        return {}

    def problem(self, numbers):
        return None

    def split(self, state):
        return {"count": state}, {"count": state}

    def join(self, params, rest):
        return np.asarray(params["count"])

    def describe(self, iteration):
        return {}

    def write_results(self, now):
        (now.directory / "result.txt").write_text(str(now.state[0]))

    def closing_lines(self, directory):
        return f"result: {directory / 'result.txt'}", "use: read it"

    def draw_curves(self, log, picture):
        if not log.read_text():
            raise ValueError(f"{log} holds no iteration to draw")
        picture.write_text("a picture")


def counting(folder, iterations=3) -> TrainingRun:
    return TrainingRun(
        Counting(), CountingConfig("nim", run_dir=str(folder), iterations=iterations)
    )


def test_a_run_ends_with_the_place_of_its_results_and_how_to_use_them(tmp_path, capfd):
    assert counting(tmp_path / "run").run()
    last = capfd.readouterr().out.splitlines()[-2:]
    assert last == [f"result: {tmp_path / 'run' / 'result.txt'}", "use: read it"]


def test_signal_while_the_last_checkpoint_is_saved_is_no_crash(tmp_path, monkeypatch):
    run = counting(tmp_path / "run")
    close = run._checkpoints.close

    def close_late() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        close()

    monkeypatch.setattr(run._checkpoints, "close", close_late)
    assert run.run()
    assert (tmp_path / "run" / "result.txt").read_text() == "3"
    assert counting(tmp_path / "run").now.iteration == 3


def test_lost_metrics_cost_the_picture_alone(tmp_path, caplog):
    folder = tmp_path / "run"
    assert counting(folder).run()
    for name in ("metrics.jsonl", "result.txt", "learning_curve.png"):
        (folder / name).unlink()
    assert counting(folder).run()
    assert (folder / "result.txt").read_text() == "3"
    assert not (folder / "learning_curve.png").exists()
    assert "no learning curve" in caplog.text and "metrics.jsonl" in caplog.text


@pytest.mark.parametrize("damage", [b"nonsense\n", b"\xff\xfe\n", b'{"iteration": NaN}\n'])
def test_damaged_metrics_are_refused_before_anything_is_learned(tmp_path, damage):
    folder = tmp_path / "run"
    assert counting(folder).run()
    log = folder / "metrics.jsonl"
    first, *others = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + damage + b"".join(others))
    with pytest.raises(ValueError, match=r"metrics\.jsonl, line 2: not the metrics of"):
        counting(folder, iterations=5)
    log.write_bytes(b"".join([first, *others]))
    assert counting(folder, iterations=5).run()
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["learner/count"] for row in rows] == [1, 2, 3, 4, 5]
