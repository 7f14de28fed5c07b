"""From the command line to a config, and from a user's mistake to a message.

The order matters: arguments are checked before JAX is imported (`--help` and mistakes answer at
once), processes join before a device is touched, and only then can the preset follow the devices.
"""

import argparse
import contextlib
import dataclasses
import logging
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

import tyro

from configs import alphazero
from configs.alphazero import AlphaZeroConfig

_PROGRAM = "python -m train.alphazero"


def parse(arguments: Sequence[str]) -> AlphaZeroConfig:
    """Returns the run that the command line asks for; `preset` names the sizes it is based on.

    With `--distributed`, joins the other processes. Mistakes end the program with a message and
    exit status 2, `--help` with 0.
    """
    game, device_class = _preset_arguments(arguments)
    # A first guess where the devices decide: good enough to check the arguments and to show help.
    config = _parse(arguments, game, "cpu" if device_class == "auto" else device_class)

    from train import parallel  # the first import of JAX

    if config.distributed:
        parallel.initialize_distributed(config.cluster)
    if device_class == "auto":
        config = _parse(arguments, game, parallel.device_class())
    _set_up_logging(is_main_process=parallel.is_main_process())
    return config


def _set_up_logging(is_main_process: bool) -> None:
    """Shows warnings as plain lines, on the first process only."""
    level = logging.WARNING if is_main_process else logging.CRITICAL
    logging.basicConfig(format="%(levelname)s: %(message)s", level=level)
    # Orbax's dumps for a damaged file run to hundreds of lines; ours say what happened in one.
    for name in ("absl", "orbax"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextlib.contextmanager
def user_errors() -> Iterator[None]:
    """Turns a bad setting, the folder of another run or one that cannot be written into status 2.

    Only for the start of a program: an error later on is not the user's, and keeps its traceback.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        fail(str(error))


def fail(message: str) -> NoReturn:
    """Ends the program with a message and exit status 2, as for any wrong command line."""
    print(f"{_PROGRAM}: {message}", file=sys.stderr)
    sys.exit(2)


def _preset_arguments(arguments: Sequence[str]) -> tuple[str, str]:
    """Returns the game and the preset, which decide what the other options default to."""
    parser = argparse.ArgumentParser(_PROGRAM, add_help=False, allow_abbrev=False)
    parser.add_argument("--game")
    parser.add_argument("--preset", default="auto")
    chosen, others = parser.parse_known_args(list(arguments))
    if chosen.game is None:
        if not {"-h", "--help"} & set(others):
            fail(f"--game is missing; available: {', '.join(alphazero.games())}")
        chosen.game = alphazero.games()[0]
    return chosen.game, chosen.preset


def _parse(arguments: Sequence[str], game: str, device_class: str) -> AlphaZeroConfig:
    with user_errors():
        default = alphazero.preset(game, device_class)
    config = tyro.cli(
        AlphaZeroConfig,
        args=list(arguments),
        default=default,
        prog=_PROGRAM,
        description="Teaches a network a game by self-play. The defaults shown here are those of "
        f"--game={game} --preset={device_class}.",
    )
    return dataclasses.replace(config, preset=device_class)
