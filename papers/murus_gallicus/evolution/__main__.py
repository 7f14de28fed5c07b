"""`python -m papers.murus_gallicus.evolution --game=murus_gallicus`: weights evolve by playing.

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

from agents import command_line
from papers.murus_gallicus.evolution.config import EvolutionConfig, games, preset
from train import cli

COMMAND = cli.CommandLine(
    "python -m papers.murus_gallicus.evolution",
    EvolutionConfig,
    preset,
    games,
    "papers.murus_gallicus.evolution.run:Evolution",
    "Evolves the parameters of an evaluation by round robins of its versions.",
    based_on="parameters",
)
main, parse = COMMAND.main, COMMAND.parse


if __name__ == "__main__":
    command_line.run(main)
