"""The quick benchmarks in one command and one report, for a machine that nobody knows yet.

    python -m benchmarks.report

Each part runs in a process of its own, with a time limit. If a part fails or takes too long, the
report has the last lines of its output, the other parts run all the same, and the exit status is 1.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring

# Time limit of each part in seconds, in their order: together just under 8 minutes.
LIMITS = {"compile_time": 60, "search": 120, "training": 150, "throughput": 140}
ARGUMENTS = {
    "training": ["--iterations=3"],
    "throughput": ["--repeats=3", "--batches", "1", "64", "4096", "65536", "1048576"],
}
WITH_GAME = ("search", "training", "throughput")
WITH_PEERS = ("search", "throughput")
MINUTES = 8
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all parts, writes the report and returns the exit status."""
    parser = make_parser()
    options = parser.parse(arguments)
    import jaxgames

    with measuring.user_errors(parser):
        jaxgames.make(options.game)  # which starts no device: that is left to the parts
    deadline = time.monotonic() + 60 * options.minutes
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts:
            limit = min(LIMITS[part], deadline - time.monotonic())
            command = command_of(part, options, pathlib.Path(folder))
            outcomes.append(run_part(part, command, pathlib.Path(folder), limit))
            print(outcomes[-1].summary, file=sys.stderr, flush=True)
    record = environment.record() | {"game": options.game}
    numbers = {"environment": record, "parts": [outcome._asdict() for outcome in outcomes]}
    measuring.write_result(options.output, render(record, outcomes), numbers)
    return int(any(outcome.failure for outcome in outcomes))


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.report",
        description="Runs several benchmarks and writes one report.",
    )
    parser.add_argument("--game", default="onitama", help="id of a game (default: %(default)s)")
    parser.add_argument(
        "--parts", nargs="+", choices=LIMITS, default=list(LIMITS), help="default: all"
    )
    parser.add_argument(
        "--minutes",
        type=measuring.positive,
        default=MINUTES,
        help="limit of all parts together (default: %(default)s)",
    )
    parser.add_argument(
        "--peers", action="store_true", help="compare with games of pgx, where a part does"
    )
    measuring.add_output(parser, "speed/report")
    return parser


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
    log = folder / f"{part}.log"
    result = folder / f"{part}.md"
    started = time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        # Into a file: a pipe would stay open as long as a grandchild of a killed part lives.
        try:
            status = subprocess.run(
                command,
                cwd=environment.CHECKOUT,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=limit_seconds,
                check=False,
            ).returncode
            failure = f"failed with exit status {status}" if status else ""
        except subprocess.TimeoutExpired:
            failure = f"stopped at its limit of {limit_seconds:.0f} s"
    seconds = time.monotonic() - started
    if not failure and not result.is_file():
        failure = "left no result"
    if failure:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return Outcome(part, seconds, "", None, failure, "\n".join(lines[-TAIL:]))
    numbers = json.loads(result.with_suffix(".json").read_text(encoding="utf-8"))
    return Outcome(part, seconds, result.read_text(encoding="utf-8"), numbers, "", "")


def render(record: Mapping[str, Any], outcomes: Sequence[Outcome]) -> str:
    """Returns the report: a line about each part, then their results."""
    lines = [f"- {outcome.summary}" for outcome in outcomes]
    for outcome in outcomes:
        lines.append("")
        if outcome.failure:
            lines += [f"## {outcome.part}: {outcome.failure}", "", "```", outcome.tail, "```"]
        else:
            lines += [_one_level_down(line) for line in outcome.report.splitlines()]
    return measuring.page("Report", record, lines)


def _one_level_down(line: str) -> str:
    return f"#{line}" if line.startswith("#") else line


if __name__ == "__main__":
    command_line.run(main)
