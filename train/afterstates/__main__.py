"""`python -m train.afterstates --game=terra_mystica`: values of afterstates learn by TD(lambda).

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

import functools
import sys
from collections.abc import Sequence

from agents import command_line
from configs import presets
from configs.afterstates import AfterstatesConfig
from jaxgames.internal import programs
from jaxgames.players import plugs
from train import cli

PROGRAM = cli.Program(
    programs.command("train.afterstates"),
    AfterstatesConfig,
    functools.partial(presets.preset, "afterstates"),
    "Learns the values of afterstates by TD(lambda).",
)
NOT_FINITE_STATUS = 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program; see `--help`. Mistakes end it with a message and exit status 2."""
    config = parse(sys.argv[1:] if arguments is None else arguments)

    from train.afterstates.run import Afterstates

    with cli.user_errors(PROGRAM.name):
        learning = Afterstates(config)
    if not learning.run():
        sys.exit(NOT_FINITE_STATUS)


def parse(arguments: Sequence[str]) -> AfterstatesConfig:
    """Returns the run that the command line asks for."""
    return cli.parse_run(PROGRAM, arguments, plugs.games())


if __name__ == "__main__":
    command_line.run(main)
