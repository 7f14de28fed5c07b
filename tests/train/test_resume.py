"""Runs that are really killed end like runs that were never interrupted."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from types import MappingProxyType

import jax
import numpy as np
import pytest

from jaxgames.players.stored_networks import load_network
from tests.locations import CHECKOUT
from tests.train import runs

TIMEOUT_SECONDS = 600
ITERATIONS = 12
COMMAND = [
    sys.executable,
    "-m",
    "train.alphazero",
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


def start(
    folder: pathlib.Path, *arguments: str, variables: Mapping[str, str] = MappingProxyType({})
) -> subprocess.Popen:
    return subprocess.Popen(
        [*COMMAND, f"--run-dir={folder}", *arguments],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(folder: pathlib.Path, *arguments: str) -> str:
    """Trains to the end; returns what was printed."""
    process = start(folder, *arguments)
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 0, output[-4000:]
    return output


def run_until(folder: pathlib.Path, moment: str) -> int:
    """Trains until the program sends itself a signal; returns the status of the process.

    The moment is one of `signal_plugin`, such as `SIGKILL:logged:3`.
    """
    process = start(folder, "--plugin=tests.train.signal_plugin", variables={"SIGNAL_AT": moment})
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert "Traceback" not in output, output[-4000:]
    return process.returncode


def assert_same_end(folder: pathlib.Path, whole: pathlib.Path) -> None:
    found, wanted = runs.read(folder), runs.read(whole)
    assert [row["iteration"] for row in found] == list(range(ITERATIONS + 1))
    assert found == wanted
    (params, meta), (whole_params, whole_meta) = load_network(folder), load_network(whole)
    assert meta["iteration"] == whole_meta["iteration"] == ITERATIONS
    jax.tree.map(np.testing.assert_array_equal, params, whole_params)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> pathlib.Path:
    """A run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(folder)
    return folder


def test_uninterrupted_run_leaves_all_its_files(whole):
    names = {path.name for path in whole.iterdir()}
    assert names == {
        "checkpoints", "config.json", "learning_curve.png", "lock", "metrics.jsonl", "network.npz",
        "record.json", "tensorboard",
    }  # fmt: skip
    params, meta = load_network(whole / "network.npz")
    jax.tree.map(np.testing.assert_array_equal, params, load_network(whole)[0])
    assert (meta["game"], meta["iteration"]) == ("onitama", ITERATIONS)


def test_run_killed_while_saving_and_then_told_to_stop_ends_like_a_whole_one(whole, tmp_path):
    folder = tmp_path / "run"
    assert run_until(folder, "SIGKILL:saving:4") == -signal.SIGKILL
    assert run_until(folder, "SIGTERM:logged:7") == 0
    assert runs.read(folder)[-1]["iteration"] == 7
    assert load_network(folder)[1]["iteration"] == 7
    output = run(folder)
    assert "going on with" in output and "at iteration 7" in output
    assert not any((folder / "checkpoints").glob("*tmp*"))
    assert_same_end(folder, whole)


@pytest.mark.slow
def test_run_killed_again_and_again_ends_bit_for_bit_like_a_whole_one(whole, tmp_path):
    folder = tmp_path / "run"
    # Before the first checkpoint, while one is written, and between two of them.
    for moment in ("logged:1", "saving:4", "logged:7"):
        assert run_until(folder, f"SIGKILL:{moment}") == -signal.SIGKILL
    output = run(folder)
    assert "going on with" in output
    assert not any((folder / "checkpoints").glob("*tmp*"))
    assert_same_end(folder, whole)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_saves_and_exits_cleanly_and_the_run_goes_on(whole, tmp_path, name):
    folder = tmp_path / "run"
    assert run_until(folder, f"{name}:logged:3") == 0
    assert runs.read(folder)[-1]["iteration"] == 3
    assert load_network(folder)[1]["iteration"] == 3
    assert "at iteration 3" in run(folder)
    assert_same_end(folder, whole)


def test_finished_run_has_nothing_left_to_do(whole, tmp_path):
    folder = pathlib.Path(shutil.copytree(whole, tmp_path / "run"))
    run(folder)
    for name in ("metrics.jsonl", "network.npz"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


def test_folder_of_another_run_is_refused_and_left_as_it_is(whole):
    before = (whole / "record.json").read_bytes()
    process = start(whole, "--seed=1", "--network.blocks=2")
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 2
    assert "seed: there 0, asked for 1" in output
    assert "network.blocks: there 1, asked for 2" in output
    assert (whole / "record.json").read_bytes() == before
