"""What the tests of all training programs share."""

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jax
import numpy as np
import pytest

from tests.locations import CHECKOUT
from train import metrics
from train.run import TrainingRun

TIMEOUT_SECONDS = 600
NOTHING: Mapping[str, str] = MappingProxyType({})


def read(folder: str | pathlib.Path) -> list[dict[str, float]]:
    """Returns the metrics of a run without its times."""
    rows = metrics.read_metrics(pathlib.Path(folder) / metrics.FILE_NAME)
    return [{k: v for k, v in row.items() if not k.startswith("time/")} for row in rows]


def learn(make_program: Callable[[Any], Any], config: Any) -> TrainingRun:
    """Makes a program and runs it to its end."""
    training = TrainingRun(make_program(config), config)
    assert training.run()
    return training


def assert_same(found: Any, wanted: Any) -> None:
    """Checks that two trees of arrays are equal bit for bit."""
    jax.tree.map(np.testing.assert_array_equal, found, wanted)


def assert_same_file(found: pathlib.Path, wanted: pathlib.Path) -> None:
    """Checks that two files of networks hold the same parameters."""
    with np.load(found) as one, np.load(wanted) as other:
        assert one.files == other.files
        for name in set(one.files) - {"meta"}:
            np.testing.assert_array_equal(one[name], other[name])


def message(main: Callable[[list[str]], Any], arguments: list[str], capsys: Any) -> str:
    """Returns what a wrong command line prints, in one line without frames."""
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    return " ".join(capsys.readouterr().err.replace("│", " ").split())


def start(
    module: str, arguments: Sequence[str], variables: Mapping[str, str] = NOTHING
) -> subprocess.Popen:
    """Starts a program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(module: str, arguments: Sequence[str], status: int = 0) -> str:
    """Runs a program in a process of its own, to its end; returns what it printed."""
    process = start(module, arguments)
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == status, output[-4000:]
    return output


def run_until(module: str, arguments: Sequence[str], moment: str) -> int:
    """Runs a program until it sends itself a signal; returns the status of the process.

    The moment is one of `signal_plugin`, such as `SIGKILL:logged:3`.
    """
    plugin = "--plugin=tests.train.signal_plugin"
    process = start(module, [*arguments, plugin], {"SIGNAL_AT": moment})
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert "Traceback" not in output, output[-4000:]
    return process.returncode


def check_kills(module: str, arguments: Sequence[str], folder: pathlib.Path) -> None:
    """Kills a run again and again: it ends bit for bit like one that nothing interrupted.

    The moments are before the first checkpoint, while one is written, and between two of them.
    """
    whole, parts = ([*arguments, f"--run-dir={folder / name}"] for name in ("whole", "parts"))
    run(module, whole)
    for moment in ("logged:1", "saving:4", "logged:7"):
        assert run_until(module, parts, f"SIGKILL:{moment}") == -signal.SIGKILL
    assert "going on with" in run(module, parts)
    assert not any((folder / "parts" / "checkpoints").glob("*tmp*"))
    assert read(folder / "parts") == read(folder / "whole")
    for path in [*(folder / "whole").glob("*.npz"), *(folder / "whole").glob("actors/*.npz")]:
        assert_same_file(folder / "parts" / path.relative_to(folder / "whole"), path)


NO_JAX = """
import importlib, sys
def answers(program, *arguments):
    try: importlib.import_module(program).parse(arguments)
    except SystemExit as stop: return stop.code
assert answers(sys.argv[1], "--help") == 0
assert answers(*sys.argv[1:]) == 2
assert "jax" not in sys.modules
"""


def check_that_parsing_needs_no_jax(program: str, *mistake: str) -> None:
    """Asks a program for help, then makes a mistake: both are answered without JAX."""
    command = [sys.executable, "-c", NO_JAX, program, *mistake]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
