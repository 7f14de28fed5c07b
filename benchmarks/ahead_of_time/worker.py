"""Compiles programs of one game for one target; a process of its own, see `__main__.py`.

The compilers of TPUs and GPUs read their settings from the environment when JAX starts, so one
process serves one target.
"""

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

from agents import command_line
from benchmarks.ahead_of_time import targets
from jaxgames import files


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes one file for each program, at once when it is compiled; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ahead_of_time.worker")
    parser.add_argument("--target", required=True)
    parser.add_argument("--game", required=True)
    parser.add_argument("--preset", required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args(arguments)
    run = options.target == targets.HERE
    try:
        devices, chip = _this_machine() if run else _absent(options.target)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2

    from benchmarks.ahead_of_time.examine import examine
    from benchmarks.ahead_of_time.programs import Programs
    from jaxgames import device_kind

    platform = devices[0].platform if run else targets.TARGETS[options.target].platform
    programs = Programs(options.game, options.preset, devices, options.batch, run)
    for name in options.programs:
        print(f"{options.target} {options.game}: {name}", flush=True)
        try:
            with device_kind.assumed(platform):
                found = examine(programs.make(name), chip, len(devices), run)
        except Exception as error:  # of any type: what the compiler refuses is a result
            found = {"error": f"{type(error).__name__}: {str(error)[:500]}"}
        path = options.folder / file_name(options.target, options.game, options.preset, name)
        files.replace(path, json.dumps(found, indent=1) + "\n")
    return 0


def _absent(name: str) -> tuple[list[Any], targets.Chip]:
    """Returns the devices of a target and their constants; sets what its compiler needs."""
    target = targets.TARGETS[name]
    targets.set_environment(target)
    return targets.devices(target), target.chip


def _this_machine() -> tuple[list[Any], targets.Chip]:
    from benchmarks.ahead_of_time import this_machine

    return [this_machine.device()], this_machine.chip()


def file_name(target: str, game: str, preset: str, program: str) -> str:
    """Returns the name of the file that describes a program."""
    words = "-".join([target.replace(":", "_"), game, preset, program])
    return words.replace(", ", "_").replace(" ", "_") + ".json"


if __name__ == "__main__":
    command_line.run(main)
