"""Loggers by name: files, TensorBoard, trackers in their offline modes, other packages' loggers."""

import functools
import importlib.metadata
import io
import json
import os
import sqlite3
import subprocess
import sys
import time

import jax
import pytest
from PIL import Image
from tensorboardX.proto.event_pb2 import Event

from configs.training import RunConfig
from jaxgames import make, records
from tests.locations import CHECKOUT
from tests.train import runs
from tests.train.test_run import Counting, CountingConfig
from train import game_pictures, loggers, metrics
from train.loggers import LoggedRun, Loggers
from train.run import TrainingRun

GAMES = ("games/search/minimax:depth=2", "games/network/minimax:depth=2")


class TrackerError(Exception):
    """Like the errors of trackers, it is no `OSError`."""


class ListLogger:
    """A logger of another package: it keeps what it is given."""

    takes_pictures = True
    made = ()

    def __init__(self, run: LoggedRun):
        self.run, self.lines, self.pictures, self.is_closed = run, [], [], False
        ListLogger.made = (*ListLogger.made, self)

    def log(self, iteration, numbers):
        self.lines.append((iteration, dict(numbers)))

    def log_picture(self, iteration, name, png):
        self.pictures.append((iteration, name, Image.open(io.BytesIO(png)).size))

    def close(self):
        self.is_closed = True


@pytest.fixture
def list_logger(monkeypatch):
    """Installs the logger `list` as another package would."""
    entries = importlib.metadata.EntryPoints(
        importlib.metadata.EntryPoint(name, f"tests.train.test_loggers:{value}", loggers.GROUP)
        for name, value in (("list", "ListLogger"), ("broken", "NoSuchLogger"))
    )
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: entries)
    monkeypatch.setattr(ListLogger, "made", ())


def games(directory, iteration: int) -> None:
    """Writes two games of one match and one of another, as an evaluation does."""
    env = make("onitama")
    start = env.init(jax.random.key(0))
    move = next(iter(env.legal_moves(start).values()))
    path = game_pictures.games_file(directory, iteration)
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = [
        records.from_moves(env, start, [move], ["random", "random"], tags={"match": match})
        for match in (GAMES[0][6:], GAMES[0][6:], GAMES[1][6:])
    ]
    records.write(path, *kept)


class CountingWithGames(Counting):
    """A program whose evaluations keep games."""

    def evaluate(self, now):
        games(now.directory, now.iteration)
        return {"evaluation/search/random": 0.5}


def run(folder, iterations: int, logger: str) -> None:
    config = CountingConfig("onitama", run_dir=str(folder), iterations=iterations, logger=logger)
    assert TrainingRun(CountingWithGames(), config).run()


def test_names_are_checked_and_the_nearest_is_offered(list_logger):
    assert loggers.check("tensorboard, wandb") == ("jsonl", "tensorboard", "wandb")
    assert loggers.check("") == ("jsonl",)
    assert loggers.check(RunConfig.logger) == ("jsonl", "tensorboard")
    choices = "jsonl, curve, tensorboard, wandb, mlflow, trackio, broken, list"
    with pytest.raises(ValueError, match=f"'wanbd'; available: {choices}; did you mean 'wandb'"):
        loggers.check("jsonl,wanbd")
    with pytest.raises(ValueError, match="did you mean 'list'"):
        loggers.load("lists")


def test_a_logger_that_is_not_there_is_refused_before_the_folder_is_made(
    tmp_path, list_logger, monkeypatch
):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ValueError, match=r"--logger=wandb .*; pip install 'jaxgames\[wandb\]'"):
        run(tmp_path / "run", 1, "wandb")
    with pytest.raises(ValueError, match=r"--logger=broken cannot be used: .*NoSuchLogger"):
        run(tmp_path / "run", 1, "broken")
    assert not (tmp_path / "run").exists()


def test_a_logger_of_another_package_gets_numbers_settings_and_pictures(tmp_path, list_logger):
    run(tmp_path / "run", 2, "list")
    run(tmp_path / "run", 3, "jsonl,list")
    first, second = ListLogger.made
    assert [iteration for iteration, _ in first.lines] == [0, 1, 2]
    assert [iteration for iteration, _ in second.lines] == [3]
    assert (first.run.iteration, second.run.iteration) == (-1, 2)
    assert first.run.identity == second.run.identity and len(first.run.identity) == 16
    assert first.run.settings["checkpoint.every"] == 10
    assert [name for _, name, _ in first.pictures] == [*GAMES, *GAMES]  # before and at the end
    assert all(width > 100 and height > 100 for _, _, (width, height) in first.pictures)
    assert first.is_closed and second.is_closed
    assert not (tmp_path / "run" / "tensorboard").exists()
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["iteration"] for line in lines] == [0, 1, 2, 3]


def test_the_curve_is_drawn_while_the_run_goes_on_but_not_all_the_time(tmp_path):
    drawn = []
    run = LoggedRun(tmp_path, draw_curve=lambda: drawn.append(time.sleep(0.01)))
    with Loggers(loggers.load("curve"), run) as log:
        log.log(0, {"learner/value_loss": 1.0})
        log.log(1, {"learner/value_loss": 0.5})
    assert len(drawn) == 1


def test_if_one_logger_cannot_begin_those_before_it_are_closed(tmp_path, list_logger):
    def fail(run):
        raise TrackerError("nobody is logged in")

    with pytest.raises(
        OSError, match=r"^--logger=far cannot begin: TrackerError: nobody is logged"
    ):
        Loggers({"list": ListLogger, "far": fail}, LoggedRun(tmp_path))
    assert ListLogger.made[0].is_closed


def test_all_are_closed_even_if_one_of_them_fails(tmp_path, list_logger):
    class Unsent(ListLogger):
        def close(self):
            raise KeyboardInterrupt  # a second Ctrl-C while a tracker sends

    with (
        pytest.raises(KeyboardInterrupt),
        Loggers({"list": ListLogger, "far": Unsent}, LoggedRun(tmp_path)),
    ):
        pass
    assert ListLogger.made[0].is_closed


def test_a_training_goes_on_while_a_tracker_is_away(tmp_path, list_logger, monkeypatch, caplog):
    calls = []

    def called(self, what, *details):
        calls.append((what, *details[:1]))
        if calls[-1] not in (("log", 0), ("log", 3)):
            raise TrackerError("no route\nto host")

    for method in ("log", "log_picture", "close"):
        monkeypatch.setattr(ListLogger, method, functools.partialmethod(called, method))
    run(tmp_path / "run", 4, "list,tensorboard")
    assert [row["learner/count"] for row in runs.read(tmp_path / "run")[1:]] == [1, 2, 3, 4]
    assert (tmp_path / "run" / "result.txt").read_text() == "4"
    assert [at for what, at in calls[:-1] if what == "log"] == [0, 1, 2, 3, 4]
    words = "failed, which does not end the training: TrackerError: no route to host"
    assert [record.getMessage() for record in caplog.records if "list" in record.getMessage()] == [
        f"logger list: log_picture {words}",
        f"logger list: log {words}",
        "logger list: log works again",
        f"logger list: log {words}",
        f"logger list: close {words}",
    ]


def test_an_error_of_the_record_of_the_run_ends_it_and_closes_all(
    tmp_path, list_logger, monkeypatch
):
    def fail(self, *details):
        raise OSError("no space left")

    for method in ("log", "close"):
        monkeypatch.setattr(metrics.MetricsFile, method, fail)
    with pytest.raises(OSError, match="run cannot be written or read: no space left"):
        run(tmp_path / "run", 1, "list")
    assert ListLogger.made[0].is_closed


def test_a_logger_that_cannot_begin_is_no_fault_of_the_folder(tmp_path, list_logger, monkeypatch):
    def init(self, run):
        raise TrackerError("nobody is logged in")

    monkeypatch.setattr(ListLogger, "__init__", init)
    with pytest.raises(
        OSError, match=r"^--logger=list cannot begin: TrackerError: nobody is logge"
    ):
        run(tmp_path / "run", 1, "list")


def test_tensorboard_gets_pictures_that_can_be_read(tmp_path):
    picture = io.BytesIO()
    Image.new("RGB", (7, 5)).save(picture, "png")
    with Loggers(loggers.load("tensorboard"), LoggedRun(tmp_path)) as log:
        assert log.takes_pictures
        log.log_picture(3, "games/a", picture.getvalue())
    (file,) = (tmp_path / "tensorboard").iterdir()
    content, events = file.read_bytes(), []
    while content:  # length (8 bytes), its checksum (4), the event, its checksum (4)
        size = int.from_bytes(content[:8], "little")
        events.append(Event.FromString(content[12 : 12 + size]))
        content = content[16 + size :]
    (value,) = events[-1].summary.value
    assert (events[-1].step, value.tag) == (3, "games/a")
    assert (value.image.width, value.image.height) == (7, 5)
    assert Image.open(io.BytesIO(value.image.encoded_image_string)).size == (7, 5)


def test_without_the_extra_for_pictures_a_warning_tells_so_once(tmp_path, monkeypatch, caplog):
    def picture(record):
        raise ImportError("PNG files need Pillow")

    monkeypatch.setattr(game_pictures, "picture", picture)
    game_pictures._warn.cache_clear()
    games(tmp_path, 4)
    for _ in range(2):
        assert list(game_pictures.of_iteration(tmp_path, 4)) == []
    assert caplog.text.count("no pictures of games are logged") == 1


SESSIONS = """
import pathlib, sys
from tests.train import test_loggers
for iterations in (1, 2):
    test_loggers.run(pathlib.Path(sys.argv[1]), iterations, sys.argv[2])
"""


def two_sessions(tracker: str, folder, variables: dict[str, str]) -> None:
    """Logs to a tracker in two sessions of one run, in a process of its own."""
    pytest.importorskip(tracker, reason=f"the extra {tracker} is not installed")
    command = [sys.executable, "-c", SESSIONS, str(folder / "run"), tracker]
    environment = {**os.environ, **variables, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.slow
def test_weights_and_biases_offline(tmp_path):
    two_sessions("wandb", tmp_path, {"WANDB_MODE": "offline"})
    runs = sorted((tmp_path / "run" / "wandb").glob("offline-run-*"))
    assert len(runs) == 2
    assert len({path.name.rpartition("-")[2] for path in runs}) == 1  # one run, two sessions
    files = [path.read_bytes() for run in runs for path in run.glob("*.wandb")]
    assert all(b"learner/count" in content for content in files)
    assert any((runs[0] / "files" / "media" / "images").rglob("*.png"))


@pytest.mark.slow
def test_weights_and_biases_that_cannot_begin_is_a_message(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="the extra wandb is not installed")

    def init(**settings):
        raise wandb.errors.UsageError("nobody is logged in")

    monkeypatch.setattr(wandb, "init", init)
    with pytest.raises(
        OSError, match=r"^--logger=wandb cannot begin: UsageError: nobody is logged"
    ):
        run(tmp_path / "run", 1, "wandb")


@pytest.mark.slow
def test_mlflow_in_a_file_of_its_own(tmp_path):
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    two_sessions("mlflow", tmp_path, {"MLFLOW_TRACKING_URI": uri})
    from mlflow.tracking import MlflowClient

    client = MlflowClient(uri)
    (there,) = client.search_runs([client.get_experiment_by_name("jaxgames").experiment_id])
    assert there.info.status == "FINISHED" and there.data.params["checkpoint.every"] == "10"
    history = client.get_metric_history(there.info.run_id, "learner/count")
    assert [(point.step, point.value) for point in history] == [(1, 1.0), (2, 2.0)]
    assert client.list_artifacts(there.info.run_id, "images")


@pytest.mark.slow
def test_trackio_in_a_folder_of_its_own(tmp_path):
    two_sessions("trackio", tmp_path, {"TRACKIO_DIR": str(tmp_path / "trackio")})
    with sqlite3.connect(tmp_path / "trackio" / "jaxgames.db") as database:
        rows = database.execute("select run_name, step, metrics from metrics").fetchall()
    assert len({name for name, _, _ in rows}) == 1
    numbers = [(step, json.loads(text)) for _, step, text in rows]
    counts = [(step, row["learner/count"]) for step, row in numbers if "learner/count" in row]
    assert counts == [(1, 1.0), (2, 2.0)]
    assert any("games/search/minimax:depth=2" in row for _, row in numbers)
