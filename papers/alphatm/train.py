"""`python -m papers.alphatm.train`: AlphaZero on the game and with the network of AlphaTM."""

import dataclasses
import sys
from collections.abc import Sequence

import papers.alphatm  # noqa: F401 - adds the network and the preset
from agents import command_line
from train import alphazero

GAME = "terra_mystica_alphatm"


COMMAND = dataclasses.replace(alphazero.COMMAND, name="python -m papers.alphatm.train")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program; takes the options of `python -m train.alphazero`."""
    COMMAND.main([f"--game={GAME}", *(sys.argv[1:] if arguments is None else arguments)])


if __name__ == "__main__":
    command_line.run(main)
