"""Compiles the device programs of the games for TPUs and GPUs that are not there.

    python -m benchmarks.ahead_of_time --target v5e:2x2 h100 --game onitama

Nothing runs: the report says whether each program compiles, how long that takes, how much memory it
needs, what each loop runs and copies, and how fast a simple model expects it to be. With the target
`here` the programs also run on this machine's first device, and the report puts the measured speed
beside the model. What a clean revision of the code has compiled is kept, so a stopped command goes
on where it was; what did not compile is tried again. The exit status is 1 if a program does not
compile.
"""

import pathlib
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from agents import command_line
from benchmarks import environment, measuring
from benchmarks.ahead_of_time import kept, report, targets
from benchmarks.ahead_of_time.targets import PROGRAMS, WHERE_ASKED
from benchmarks.ahead_of_time.worker import PROBLEM_STATUS
from configs import presets
from configs.training import DEVICE_CLASSES
from jaxgames.internal import files
from jaxgames.internal.messages import hint

WORKER = [sys.executable, "-m", "benchmarks.ahead_of_time.worker"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compiles what is missing, writes the record and returns the exit status."""
    parser = make_parser()
    options = parser.parse(arguments)
    plugins = command_line.plugins_of(arguments)
    with measuring.user_errors(parser):
        chosen = [targets.check(name) for name in dict.fromkeys(options.target)]
        names = [_program(name) for name in dict.fromkeys(options.programs or PROGRAMS)]
        games = list(dict.fromkeys(options.game or presets.games("alphazero")))
        for game in games:
            presets.preset("alphazero", game, options.preset)  # which refuses unknown ones
        kept.check_root(options.kept)
        record = record_of_machine() | {"batch of random play": options.batch}
        for target in chosen:
            if target != targets.HERE:  # JAX has just started on this machine for the record
                ask(target)
    rows: list[report.Row] = []
    with kept.open_root(options.kept, plugins) as root:
        for target in chosen:
            folder = kept.folder(root, record, target, plugins)
            folder.mkdir(parents=True, exist_ok=True)
            for game in games:
                case = (target, game, options.preset)
                command = [*WORKER, f"--target={target}", f"--game={game}", f"--folder={folder}"]
                command += [f"--preset={options.preset}", f"--batch={options.batch}"]
                command += [f"{command_line.PLUGIN}={plugin}" for plugin in plugins]
                paths = {
                    name: folder / kept.file_name(*case, options.batch, name) for name in names
                }
                found = compile_programs(command, paths)
                rows += [report.Row(*case, name, found[name]) for name in names]
    numbers = {"environment": record, "rows": [row._asdict() for row in rows]}
    measuring.write_result(options.output, report.render(record, rows), numbers)
    return int(any("error" in row.found for row in rows))


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.ahead_of_time",
        "Compiles the programs of games for TPUs and GPUs that are not there.",
    )
    parser.add_argument(
        "--target",
        nargs="+",
        metavar="TARGET",
        default=["v5e", "h100"],
        help=f"of {', '.join(targets.TARGETS)}; or {targets.HERE}: compile for this machine and "
        "measure (default: v5e h100)",
    )
    parser.add_argument(
        "--game", nargs="+", metavar="GAME", help="default: all games with a preset"
    )
    parser.add_argument(
        "--programs",
        nargs="+",
        metavar="NAME",
        help=f"of {_listed(PROGRAMS)} (default: all), {_listed(WHERE_ASKED)}",
    )
    parser.add_argument(
        "--preset",
        metavar="DEVICES",
        default="accelerator",
        help=f"of {', '.join(DEVICE_CLASSES)}: the preset of the trainings (default: %(default)s)",
    )
    parser.add_argument(
        "--batch", type=measuring.positive, default=131_072, help="games of random play, a device"
    )
    parser.add_argument(
        "--kept",
        type=pathlib.Path,
        default=environment.CHECKOUT / ".cache" / "ahead_of_time",
        help="folder for what is compiled (default: %(default)s)",
    )
    measuring.add_output(parser, "ahead_of_time/programs")
    return parser


def _program(name: str) -> str:
    known = (*PROGRAMS, *WHERE_ASKED)
    if name not in known:
        raise ValueError(
            f"unknown program {name!r}; available: {_listed(known)}{hint(name, known)}"
        )
    return name


def _listed(names: Sequence[str]) -> str:
    """Returns names, of which some have commas, as a list of quoted words."""
    return ", ".join(f'"{name}"' for name in names)


def record_of_machine() -> dict[str, Any]:
    """Returns the record of this machine, which another process makes, and of this command.

    Raises:
        ValueError: if JAX does not start on this machine.
    """
    found: dict[str, Any] = files.parse_json(ask(targets.HERE))
    own = {"command": environment.command(), "revision": environment.revision_at_start()}
    return found | own


def ask(target: str) -> str:
    """Returns the last line that a worker prints about a target.

    Raises:
        ValueError: if the compiler of the target is not installed or does not start.
    """
    done = subprocess.run(
        [*WORKER, f"--target={target}"],
        cwd=environment.CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    printed, problem = (
        (text.strip().splitlines() or [""])[-1] for text in (done.stdout, done.stderr)
    )
    if done.returncode == PROBLEM_STATUS and printed:
        raise ValueError(printed)
    if done.returncode:
        reason = f"{_end_of(done.returncode)}; {problem}"
        raise ValueError(f"cannot use the target {target}: its process ended with {reason}")
    return printed


def _end_of(status: int) -> str:
    """Returns how a process ended: its exit status, or the signal that ended it."""
    if status < 0:
        return f"signal {-status} ({signal.strsignal(-status) or 'unknown'})"
    return f"exit status {status}"


def compile_programs(
    command: Sequence[str], paths: Mapping[str, pathlib.Path]
) -> dict[str, dict[str, Any]]:
    """Returns what is found about each program; a worker compiles those without a good result.

    A worker that dies has died of the program at which it was. Another one compiles the rest.

    Args:
        command: the command line of the worker, without names of programs.
        paths: the file of each program.
    """
    found = {name: result for name, result in _results(paths).items() if "error" not in result}
    missing = [name for name in paths if name not in found]
    for name in missing:
        paths[name].unlink(missing_ok=True)
    while missing:
        status = run_worker([*command, *missing])
        found |= _results({name: paths[name] for name in missing})
        missing = [name for name in missing if name not in found]
        if missing:
            end = _end_of(status)
            found[missing.pop(0)] = {"error": f"the compiler ended with {end}"}
    return found


def run_worker(command: Sequence[str]) -> int:
    """Runs a worker to its end and returns its exit status; a signal that ends it is negative."""
    return subprocess.run(command, cwd=environment.CHECKOUT, check=False).returncode


def _results(paths: Mapping[str, pathlib.Path]) -> dict[str, dict[str, Any]]:
    """Returns what the files that exist and are whole say about their programs."""
    found = {name: kept.read(path) for name, path in paths.items() if path.exists()}
    return {name: result for name, result in found.items() if result is not None}


if __name__ == "__main__":
    command_line.run(main)
