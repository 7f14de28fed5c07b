"""`python -m train.afterstates --game=terra_mystica`: values of afterstates learn by TD(lambda).

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

import functools

from agents import command_line
from configs import presets
from configs.afterstates import AfterstatesConfig
from jaxgames.internal import programs
from jaxgames.players import plugs
from train import cli

COMMAND = cli.CommandLine(
    programs.command("train.afterstates"),
    AfterstatesConfig,
    functools.partial(presets.preset, "afterstates"),
    plugs.games,
    "train.afterstates.run:make_program",
    "Learns the values of afterstates by TD(lambda).",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
