"""`python -m papers.onitama_report.train --game=onitama_report`: the report's actors learn to play.

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

import sys
from collections.abc import Sequence

from agents import command_line
from papers.onitama_report.config import DdpgConfig, games, preset
from train import cli

PROGRAM = cli.Program(
    "python -m papers.onitama_report.train",
    DdpgConfig,
    preset,
    "Trains the Onitama report's actors by DDPG against an opponent that grows stronger.",
)
NOT_FINITE_STATUS = 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program; see `--help`. Mistakes end it with a message and exit status 2."""
    config = parse(sys.argv[1:] if arguments is None else arguments)
    cli.set_up_logging(is_main_process=True)

    from papers.onitama_report.ddpg.run import Ddpg

    with cli.user_errors(PROGRAM.name):
        learning = Ddpg(config)
    if not learning.run():
        sys.exit(NOT_FINITE_STATUS)


def parse(arguments: Sequence[str]) -> DdpgConfig:
    """Returns the run that the command line asks for; `preset` names the sizes it is based on."""
    arguments = command_line.begin_or_exit(PROGRAM.name, arguments)
    first = cli.first_options(PROGRAM.name, arguments, games(), "preset")
    game, device_class = first["game"] or "", first["preset"] or "auto"
    # A first guess where the device decides: good enough to check the arguments and to show help.
    guess = "cpu" if device_class == "auto" else device_class
    config = cli.settings(PROGRAM, arguments, game, guess)
    if device_class == "auto":
        from train import parallel  # the first import of JAX

        is_cpu = parallel.device_class() == "cpu"
        config = cli.settings(PROGRAM, arguments, game, "cpu" if is_cpu else "accelerator")
    return config


if __name__ == "__main__":
    command_line.run(main)
