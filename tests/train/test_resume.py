"""Runs that are really killed end like runs that were never interrupted."""

import functools
import logging
import pathlib
import signal

import pytest

from jaxgames.players.stored_networks import load_network
from tests.train import runs
from train import alphazero
from train.network_program import NetworkProgram
from train.run import TrainingRun

ITERATIONS = 8
PROGRAM = "train.alphazero"
ARGUMENTS = [
    "--game=onitama",
    "--preset=cpu",
    f"--iterations={ITERATIONS}",
    "--network.channels=8",
    "--network.blocks=1",
    "--selfplay.lanes=16",
    "--selfplay.plies=8",
    "--selfplay.simulations=4",
    "--replay.capacity=512",
    "--learner.batch-size=32",
    "--learner.updates=2",
    "--evaluation.every=3",
    "--evaluation.games=8",
    "--evaluation.simulations=2",
    "--evaluation.opponents=random",
    "--checkpoint.every=2",
]


def run(folder: pathlib.Path) -> str:
    """Trains to the end; returns what was printed."""
    return runs.run(PROGRAM, [*ARGUMENTS, f"--run-dir={folder}"])


def run_until(folder: pathlib.Path, moment: str) -> int:
    """Trains until the program sends itself a signal; returns the status of the process."""
    return runs.run_until(PROGRAM, [*ARGUMENTS, f"--run-dir={folder}"], moment)


def assert_same_end(folder: pathlib.Path, whole: pathlib.Path) -> None:
    found, wanted = runs.read(folder), runs.read(whole)
    assert [row["iteration"] for row in found] == list(range(ITERATIONS + 1))
    assert found == wanted
    (params, meta), (whole_params, whole_meta) = load_network(folder), load_network(whole)
    assert meta["iteration"] == whole_meta["iteration"] == ITERATIONS
    runs.assert_same(params, whole_params)


@pytest.fixture(scope="module")
def learn():
    """Trains in a folder, in this process; all runs share what is compiled."""
    learner = alphazero.COMMAND.make_program(alphazero.parse(ARGUMENTS)).learner

    def train(folder: pathlib.Path) -> TrainingRun:
        config = alphazero.parse([*ARGUMENTS, f"--run-dir={folder}"])
        return runs.learn(functools.partial(NetworkProgram, learner), config)

    return train


@pytest.fixture(scope="module")
def whole(learn, tmp_path_factory) -> pathlib.Path:
    """A run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    learn(folder)
    return folder


def test_run_killed_while_saving_ends_like_a_whole_one(learn, whole, tmp_path, capfd):
    folder = tmp_path / "run"
    assert run_until(folder, "SIGKILL:saving:4") == -signal.SIGKILL
    assert learn(folder).is_resumed
    assert "going on with" in "".join(capfd.readouterr())
    assert not any((folder / "checkpoints").glob("*tmp*"))
    assert_same_end(folder, whole)
    # Both have left all their files.
    files = {
        "checkpoints", "config.json", "learning_curve.png", "lock", "metrics.jsonl", "network.npz",
        "record.json", "tensorboard",
    }  # fmt: skip
    assert {path.name for path in whole.iterdir()} == files
    assert {path.name for path in folder.iterdir()} == files
    params, meta = load_network(whole / "network.npz")
    runs.assert_same(params, load_network(whole)[0])
    assert (meta["game"], meta["iteration"]) == ("onitama", ITERATIONS)


def test_the_network_of_a_run_is_read_without_warnings(whole, caplog):
    with caplog.at_level(logging.WARNING, "absl"):  # which a training silences
        load_network(whole)
    assert not caplog.messages


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "changes"),
    [
        ("train.alphazero", []),
        ("train.muzero", ["--network.dynamics-blocks=0", "--learner.unroll=2"]),
    ],
)
def test_run_killed_again_and_again_ends_bit_for_bit_like_a_whole_one(program, changes, tmp_path):
    runs.check_kills(program, [*ARGUMENTS, *changes], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_saves_and_exits_cleanly_and_the_run_goes_on(whole, tmp_path, name):
    folder = tmp_path / "run"
    assert run_until(folder, f"{name}:logged:3") == 0
    assert runs.read(folder)[-1]["iteration"] == 3
    assert load_network(folder)[1]["iteration"] == 3
    assert "at iteration 3" in run(folder)
    assert_same_end(folder, whole)
