"""What every training program does around its iterations, with one that learns nothing."""

import dataclasses
import json
import os
import signal
from typing import ClassVar

import numpy as np
import pytest

from configs.training import CheckpointConfig
from train import session


@dataclasses.dataclass(frozen=True)
class Config:
    CHANGEABLE: ClassVar[tuple[str, ...]] = ("iterations",)
    YOUNGER: ClassVar[dict[str, object]] = {}
    RENAMED: ClassVar[dict[str, str]] = {}

    directory: str
    iterations: int = 3
    max_minutes: float | None = None
    checkpoint: CheckpointConfig = dataclasses.field(default_factory=CheckpointConfig)


class Counting(session.Session):
    """Counts its iterations."""

    def __init__(self, folder, iterations=3):
        super().__init__(Config(str(folder), iterations), "1")
        self.count = np.zeros(1, np.int32)
        self.restore()

    goal = property(lambda self: self._config.iterations)
    evaluate_every = 0

    def iterate(self):
        self.count = self.count + 1
        return {"learner/count": float(self.count[0])}

    def evaluate(self):
        return {}

    def problem(self, numbers):
        return None

    def arrays(self):
        return {"count": self.count}, {"count": self.count}

    def set_arrays(self, params, rest):
        self.count = np.asarray(params["count"])

    def describe(self):
        return {}

    def write_results(self):
        (self.directory / "result.txt").write_text(str(self.count[0]))

    def closing_lines(self):
        return f"result: {self.directory / 'result.txt'}", "use: read it"

    def draw_curves(self, log, picture):
        if not log.read_text():
            raise ValueError(f"{log} holds no iteration to draw")
        picture.write_text("a picture")


def test_a_run_ends_with_the_place_of_its_results_and_how_to_use_them(tmp_path, capfd):
    assert Counting(tmp_path / "run").run()
    last = capfd.readouterr().out.splitlines()[-2:]
    assert last == [f"result: {tmp_path / 'run' / 'result.txt'}", "use: read it"]


def test_signal_while_the_last_checkpoint_is_saved_is_no_crash(tmp_path, monkeypatch):
    run = Counting(tmp_path / "run")
    close = run._checkpoints.close

    def close_late() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        close()

    monkeypatch.setattr(run._checkpoints, "close", close_late)
    assert run.run()
    assert (tmp_path / "run" / "result.txt").read_text() == "3"
    assert Counting(tmp_path / "run").iteration == 3


def test_lost_metrics_cost_the_picture_alone(tmp_path, caplog):
    folder = tmp_path / "run"
    assert Counting(folder).run()
    for name in ("metrics.jsonl", "result.txt", "learning_curve.png"):
        (folder / name).unlink()
    assert Counting(folder).run()
    assert (folder / "result.txt").read_text() == "3"
    assert not (folder / "learning_curve.png").exists()
    assert "no learning curve" in caplog.text and "metrics.jsonl" in caplog.text


@pytest.mark.parametrize("damage", [b"nonsense\n", b"\xff\xfe\n", b'{"iteration": NaN}\n'])
def test_damaged_metrics_are_refused_before_anything_is_learned(tmp_path, damage):
    folder = tmp_path / "run"
    assert Counting(folder).run()
    log = folder / "metrics.jsonl"
    first, *others = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + damage + b"".join(others))
    with pytest.raises(ValueError, match=r"metrics\.jsonl, line 2: not the metrics of"):
        Counting(folder, iterations=5)
    log.write_bytes(b"".join([first, *others]))
    assert Counting(folder, iterations=5).run()
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["learner/count"] for row in rows] == [1, 2, 3, 4, 5]
