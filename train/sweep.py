"""`--sweep FILE`: trains with every combination of the values that a file lists.

Each run is the usual command in a process of its own, with a folder of its own. So the same sweep,
started again, goes on: runs that are finished are left alone. Nothing here uses a device.
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from agents import command_line
from train import cli, run_record, sweep_results
from train.signals import StopRequest
from train.sweep_plan import PlannedRun, Sweep, plan

_SECONDS_BETWEEN_LOOKS = 0.2
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_NOT_FOR_SBATCH = re.compile(r"[\\\n\r]")


def main(program: cli.CommandLine[Any], arguments: Sequence[str]) -> int:
    """Trains, then writes a table and curves; returns the exit status, 1 if a run failed.

    Mistakes end the process with a message and status 2.
    """
    parser = argparse.ArgumentParser(program.name, add_help=False, allow_abbrev=False)
    parser.add_argument(cli.SWEEP, required=True)
    parser.add_argument("--run-dir")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--slurm", action="store_true")
    own, options = parser.parse_known_args(list(arguments))
    with cli.user_errors(program.name):
        sweep = plan(program, command_line.begin(options), own.sweep, own.run_dir)
        shares = _shares(own.jobs)
        command = [*_command(program.name), *options]
        script = slurm_script(sweep, command) if own.slurm else None
        sweep.write_settings()
    if script is not None:
        print(script)
        return 0
    is_well = _Runner(sweep, command, shares).run()
    with cli.user_errors(program.name):
        print(sweep_results.write(sweep))
    return 0 if is_well else cli.NOT_FINITE_STATUS


def _command(name: str) -> list[str]:
    """Returns the command of a program, run by this Python."""
    words = name.split()
    return [sys.executable, *(words[1:] if words[0] == "python" else ["-m", *words])]


def _shares(jobs: int) -> list[str | None]:
    """Returns the devices of each process that works side by side with others.

    One process alone has all devices. Several share the cores of a CPU, and divide the GPUs.

    Raises:
        ValueError: for no process, or more than there are GPUs.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}")
    gpus = _gpus()
    if jobs == 1 or not gpus:
        return [None] * jobs
    if jobs > len(gpus):
        raise ValueError(f"jobs must be at most {len(gpus)}, one for each GPU, got {jobs}")
    return [",".join(gpus[first::jobs]) for first in range(jobs)]


def _gpus() -> list[str]:
    """Returns the names of NVIDIA's GPUs that JAX would use, found without starting them."""
    platforms = (os.environ.get("JAX_PLATFORMS") or "cuda").split(",")
    if not {"cuda", "gpu"} & set(platforms):
        return []
    if _VISIBLE in os.environ:
        return [name for name in os.environ[_VISIBLE].split(",") if name]
    nodes = pathlib.Path("/dev").glob("nvidia[0-9]*")
    return sorted((node.name.removeprefix("nvidia") for node in nodes), key=int)


class _Active(NamedTuple):
    run: PlannedRun
    share: str | None
    process: subprocess.Popen[bytes]


class _Runner:
    """The processes of a sweep."""

    def __init__(self, sweep: Sweep, command: Sequence[str], shares: Sequence[str | None]):
        self._sweep, self._command = sweep, command
        self._free = list(shares)
        self._prints = len(shares) == 1  # several would mix their lines
        self._waiting = [run for run in sweep.runs if not run_record.is_finished(run.config)]
        self._active: list[_Active] = []
        self._failed: list[str] = []

    def run(self) -> bool:
        """Runs all that are not finished; a signal ends them with checkpoints.

        Returns whether none failed and nothing is left to do.
        """
        runs = len(self._sweep.runs)
        self._say(f"{runs - len(self._waiting)} of {runs} runs are finished")
        is_told = says_why = False
        with StopRequest() as stop:
            try:
                while self._active or (self._waiting and not stop.requested):
                    if not stop.requested:
                        self._start()
                        if not self._active and not says_why:
                            self._say("other processes work on all others; waiting for them")
                            says_why = True
                    elif not is_told:
                        self._end_all()
                        is_told = True
                    time.sleep(_SECONDS_BETWEEN_LOOKS)
                    self._collect(stop)
            finally:
                self._end_all()
        if self._waiting:
            self._say(f"stopped; the same command goes on with {len(self._waiting)} runs")
        return not self._failed and not self._waiting

    def _start(self) -> None:
        """Starts runs while there is room; those come later on which another process works."""
        for run in list(self._waiting):
            if not self._free:
                return
            if run_record.is_locked(run.config.directory):
                continue
            self._waiting.remove(run)
            share = self._free.pop(0)
            self._say(f"{run.name} begins")
            self._active.append(_Active(run, share, self._process(run, share)))

    def _process(self, run: PlannedRun, share: str | None) -> subprocess.Popen[bytes]:
        command = [*self._command, *self._sweep.options(run.name)]
        variables = dict(os.environ) if share is None else os.environ | {_VISIBLE: share}
        if self._prints:
            return subprocess.Popen(command, env=variables)
        with (self._sweep.folder / f"{run.name}.log").open("ab") as log:
            return subprocess.Popen(command, env=variables, stdout=log, stderr=log)

    def _collect(self, stop: StopRequest) -> None:
        """Takes note of the processes that have ended."""
        for active in list(self._active):
            status = active.process.poll()
            if status is None:
                continue
            self._active.remove(active)
            self._free.append(active.share)
            name = active.run.name
            if status != 0 and run_record.is_locked(active.run.config.directory):
                self._waiting.append(active.run)  # another process was quicker
            elif stop.requested and not run_record.is_finished(active.run.config):
                self._waiting.append(active.run)
            elif status != 0:
                self._failed.append(name)
                self._say(f"{name} FAILED with status {status}")
            else:
                self._say(f"{name} is finished")

    def _end_all(self) -> None:
        for active in self._active:
            active.process.terminate()

    @staticmethod
    def _say(text: str) -> None:
        print(f"sweep: {text}", file=sys.stderr, flush=True)


def slurm_script(sweep: Sweep, command: Sequence[str]) -> str:
    """Returns an array job that trains each run of a sweep in a task; for `sbatch`.

    Raises:
        ValueError: if the folder has a line break in its path, or a backslash, for which `sbatch`
            would not put the number of the task into the names of log files.
    """
    path = str(sweep.folder)
    if refused := _NOT_FOR_SBATCH.search(path):
        raise ValueError(
            f"--slurm: sbatch cannot take {refused.group()!r} in the folder {path!r}; choose "
            "another --run-dir"
        )
    names = "\n  ".join(shlex.quote(run.name) for run in sweep.runs)
    logs = f"{path.replace('%', '%%')}/%a.log"  # `%a` is the number of the task
    return f"""#!/bin/bash
#SBATCH --job-name={_quoted(sweep.folder.name)}
#SBATCH --array=0-{len(sweep.runs) - 1}
#SBATCH --output={_quoted(logs)}
#SBATCH --signal=B:TERM@300
#SBATCH --requeue
runs=(
  {names}
)
run={shlex.quote(path)}/${{runs[$SLURM_ARRAY_TASK_ID]}}
cd {shlex.quote(os.getcwd())}
exec {shlex.join(command)} {cli.CONFIG}="$run.json" --run-dir="$run\""""


def _quoted(text: str) -> str:
    """Returns a text as the value of a directive: outside of quotes `#` begins a comment."""
    return '"' + text.replace('"', r"\"") + '"'
