"""`python -m papers.onitama_report.train --game=onitama_report`: the report's actors learn to play.

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

from typing import TYPE_CHECKING

from agents import command_line
from papers.onitama_report.config import DdpgConfig, games, preset
from train import cli

if TYPE_CHECKING:
    from train.run import Program


def make_program(config: DdpgConfig) -> "Program":
    """Returns the program with its settings."""
    from papers.onitama_report.ddpg.run import Ddpg

    return Ddpg(config)


COMMAND = cli.CommandLine(
    "python -m papers.onitama_report.train",
    DdpgConfig,
    preset,
    games,
    make_program,
    "Trains the Onitama report's actors by DDPG against an opponent that grows stronger.",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
