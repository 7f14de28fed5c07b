"""The quick benchmarks in one command and one report, for a machine that nobody knows yet.

    python -m benchmarks.report

Each part runs in a process of its own, with a time limit. If a part fails or takes too long, the
report has the last lines of its output, the other parts run all the same, and the exit status is 1.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("report")

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jaxgames
from benchmarks import environment
from benchmarks.commands import REPORT_LIMITS, Report
from jaxgames.internal import files, texts

ARGUMENTS = {
    "training": ["--iterations=3"],
    "throughput": ["--repeats=3", "--batches", "1", "64", "4096", "65536", "1048576"],
}
WITH_GAME = ("search", "training", "throughput")
WITH_PEERS = ("search", "throughput")
TAIL = 12  # lines of output shown of a part that failed


class Outcome(NamedTuple):
    """The result of one part, or why it has none."""

    part: str
    seconds: float
    report: str  # its result file, empty if it failed
    numbers: Any  # the content of its JSON file, None if it failed
    failure: str  # why it failed, else empty
    tail: str  # last lines of its output if it failed

    @property
    def summary(self) -> str:
        """Returns one line about the part."""
        return f"{self.part}: {self.failure or 'done'}, {self.seconds:.0f} s"


def measure(options: argparse.Namespace) -> Report:
    """Runs all parts; the exit status is 1 if one of them failed."""
    jaxgames.make(options.game)  # which starts no device: that is left to the parts
    deadline = time.monotonic() + 60 * options.minutes
    outcomes = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in options.parts:
            limit = min(REPORT_LIMITS[part], deadline - time.monotonic())
            outcomes.append(run_part(part, command_of(part, options, folder), folder, limit))
            print(outcomes[-1].summary, file=sys.stderr, flush=True)
    return Report(
        "Report",
        render(outcomes),
        {"parts": [outcome._asdict() for outcome in outcomes]},
        {"game": options.game},
        status=int(any(outcome.failure for outcome in outcomes)),
    )


def command_of(part: str, options: argparse.Namespace, folder: pathlib.Path) -> list[str]:
    """Returns the command line of a part, which writes its result into `folder`."""
    command = [sys.executable, "-m", f"benchmarks.{part}", *ARGUMENTS.get(part, [])]
    if part in WITH_GAME:
        command.append(f"--game={options.game}")
    if options.peers and part in WITH_PEERS:
        command.append("--peers")
    return [*command, f"--output={folder / part}.md"]


def run_part(
    part: str, command: Sequence[str], folder: pathlib.Path, limit_seconds: float
) -> Outcome:
    """Runs one part, and reads the result that it leaves in `folder`."""
    if limit_seconds <= 0:
        return Outcome(part, 0.0, "", None, "not started, the time was used up", "")
    log, result = folder / f"{part}.log", folder / f"{part}.md"
    started = time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        # Into a file: a pipe would stay open as long as a grandchild of a killed part lives.
        try:
            done = subprocess.run(
                command,
                cwd=environment.CHECKOUT,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=limit_seconds,
                check=False,
            )
            failure = f"failed with exit status {done.returncode}" if done.returncode else ""
        except subprocess.TimeoutExpired:
            failure = f"stopped at its limit of {limit_seconds:.0f} s"
    seconds = time.monotonic() - started
    if not failure and not result.is_file():
        failure = "left no result"
    if failure:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return Outcome(part, seconds, "", None, failure, "\n".join(lines[-TAIL:]))
    numbers = files.parse_json(result.with_suffix(".json").read_bytes())
    return Outcome(part, seconds, texts.read(result), numbers, "", "")


def render(outcomes: Sequence[Outcome]) -> list[str]:
    """Returns a line about each part, then their results, one level of headings down."""
    lines = [f"- {outcome.summary}" for outcome in outcomes]
    for outcome in outcomes:
        lines.append("")
        if outcome.failure:
            lines += [f"## {outcome.part}: {outcome.failure}", "", "```", outcome.tail, "```"]
        for line in outcome.report.splitlines():
            lines.append(f"#{line}" if line.startswith("#") else line)
    return lines
