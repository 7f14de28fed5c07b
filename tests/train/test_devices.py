"""Training on many devices of one process, and on two processes, against training on one."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from jaxgames.players.stored_networks import load_network
from tests.locations import CHECKOUT
from tests.quick_compilation import OLDER_FUSIONS, UNSPLIT
from tests.train import runs

PROGRAM = pathlib.Path(__file__).with_name("device_program.py")
TIMEOUT_SECONDS = 600
TINY = [
    "--game=onitama",
    "--preset=cpu",
    "--iterations=2",
    "--network.channels=8",
    "--network.blocks=1",
    "--selfplay.lanes=16",
    "--selfplay.plies=4",
    "--selfplay.simulations=4",
    "--replay.capacity=128",
    "--learner.batch-size=32",
    "--learner.updates=2",
    "--evaluation.games=16",
    "--evaluation.simulations=2",
    "--evaluation.opponents=random",
    "--evaluation.every=2",
]


def start(arguments: list[str], devices: int | None, flags: str = "") -> subprocess.Popen:
    """Starts a process with a number of devices; None: as many as the program chooses."""
    forced = f"--xla_force_host_platform_device_count={devices}" if devices else ""
    flags = " ".join(filter(None, (forced, UNSPLIT, flags)))
    environment = os.environ | {"XLA_FLAGS": flags, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(*processes: subprocess.Popen) -> None:
    """Waits for all; kills all when one does not end, since SIGTERM would not do it."""
    try:
        outputs = [process.communicate(timeout=TIMEOUT_SECONDS)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    for process, output in zip(processes, outputs, strict=True):
        assert process.returncode == 0, output[-4000:]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> pathlib.Path:
    return tmp_path_factory.mktemp("devices")


def results_on(devices: int, folder: pathlib.Path) -> dict[str, np.ndarray]:
    """Returns what `device_program.py` saves in a process with a number of devices."""
    path = folder / f"{devices}.npz"
    finish(start([str(PROGRAM), str(path)], devices, OLDER_FUSIONS))
    found = dict(np.load(path))
    assert found["devices"] == devices
    return found


@pytest.fixture(scope="module")
def one(folder) -> dict[str, np.ndarray]:
    return results_on(1, folder)


@pytest.fixture(scope="module", params=[4, pytest.param(8, marks=pytest.mark.slow)])
def many(folder, request) -> dict[str, np.ndarray]:
    return results_on(request.param, folder)


def parameters(result: dict[str, np.ndarray]) -> list[np.ndarray]:
    return [value for name, value in result.items() if name.startswith("params_")]


def test_gradient_steps_on_many_devices_equal_those_on_one(one, many):
    np.testing.assert_allclose(many["losses"], one["losses"], rtol=1e-5)
    assert one["losses"][-1] < one["losses"][0]
    assert len(parameters(one)) > 10
    for a, b in zip(parameters(one), parameters(many), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_only_the_gradient_step_communicates(one, many):
    assert many["selfplay_collectives"].tolist() == []
    assert many["learn_collectives"].tolist() == ["all-reduce"]
    assert one["learn_collectives"].tolist() == []


def test_selfplay_on_many_devices_repeats_bit_for_bit(many):
    first = [value for name, value in many.items() if name.startswith("first_")]
    second = [value for name, value in many.items() if name.startswith("second_")]
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_each_device_plays_games_of_its_own(many):
    devices = int(many["devices"])
    parts = [
        np.split(value, devices)
        for name, value in many.items()
        if name.startswith("first_") and value.shape[0] % devices == 0
    ]
    for device in range(1, devices):
        assert any((part[0] != part[device]).any() for part in parts)


def test_match_on_many_devices_repeats_and_deals_the_same_games(one, many):
    fields = ("returns", "seats", "plies", "winner")
    for name in fields:
        for agent in ("certain", "random"):
            first, second = (many[f"match_{agent}_{run}_{name}"] for run in ("first", "second"))
            np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(
            one[f"match_certain_first_{name}"], many[f"match_certain_first_{name}"]
        )
    assert len(set(one["match_certain_first_plies"].tolist())) > 1
    lengths = many["match_random_first_plies"]
    np.testing.assert_array_equal(many["match_kept_plies"], lengths)
    assert (lengths != one["match_random_first_plies"]).any()
    assert len({tuple(part) for part in np.split(lengths, int(many["devices"]))}) > 1


@pytest.mark.slow
def test_one_compiled_loop_on_two_devices_learns_what_the_host_learns(tmp_path):
    path = tmp_path / "result.npz"
    finish(start([str(PROGRAM), str(path), "learn_all"], devices=2))
    found = dict(np.load(path))
    assert found["collectives"].tolist() == ["all-reduce"]
    by_host = [name for name in found if name.startswith("host_")]
    assert len(by_host) > 10
    for name in by_host:
        other = found[name.replace("host_", "loop_")]
        np.testing.assert_allclose(other, found[name], rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.fixture(scope="module")
def run_on_eight(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("eight") / "run"
    finish(
        start(
            ["-m", "train.alphazero", *TINY, f"--run-dir={folder}"], devices=8, flags=OLDER_FUSIONS
        )
    )
    return folder


@pytest.mark.slow
def test_training_on_eight_devices_repeats_bit_for_bit(run_on_eight, tmp_path):
    finish(
        start(["-m", "train.alphazero", *TINY, f"--run-dir={tmp_path / 'again'}"], 8, OLDER_FUSIONS)
    )
    assert len(runs.read(run_on_eight)) == 3
    assert runs.read(run_on_eight) == runs.read(tmp_path / "again")
    first, second = load_network(run_on_eight)[0], load_network(tmp_path / "again")[0]
    runs.assert_same(first, second)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["train.alphazero", "train.muzero"])
@pytest.mark.parametrize("game", ["onitama", "murus_gallicus", "terra_mystica", "tribes"])
def test_every_game_trains_on_two_devices(program, game, tmp_path):
    tiny = [option for option in TINY if not option.startswith("--game")]
    tiny += ["--network.blocks=1", "--iterations=1", "--evaluation.every=0"]
    folder = tmp_path / "run"
    command = ["-m", program, f"--game={game}", *tiny, f"--run-dir={folder}"]
    finish(start(command, devices=2, flags=OLDER_FUSIONS))
    assert load_network(folder)[1]["iteration"] == 1


@pytest.mark.slow
def test_run_of_another_number_of_devices_is_refused(run_on_eight):
    arguments = ["-m", "train.alphazero", *TINY, f"--run-dir={run_on_eight}"]
    process = start(arguments, devices=1)
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 2
    assert "devices.count: there 8, asked for 1" in output


@pytest.mark.slow
def test_run_goes_on_with_its_devices_on_a_machine_of_one_core(tmp_path):
    command = ["-m", "train.alphazero", *TINY, f"--run-dir={tmp_path / 'run'}"]
    straight = ["-m", "train.alphazero", *TINY, "--cpu-devices=2"]
    finish(start([*straight, f"--run-dir={tmp_path / 'straight'}"], None, OLDER_FUSIONS))
    finish(start([*command, "--cpu-devices=2", "--iterations=1"], None, OLDER_FUSIONS))
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        finish(start(command, None, OLDER_FUSIONS))
    finally:
        os.sched_setaffinity(0, cores)
    runs_of = [load_network(tmp_path / name)[0] for name in ("run", "straight")]
    runs.assert_same(*runs_of)
    record = json.loads((tmp_path / "run" / "record.json").read_text())
    assert record["run"]["devices.count"] == 2


@pytest.mark.slow
def test_two_processes_train_like_two_devices_of_one_and_stop_together(tmp_path):
    together, alone = tmp_path / "together", tmp_path / "alone"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["-m", "train.alphazero", *TINY, "--iterations=1000", f"--run-dir={together}"]
    command += ["--distributed", f"--cluster.coordinator=127.0.0.1:{port}"]
    command += ["--cluster.num-processes=2"]
    # With two devices each, steps that are dispatched ahead may deadlock on CPU.
    processes = [
        start([*command, f"--cluster.process-id={rank}"], 1, OLDER_FUSIONS) for rank in (0, 1)
    ]
    try:
        wait_for_iterations(2, together, processes)
        processes[1].send_signal(signal.SIGTERM)
        finish(*processes)
    finally:
        for process in processes:
            process.kill()
    finish(start(["-m", "train.alphazero", *TINY, f"--run-dir={alone}"], 2, OLDER_FUSIONS))

    ours, theirs = runs.read(together), runs.read(alone)
    assert [row["iteration"] for row in ours] == list(range(len(ours)))
    for a, b in zip(ours[:3], theirs, strict=True):
        assert a == pytest.approx(b, rel=1e-4)
    assert load_network(together)[1]["iteration"] == ours[-1]["iteration"]
    assert len(json.loads((together / "record.json").read_text())["sessions"]) == 1


def wait_for_iterations(
    iterations: int, folder: pathlib.Path, processes: list[subprocess.Popen]
) -> None:
    path, deadline = folder / "metrics.jsonl", time.monotonic() + TIMEOUT_SECONDS
    while not (path.exists() and path.read_bytes().count(b"\n") > iterations):
        for process in processes:
            assert process.poll() is None, process.communicate()[0][-4000:]
        assert time.monotonic() < deadline
        time.sleep(0.05)
