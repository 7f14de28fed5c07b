"""`python -m papers.murus_gallicus.evolution --game=murus_gallicus`: weights evolve by playing.

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

import sys
from collections.abc import Sequence

import tyro

from agents import command_line
from papers.murus_gallicus.evolution import presets
from papers.murus_gallicus.evolution.config import EvolutionConfig
from train import cli

PROGRAM = "python -m papers.murus_gallicus.evolution"


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program; see `--help`. Mistakes end it with a message and exit status 2."""
    config = parse(sys.argv[1:] if arguments is None else arguments)
    cli.set_up_logging(is_main_process=True)

    from papers.murus_gallicus.evolution.run import Evolution

    with cli.user_errors(PROGRAM):
        evolution_run = Evolution(config)
    evolution_run.run()


def parse(arguments: Sequence[str]) -> EvolutionConfig:
    """Returns the config of the run; its defaults depend on the parameters that are tuned."""
    arguments = command_line.begin_or_exit(PROGRAM, arguments)
    first = cli.first_options(PROGRAM, arguments, presets.games(), "parameters")
    game, parameters = first["game"] or "", first["parameters"] or "material"
    with cli.user_errors(PROGRAM):
        default = presets.preset(game, parameters)
    config = tyro.cli(
        EvolutionConfig,
        args=list(arguments),
        default=default,
        prog=PROGRAM,
        description="Evolves the parameters of an evaluation by round robins of its versions. The "
        f"defaults shown here are those of --game={game} --parameters={parameters}. "
        f"{command_line.HELP}",
    )
    with cli.user_errors(PROGRAM):
        presets.check_scheme(config)
    return config


if __name__ == "__main__":
    command_line.run(main)
