"""`python -m train.muzero --game=onitama`: a model of a game is learned from self-play.

Only the command line is read here, before JAX is imported; what is learned, in
`train/alphazero_learner.py`.
"""

import functools

from agents import command_line
from configs import presets
from configs.muzero import MuZeroConfig
from jaxgames.internal import programs
from train import cli

COMMAND = cli.CommandLine(
    programs.command("train.muzero"),
    MuZeroConfig,
    functools.partial(presets.preset, "muzero"),
    functools.partial(presets.games, "muzero"),
    "train.muzero.algorithm:make_program",
    "Learns a model of a game by self-play, and plans with it.",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
