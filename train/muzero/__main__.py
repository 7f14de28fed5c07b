"""`python -m train.muzero --game=onitama`: a model of a game is learned from self-play.

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

import functools
import sys
from collections.abc import Sequence

from agents import command_line
from configs import presets
from configs.muzero import MuZeroConfig
from jaxgames.internal import programs
from train import cli

PROGRAM = cli.Program(
    programs.command("train.muzero"),
    MuZeroConfig,
    functools.partial(presets.preset, "muzero"),
    "Learns a model of a game by self-play, and plans with it.",
)
NOT_FINITE_STATUS = 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program; see `--help`. Mistakes end it with a message and exit status 2."""
    config = parse(sys.argv[1:] if arguments is None else arguments)

    from train.muzero.run import MuZeroRun

    with cli.user_errors(PROGRAM.name):
        learning = MuZeroRun(config)
    if not learning.run():
        sys.exit(NOT_FINITE_STATUS)


def parse(arguments: Sequence[str]) -> MuZeroConfig:
    """Returns the run that the command line asks for."""
    return cli.parse_run(PROGRAM, arguments, presets.games("muzero"))


if __name__ == "__main__":
    command_line.run(main)
