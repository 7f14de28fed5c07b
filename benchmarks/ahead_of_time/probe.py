"""What is asked of a target before any program is compiled, in a process of its own.

The process that starts a backend holds the chip, or most of its memory, until it ends. So the
command itself starts none, and asks such a process what this machine has and whether the compiler
of a target is installed.
"""

import argparse
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from agents import command_line
from benchmarks import environment
from benchmarks.ahead_of_time import targets
from jaxgames.internal import files

COMMAND = [sys.executable, "-m", "benchmarks.ahead_of_time.probe"]
PROBLEM_STATUS = 2  # of a process whose last line of output says what is wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the record of this machine as JSON, or tries the compiler of a target."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ahead_of_time.probe")
    parser.add_argument("target", choices=[*targets.TARGETS, targets.HERE])
    name = parser.parse_args(arguments).target
    try:
        if name == targets.HERE:
            print(json.dumps(environment.record()))
        else:
            targets.set_environment(targets.TARGETS[name])
            targets.devices(targets.TARGETS[name])
    except (ValueError, RuntimeError) as error:  # the second: a backend that does not start
        print(" ".join(str(error).split()))
        return PROBLEM_STATUS
    return 0


def record() -> dict[str, Any]:
    """Returns the record of this machine and of the command that runs.

    Raises:
        ValueError: if JAX does not start on this machine.
    """
    found: dict[str, Any] = files.parse_json(_ask(targets.HERE))
    own = {"command": environment.command(), "revision": environment.revision_at_start()}
    return found | own


def check(target: str) -> None:
    """Checks that the compiler of a target is installed.

    Raises:
        ValueError: if it is not.
    """
    _ask(target)


def _ask(target: str) -> str:
    """Returns the last line that the process for a target prints."""
    done = subprocess.run(
        [*COMMAND, target], cwd=environment.CHECKOUT, capture_output=True, text=True, check=False
    )
    printed = _last_line(done.stdout)
    if done.returncode == PROBLEM_STATUS and printed:
        raise ValueError(printed)
    if done.returncode:
        reason = f"{end_of(done.returncode)}; {_last_line(done.stderr)}"
        raise ValueError(f"cannot use the target {target}: its process ended with {reason}")
    return printed


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def end_of(status: int) -> str:
    """Returns how a process ended: its exit status, or the signal that ended it."""
    if status < 0:
        return f"signal {-status} ({signal.strsignal(-status) or 'unknown'})"
    return f"exit status {status}"


if __name__ == "__main__":
    command_line.run(main)
