"""Replays golden data: `python -m benchmarks.golden --game=onitama [--path=DIR]`.

Exit status: 0 no difference, 1 some record differs from the game, 2 the input cannot be used.
Records that were not compared are counted as not checked, never as equal.
"""

import argparse
import logging
import pathlib
import sys
from collections.abc import Sequence

from agents import command_line
from benchmarks.golden.core import runner
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import Status

EQUAL, DIFFERENT, BAD_INPUT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Checks one directory, prints a report for each file, and returns the exit status."""
    args = _parser().parse_args(
        command_line.begin_or_exit("python -m benchmarks.golden", arguments)
    )
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    logging.getLogger("benchmarks.golden").setLevel(logging.INFO)
    try:
        path = args.path or runner.shared_directory(args.game)
        settings = CheckSettings(
            deep=args.deep, max_depth=args.max_depth, names=tuple(args.records)
        )
        has_difference, compares = False, False
        for report in runner.check_directory(args.game, path, settings, args.files):
            print("\n".join(report.lines(args.differences)), flush=True)
            has_difference |= report.has_difference
            compares |= report.count(Status.EQUAL) > 0
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    if not (has_difference or compares):
        print(f"error: nothing in {path} could be compared", file=sys.stderr)
        return BAD_INPUT
    return DIFFERENT if has_difference else EQUAL


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        epilog=command_line.HELP,
        prog="python -m benchmarks.golden",
        description="Compares a game with golden data.",
    )
    parser.add_argument("--game", required=True, help=f"one of {', '.join(runner.FOLDERS)}")
    parser.add_argument(
        "--path",
        type=pathlib.Path,
        help="directory of the records; by default the folder of the game in the directory that "
        f"the environment variable {runner.VARIABLE} names, else in ../shared/golden",
    )
    parser.add_argument(
        "--files", nargs="+", default=(), metavar="NAME", help="check these files only"
    )
    parser.add_argument(
        "--records",
        nargs="+",
        default=(),
        metavar="NAME",
        help="check these records only, in files whose records have names: games of terra_mystica "
        "and tribes",
    )
    parser.add_argument(
        "--differences",
        type=int,
        default=1,
        metavar="COUNT",
        help="number of differing records that are described for each file (default: 1)",
    )
    parser.add_argument(
        "--deep",
        action="store_true",
        help="add checks that take minutes: onitama solves all endgames with at most one student a "
        "side, for each card set in the data",
    )
    parser.add_argument(
        "--max-depth",
        type=int,
        metavar="PLIES",
        help="count move sequences to this depth only; deeper counts are then not checked",
    )
    return parser


if __name__ == "__main__":
    command_line.run(main)
