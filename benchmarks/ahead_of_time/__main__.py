"""Compiles the device programs of the games for TPUs and GPUs that are not there.

    python -m benchmarks.ahead_of_time --target v5e:2x2 h100 --game onitama

Nothing runs: the report says whether each program compiles, how long that takes, how much memory it
needs, what each loop runs and copies, and how fast a simple model expects it to be. With the target
`here` the programs also run on this machine's first device, and the report puts the measured speed
beside the model. What is compiled is kept for the revision of the code, so a stopped command goes
on where it was.
"""

import pathlib
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from agents import command_line
from benchmarks import environment, measuring
from benchmarks.ahead_of_time import report, targets
from benchmarks.ahead_of_time.targets import PROGRAMS
from benchmarks.ahead_of_time.worker import file_name
from configs.training import DEVICE_CLASSES
from jaxgames import files
from jaxgames.messages import unknown


def main(arguments: Sequence[str] | None = None) -> None:
    """Compiles what is missing and writes the record."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        chosen = [targets.check(name) for name in options.target]
        names = [_program(name) for name in options.programs or PROGRAMS]
    from agents.games import registry

    games = options.game or list(registry.games())
    record = environment.record() | {"batch of random play": options.batch}
    folder = options.kept / environment.revision_at_start()
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[report.Row] = []
    for target in chosen:
        for game in games:
            paths = {name: folder / file_name(target, game, options.preset, name) for name in names}
            _compile(target, game, options, paths, folder)
            rows += [
                report.Row(target, game, options.preset, name, _read(path))
                for name, path in paths.items()
            ]
    numbers = {"environment": record, "rows": [row._asdict() for row in rows]}
    measuring.write_result(options.output, report.render(record, rows), numbers)


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
    parser.add_argument("--game", nargs="+", metavar="GAME", help="default: all games")
    parser.add_argument(
        "--programs", nargs="+", metavar="NAME", help=f"of {'; '.join(PROGRAMS)} (default: all)"
    )
    parser.add_argument("--preset", choices=DEVICE_CLASSES, default="accelerator")
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
    if name not in PROGRAMS:
        raise ValueError(unknown("program", name, PROGRAMS))
    return name


def _compile(
    target: str, game: str, options: Any, paths: dict[str, pathlib.Path], folder: pathlib.Path
) -> None:
    """Compiles the programs without a file, in a process of their own."""
    missing = [name for name, path in paths.items() if not path.exists()]
    if not missing:
        return
    command = [sys.executable, "-m", "benchmarks.ahead_of_time.worker", f"--target={target}"]
    command += [f"--game={game}", f"--preset={options.preset}", f"--batch={options.batch}"]
    done = subprocess.run([*command, f"--folder={folder}", *missing], cwd=environment.CHECKOUT)
    if done.returncode:
        sys.exit(done.returncode)


def _read(path: pathlib.Path) -> dict[str, Any]:
    found: dict[str, Any] = files.parse_json(path.read_text())
    return found


if __name__ == "__main__":
    command_line.run(main)
