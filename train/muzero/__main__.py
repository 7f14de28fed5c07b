"""`python -m train.muzero --game=onitama`: a model of a game is learned from self-play.

Only the command line is read here, before JAX is imported; what is learned, in
`train/alphazero_learner.py`.
"""

import functools
from typing import TYPE_CHECKING

from agents import command_line
from configs import presets
from configs.muzero import MuZeroConfig
from jaxgames.internal import programs
from train import cli

if TYPE_CHECKING:
    from train.run import Program


def make_program(config: MuZeroConfig) -> "Program":
    """Returns the program with its settings."""
    from train import alphazero_learner
    from train.muzero.algorithm import make_muzero

    return alphazero_learner.make_program(config, make_muzero)


COMMAND = cli.CommandLine(
    programs.command("train.muzero"),
    MuZeroConfig,
    functools.partial(presets.preset, "muzero"),
    functools.partial(presets.games, "muzero"),
    make_program,
    "Learns a model of a game by self-play, and plans with it.",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
