"""Prints the newest Python that runs here and is of another version than the one that runs this.

Looks for `python3.N` on the path, where it may be a shim that only says that it is not installed,
and for the versions of pyenv. Exit status 1, and nothing printed: there is none.
Usage: `python .ci/second_python.py`.
"""

import os
import pathlib
import shutil
import subprocess
import sys

OLDEST = (3, 11)
_VERSION = "import ensurepip, sys, venv; print(*sys.version_info[:2])"


def candidates() -> list[str]:
    """Returns the paths of interpreters that may run."""
    on_path = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], 30)]
    root = pathlib.Path(os.environ.get("PYENV_ROOT") or _answer(["pyenv", "root"]) or "~/.pyenv")
    in_pyenv = sorted(map(str, root.expanduser().glob("versions/*/bin/python")))
    return [*filter(None, on_path), *in_pyenv]


def version(interpreter: str) -> tuple[int, ...]:
    """Returns the version of an interpreter that can make an environment; nothing if it cannot."""
    return tuple(map(int, _answer([interpreter, "-c", _VERSION]).split()))


def second() -> str | None:
    """Returns the newest interpreter of another version; None if there is none."""
    found = {version(path): path for path in candidates()}
    others = [number for number in found if number >= OLDEST and number != sys.version_info[:2]]
    return found[max(others)] if others else None


def _answer(command: list[str]) -> str:
    """Returns what a command prints; nothing if it does not exist, or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


if __name__ == "__main__":
    interpreter = second()
    if interpreter is None:
        sys.exit(1)
    sys.stdout.write(interpreter + "\n")
