"""Compiles programs of one game for one target; a process of its own, see `__main__.py`.

The compilers of TPUs and GPUs read their settings from the environment when JAX starts, so one
process serves one target. The process that starts a backend holds the chip, or most of its memory,
until it ends. So the command itself starts none. Without a game, the worker prints the record of
this machine as JSON, or tries the compiler of a target.
"""

import argparse
import json
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from agents import command_line
from benchmarks import environment, measuring
from benchmarks.ahead_of_time import kept, targets

PROBLEM_STATUS = 2  # of a process whose last line of output says what is wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes one file for each program, at once when it is compiled; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ahead_of_time.worker")
    parser.add_argument("--target", required=True, choices=[*targets.TARGETS, targets.HERE])
    parser.add_argument("--game")
    parser.add_argument("--preset")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument(command_line.PLUGIN, action="append", default=[])
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args(arguments)
    if options.game is None:
        return _try(options.target)
    if options.target != targets.HERE:
        targets.set_environment(targets.TARGETS[options.target])
    # The cache is off before the first compilation, since JAX looks only once whether it is on.
    with measuring.without_compilation_cache():
        _compile(options)
    return 0


def _try(name: str) -> int:
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


def _compile(options: argparse.Namespace) -> None:
    """Compiles the programs; what fails is the result of a program, or of all programs."""
    examine: Callable[[str], dict[str, Any]] | None = None
    for name in options.programs:
        print(f"{options.target} {options.game}: {name}", flush=True)
        try:
            examine = examine or _examiner(options)
            found = examine(name)
        except Exception as error:  # of any type: a plugin, a game or a compiler that does not work
            found = {"error": f"{type(error).__name__}: {str(error)[: kept.MOST_LETTERS]}"}
        case = options.target, options.game, options.preset, options.batch, name
        kept.write(options.folder / kept.file_name(*case), found)


def _examiner(options: argparse.Namespace) -> Callable[[str], dict[str, Any]]:
    """Returns the function that compiles a program and describes it."""
    command_line.import_plugins(options.plugin)
    # After the settings of the target, since these modules start JAX.
    from benchmarks.ahead_of_time import this_machine
    from benchmarks.ahead_of_time.examine import examine
    from benchmarks.ahead_of_time.programs import Programs
    from jaxgames.internal import device_kind

    run = options.target == targets.HERE
    if run:
        devices, chip = [this_machine.device()], this_machine.chip()
        platform = devices[0].platform
    else:
        target = targets.TARGETS[options.target]
        devices, chip, platform = targets.devices(target), target.chip, target.platform
    programs = Programs(options.game, options.preset, devices, options.batch, run)

    def describe(name: str) -> dict[str, Any]:
        with device_kind.assumed(platform):
            return examine(programs.make(name), chip, len(devices), run)

    return describe


if __name__ == "__main__":
    command_line.run(main)
