"""`python -m train.afterstates --game=terra_mystica`: values of afterstates learn by TD(lambda).

Only the command line is read here, before JAX is imported; the run is in `run.py`.
"""

import dataclasses
import os
import sys
from collections.abc import Sequence

import tyro

from agents import command_line
from agents.games import registry
from configs.afterstates import AfterstatesConfig
from train import cli
from train.afterstates import presets

PROGRAM = "python -m train.afterstates"
NOT_FINITE_STATUS = 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program; see `--help`. Mistakes end it with a message and exit status 2."""
    config = parse(sys.argv[1:] if arguments is None else arguments)

    from train.afterstates.run import Afterstates

    with cli.user_errors(PROGRAM):
        learning = Afterstates(config)
    if not learning.run():
        sys.exit(NOT_FINITE_STATUS)


def parse(arguments: Sequence[str]) -> AfterstatesConfig:
    """Returns the run that the command line asks for; `preset` names the sizes it is based on."""
    arguments = command_line.begin_or_exit(PROGRAM, arguments)
    first = cli.first_options(PROGRAM, arguments, registry.games(), "preset")
    game, device_class = first["game"] or "", first["preset"] or "auto"
    config = _parse(arguments, game, "cpu" if device_class == "auto" else device_class)

    from train import parallel  # the first import of JAX

    parallel.use_cpu_devices(config.cpu_devices or os.cpu_count() or 1)
    if config.distributed:
        parallel.initialize_distributed(config.cluster)
    if device_class == "auto":
        config = _parse(arguments, game, parallel.device_class())
    cli.set_up_logging(is_main_process=parallel.is_main_process())
    return config


def _parse(arguments: Sequence[str], game: str, device_class: str) -> AfterstatesConfig:
    with cli.user_errors(PROGRAM):
        default = presets.preset(game, device_class)
    config = tyro.cli(
        AfterstatesConfig,
        args=list(arguments),
        default=default,
        prog=PROGRAM,
        description="Learns the values of afterstates by TD(lambda). The defaults shown here are "
        f"those of --game={game} --preset={device_class}. {command_line.HELP}",
    )
    return dataclasses.replace(config, preset=device_class)


if __name__ == "__main__":
    command_line.run(main)
