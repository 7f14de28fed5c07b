"""`python -m train.alphazero --game=onitama`: a network teaches itself a game.

Only the command line is read here, before JAX is imported; what is learned, in
`train/alphazero_learner.py`.
"""

import functools
from typing import TYPE_CHECKING

from agents import command_line
from configs import presets
from configs.alphazero import AlphaZeroConfig
from jaxgames.internal import programs
from train import cli

if TYPE_CHECKING:
    from train.run import Program


def make_program(config: AlphaZeroConfig) -> "Program":
    """Returns the program with its settings."""
    from train import alphazero_learner

    return alphazero_learner.make_program(config)


COMMAND = cli.CommandLine(
    programs.command("train.alphazero"),
    AlphaZeroConfig,
    functools.partial(presets.preset, "alphazero"),
    functools.partial(presets.games, "alphazero"),
    make_program,
    "Teaches a network a game by self-play.",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
