"""The check on a second Python finds one that runs, wherever it is, and passes shims by."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.locations import CHECKOUT

SCRIPT = CHECKOUT / ".ci" / "second_python.py"


def found(tmp_path: pathlib.Path) -> str:
    """Returns what the script prints, with interpreters in `path/` and in pyenv's `pyenv/`."""
    environment = os.environ | {
        "PATH": str(tmp_path / "path"),
        "PYENV_ROOT": str(tmp_path / "pyenv"),
    }
    command = [sys.executable, str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == (0 if done.stdout else 1), done.stderr
    return done.stdout.strip()


def write(path: pathlib.Path, script: str) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def shim(tmp_path):
    return write(tmp_path / "path" / "python3.20", "echo not installed >&2; exit 127")


def test_none_where_only_a_shim_and_the_same_version_are(tmp_path, shim):
    assert found(tmp_path) == ""
    same = "{}.{}".format(*sys.version_info[:2])
    write(tmp_path / "pyenv" / "versions" / same / "bin" / "python", f'exec {sys.executable} "$@"')
    assert found(tmp_path) == ""


def test_newest_that_runs_is_found_on_the_path_and_in_pyenv(tmp_path, shim):
    on_path = write(tmp_path / "path" / "python3.18", "echo 3 18")
    assert found(tmp_path) == str(on_path)
    in_pyenv = write(tmp_path / "pyenv" / "versions" / "3.19.1" / "bin" / "python", "echo 3 19")
    write(tmp_path / "pyenv" / "versions" / "3.9.1" / "bin" / "python", "echo 3 9")
    assert found(tmp_path) == str(in_pyenv)
