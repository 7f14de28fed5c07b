"""`python -m train.alphazero --game=onitama`: a network teaches itself a game.

Only the command line is read here, before JAX is imported; the loop is in `train/loop.py`.
"""

import sys
from collections.abc import Sequence

from agents import command_line
from train import cli

NOT_FINITE_STATUS = 1


def main(arguments: Sequence[str] | None = None, command: str = cli.ALPHAZERO) -> None:
    """Runs the program, which messages call by `command`; see `--help`."""
    config = cli.parse(sys.argv[1:] if arguments is None else arguments, command)

    from train import loop

    with cli.user_errors(command):
        learning = loop.AlphaZero(config)
    if not learning.run():
        sys.exit(NOT_FINITE_STATUS)


if __name__ == "__main__":
    command_line.run(main)
