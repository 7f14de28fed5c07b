"""From the command line to a config, and from a user's mistake to a message.

The order matters. Arguments are checked before JAX is imported, so that `--help` and mistakes are
answered at once. Processes join before a device is touched. Only then can the preset depend on the
devices.
"""

import argparse
import contextlib
import dataclasses
import importlib
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import tyro

from agents import command_line
from configs.training import RunConfig, TrainingConfig

if TYPE_CHECKING:
    from train.run import Program

NOT_FINITE_STATUS = 1
ConfigT = TypeVar("ConfigT", bound=RunConfig)


@dataclasses.dataclass(frozen=True)
class CommandLine(Generic[ConfigT]):
    """The command line of a training program."""

    name: str
    """The command, as messages name it."""
    config: type[ConfigT]
    """The class of its settings."""
    preset: Callable[[str, str], ConfigT]
    """Maps a game and a class of devices to the settings to start from."""
    games: Callable[[], tuple[str, ...]]
    """Returns the games that the message about a missing game lists."""
    program: str
    """`module:name` of the function that makes the program; the module needs JAX."""
    purpose: str
    """The first sentence of its help."""
    based_on: str = "preset"
    """The option that decides, with the game, the settings to start from."""

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Runs the program; see `--help`.

        Mistakes end it with a message and exit status 2, a loss that is not finite with status 1.
        """
        config = self.parse(sys.argv[1:] if arguments is None else arguments)

        from train.run import TrainingRun

        with user_errors(self.name):
            training = TrainingRun(self.make_program(config), config)
        if not training.run():
            sys.exit(NOT_FINITE_STATUS)

    def make_program(self, config: ConfigT) -> "Program":
        """Returns the program with its settings."""
        module, _, name = self.program.partition(":")
        program: Program = getattr(importlib.import_module(module), name)(config)
        return program

    def parse(self, arguments: Sequence[str]) -> ConfigT:
        """Returns the config of the run; `--preset` names the sizes to start from.

        With `--distributed`, joins the other processes. Mistakes end the program with a message and
        exit status 2, `--help` with 0.
        """
        arguments = command_line.begin_or_exit(self.name, arguments)
        game, device_class = self._first_options(arguments)
        # If the devices decide, `cpu` is a first guess, enough to check arguments and to show help.
        is_auto = device_class == "auto"
        config = self.settings(arguments, game, "cpu" if is_auto else device_class)

        from train import parallel  # the first import of JAX

        if isinstance(config, TrainingConfig):
            with user_errors(self.name):
                parallel.use_cpu_devices(config)
            if config.distributed:
                parallel.initialize_distributed(config.cluster)
        if is_auto:
            here = parallel.device_class()
            known = here in config.DEVICE_CLASSES
            config = self.settings(arguments, game, here if known else "accelerator")
        set_up_logging(is_main_process=parallel.is_main_process())
        return config

    def settings(self, arguments: Sequence[str], game: str, start: str) -> ConfigT:
        """Returns the settings of a command line that starts from one preset."""
        with user_errors(self.name):
            default = self.preset(game, start)
        config = tyro.cli(
            self.config,
            args=list(arguments),
            default=default,
            prog=self.name,
            description=f"{self.purpose} The defaults shown here are those of --game={game} "
            f"--{self.based_on}={start}; --game itself must be given. {command_line.HELP}",
        )
        named: Any = {self.based_on: start}
        return dataclasses.replace(config, **named)

    def _first_options(self, arguments: Sequence[str]) -> tuple[str, str]:
        """Returns `--game` and `--preset`, which decide the defaults of the rest.

        Ends the program if the game is missing and no help is asked for.
        """
        parser = argparse.ArgumentParser(self.name, add_help=False, allow_abbrev=False)
        parser.add_argument("--game")
        parser.add_argument(f"--{self.based_on}", dest="start", default=self.config.START)
        chosen, others = parser.parse_known_args(list(arguments))
        if chosen.game is None:
            if not {"-h", "--help"} & set(others):
                fail(self.name, f"--game is missing; available: {', '.join(self.games())}")
            chosen.game = self.games()[0]
        return chosen.game, chosen.start


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
