"""`python -m train.alphazero --game=onitama`: a network teaches itself a game.

Only the command line is read here, before JAX is imported; what is learned, in
`train/alphazero_learner.py`.
"""

import functools

from agents import command_line
from configs import presets
from configs.alphazero import AlphaZeroConfig
from jaxgames.internal import programs
from train import cli

COMMAND = cli.CommandLine(
    programs.command("train.alphazero"),
    AlphaZeroConfig,
    functools.partial(presets.preset, "alphazero"),
    functools.partial(presets.games, "alphazero"),
    "train.alphazero_learner:make_program",
    "Teaches a network a game by self-play.",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
