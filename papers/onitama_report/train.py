"""`python -m papers.onitama_report.train --game=onitama_report`: the report's actors learn to play.

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

from agents import command_line
from papers.onitama_report.config import DdpgConfig, games, preset
from train import cli

COMMAND = cli.CommandLine(
    "python -m papers.onitama_report.train",
    DdpgConfig,
    preset,
    games,
    "papers.onitama_report.ddpg.run:Ddpg",
    "Trains the Onitama report's actors by DDPG against an opponent that grows stronger.",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
