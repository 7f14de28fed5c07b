"""Compiles programs of one game for one target; a process of its own, see `__main__.py`.

The compilers of TPUs and GPUs read their settings from the environment when JAX starts, so one
process serves one target.
"""

import argparse
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from agents import command_line
from benchmarks import measuring
from benchmarks.ahead_of_time import kept, targets


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes one file for each program, at once when it is compiled; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ahead_of_time.worker")
    parser.add_argument("--target", required=True)
    parser.add_argument("--game", required=True)
    parser.add_argument("--preset", required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument(command_line.PLUGIN, action="append", default=[])
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args(arguments)
    if options.target != targets.HERE:
        targets.set_environment(targets.TARGETS[options.target])
    # The cache is off before the first compilation, since JAX looks only once whether it is on.
    with measuring.without_compilation_cache():
        _compile(options)
    return 0


def _compile(options: argparse.Namespace) -> None:
    """Compiles the programs; what fails is the result of a program, or of all programs."""
    try:
        examine = _examiner(options)
    except Exception as error:  # of any type: a plugin, a game or a compiler that does not work
        for name in options.programs:
            _keep(options, name, _refusal(error))
        return
    for name in options.programs:
        print(f"{options.target} {options.game}: {name}", flush=True)
        try:
            found = examine(name)
        except Exception as error:  # of any type: what the compiler refuses is a result
            found = _refusal(error)
        _keep(options, name, found)


def _examiner(options: argparse.Namespace) -> Callable[[str], dict[str, Any]]:
    """Returns the function that compiles a program and describes it."""
    command_line.import_plugins(options.plugin)
    run = options.target == targets.HERE
    devices, chip = _this_machine() if run else _absent(options.target)

    from benchmarks.ahead_of_time.examine import examine
    from benchmarks.ahead_of_time.programs import Programs
    from jaxgames.internal import device_kind

    platform = devices[0].platform if run else targets.TARGETS[options.target].platform
    programs = Programs(options.game, options.preset, devices, options.batch, run)

    def describe(name: str) -> dict[str, Any]:
        with device_kind.assumed(platform):
            return examine(programs.make(name), chip, len(devices), run)

    return describe


def _absent(name: str) -> tuple[list[Any], targets.Chip]:
    """Returns the devices of a target and their constants."""
    target = targets.TARGETS[name]
    return targets.devices(target), target.chip


def _this_machine() -> tuple[list[Any], targets.Chip]:
    from benchmarks.ahead_of_time import this_machine

    return [this_machine.device()], this_machine.chip()


def _refusal(error: Exception) -> dict[str, Any]:
    return {"error": f"{type(error).__name__}: {str(error)[: kept.MOST_LETTERS]}"}


def _keep(options: argparse.Namespace, program: str, found: dict[str, Any]) -> None:
    name = kept.file_name(options.target, options.game, options.preset, options.batch, program)
    kept.write(options.folder / name, found)


if __name__ == "__main__":
    command_line.run(main)
