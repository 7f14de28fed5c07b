"""`python -m train.afterstates --game=terra_mystica`: values of afterstates learn by TD(lambda).

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

import functools
from typing import TYPE_CHECKING

from agents import command_line
from configs import presets
from configs.afterstates import AfterstatesConfig
from jaxgames.internal import programs
from jaxgames.players import plugs
from train import cli

if TYPE_CHECKING:
    from train.run import Program


def make_program(config: AfterstatesConfig) -> "Program":
    """Returns the program with its settings."""
    from train.afterstates import run

    return run.make_program(config)


COMMAND = cli.CommandLine(
    programs.command("train.afterstates"),
    AfterstatesConfig,
    functools.partial(presets.preset, "afterstates"),
    plugs.games,
    make_program,
    "Learns the values of afterstates by TD(lambda).",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
