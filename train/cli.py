"""From the command line to a config, and from a user's mistake to a message.

The order matters. Arguments are checked before JAX is imported, so that `--help` and mistakes are
answered at once. Processes join before a device is touched. Only then can the preset depend on the
devices.
"""

import argparse
import contextlib
import dataclasses
import functools
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar, cast

import tyro

from agents import command_line
from configs import presets
from configs.alphazero import AlphaZeroConfig
from configs.training import TrainingConfig
from jaxgames.internal import programs

ALPHAZERO = programs.command("train.alphazero")
ConfigT = TypeVar("ConfigT")
TrainingConfigT = TypeVar("TrainingConfigT", bound=TrainingConfig)


def parse(arguments: Sequence[str], command: str = ALPHAZERO) -> AlphaZeroConfig:
    """Returns the config of the run that a command line of `train.alphazero` asks for."""
    program = Program(
        command,
        AlphaZeroConfig,
        functools.partial(presets.preset, "alphazero"),
        "Teaches a network a game by self-play.",
    )
    return parse_run(program, arguments, presets.games("alphazero"))


class Program(NamedTuple, Generic[ConfigT]):
    """What the command lines of a training program need."""

    name: str
    """The command, as messages name it."""
    config: type[ConfigT]
    """The class of its settings."""
    preset: Callable[[str, str], ConfigT]
    """Maps a game and a class of devices to the settings to start from."""
    purpose: str
    """The first sentence of its help."""


def parse_run(
    program: Program[TrainingConfigT],
    arguments: Sequence[str],
    games: tuple[str, ...],
) -> TrainingConfigT:
    """Returns the config of the run; on the command line `--preset` names the sizes to start from.

    With `--distributed`, joins the other processes. Mistakes end the program with a message and
    exit status 2, `--help` with 0.

    Args:
        program: the program.
        arguments: its command line.
        games: the games that the message about a missing game lists.
    """
    arguments = command_line.begin_or_exit(program.name, arguments)
    first = first_options(program.name, arguments, games, "preset")
    game, device_class = first["game"] or "", first["preset"] or "auto"
    # If the devices decide, `cpu` is a first guess, enough to check arguments and to show help.
    guess = "cpu" if device_class == "auto" else device_class
    config = settings(program, arguments, game, guess)

    from train import parallel  # the first import of JAX

    with user_errors(program.name):
        parallel.use_cpu_devices(config)
    if config.distributed:
        parallel.initialize_distributed(config.cluster)
    if device_class == "auto":
        config = settings(program, arguments, game, parallel.device_class())
    set_up_logging(is_main_process=parallel.is_main_process())
    return config


def settings(
    program: Program[ConfigT], arguments: Sequence[str], game: str, device_class: str
) -> ConfigT:
    """Returns the settings of a command line that starts from one preset."""
    with user_errors(program.name):
        default = program.preset(game, device_class)
    config = tyro.cli(
        program.config,
        args=list(arguments),
        default=default,
        prog=program.name,
        description=f"{program.purpose} The defaults shown here are those of --game={game} "
        f"--preset={device_class}; --game itself must be given. {command_line.HELP}",
    )
    changed: Any = dataclasses.replace(cast(Any, config), preset=device_class)
    return cast(ConfigT, changed)


def set_up_logging(is_main_process: bool) -> None:
    """Shows warnings as plain lines, on the first process only."""
    level = logging.WARNING if is_main_process else logging.CRITICAL
    logging.basicConfig(format="%(levelname)s: %(message)s", level=level)
    # Orbax's dumps for a damaged file or a full disk, from threads of its own, run to hundreds of
    # lines; ours say what happened in one.
    for name in ("absl", "asyncio", "concurrent.futures", "orbax"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextlib.contextmanager
def user_errors(program: str) -> Iterator[None]:
    """Ends the program with a message and status 2 for a mistake of the user.

    Mistakes are a bad setting, the folder of another run, or a folder that cannot be written. Use
    it only at the start of a program: a later error is not the user's, and keeps its traceback.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (ValueError, OSError) as error:
        fail(program, str(error))


def fail(program: str, message: str) -> NoReturn:
    """Ends the program with a message and exit status 2, as for any wrong command line."""
    print(f"{program}: {message}", file=sys.stderr)
    sys.exit(2)


def first_options(
    program: str, arguments: Sequence[str], games: tuple[str, ...], *names: str
) -> dict[str, str | None]:
    """Returns `--game` and the other named options, which decide the defaults of the rest.

    Ends the program if the game is missing and no help is asked for.
    """
    parser = argparse.ArgumentParser(program, add_help=False, allow_abbrev=False)
    for name in ("game", *names):
        parser.add_argument(f"--{name}")
    chosen, others = parser.parse_known_args(list(arguments))
    if chosen.game is None:
        if not {"-h", "--help"} & set(others):
            fail(program, f"--game is missing; available: {', '.join(games)}")
        chosen.game = games[0]
    return vars(chosen)
