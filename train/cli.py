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
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar

import tyro

from agents import command_line
from configs.training import NO_LIMIT, RunConfig, TrainingConfig
from train import loggers, setting_files

if TYPE_CHECKING:
    from train.run import Program

NOT_FINITE_STATUS = 1
CONFIG = "--config"
SWEEP = "--sweep"
_HELP = (
    f"{CONFIG} FILE reads settings from a file of JSON or YAML, such as config.json of a run; "
    f"later files and the options given here change it. {SWEEP} FILE [--jobs N] [--slurm] trains "
    "with every combination of the values that a file lists."
)
ConfigT = TypeVar("ConfigT", bound=RunConfig)


_NOTHING: Mapping[str, Any] = types.MappingProxyType({})


class Words(NamedTuple):
    """A command line, taken apart."""

    options: list[str]
    """The settings that it names itself."""
    from_files: dict[str, Any]
    """The settings of its files, by dotted names."""
    game: str
    start: str
    """The preset to start from, or `auto`."""

    @property
    def named(self) -> set[str]:
        """The dotted names of all settings that are given in one of the two ways.

        Iterations of a file do not count where the command line names the minutes that choose them,
        nor minutes of a file where it names another limit.
        """
        from_files = {name for name, value in self.from_files.items() if value is not None}
        own = setting_files.named_by(self.options)
        if "minutes" in own:
            from_files -= {"iterations"}
        elif own & {"iterations", "max_minutes"}:
            from_files -= {"minutes"}
        return from_files | own


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
        arguments = sys.argv[1:] if arguments is None else arguments
        if any(word.partition("=")[0] == SWEEP for word in arguments):
            from train import sweep

            sys.exit(sweep.main(self, arguments))
        words, config = self._parsed(arguments)

        from train.run import TrainingRun

        with user_errors(self.name):
            dial = None
            if isinstance(config, TrainingConfig):
                from train.dial import settle

                config, dial = settle(config, words.named, self.make_program)
            training = TrainingRun(self.make_program(config), config, dial)
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
        return self._parsed(arguments)[1]

    def _parsed(self, arguments: Sequence[str]) -> tuple[Words, ConfigT]:
        words = self.take_apart(command_line.begin_or_exit(self.name, arguments))
        config = self.settings(words)

        from train import parallel  # the first import of JAX

        if isinstance(config, TrainingConfig):
            with user_errors(self.name):
                parallel.use_cpu_devices(config)
            if config.distributed:
                parallel.initialize_distributed(config.cluster)
        if words.start == "auto":
            here = parallel.device_class()
            known = here in config.DEVICE_CLASSES
            config = self.settings(words._replace(start=here if known else "accelerator"))
        set_up_logging(is_main_process=parallel.is_main_process())
        return words, config

    def settings(self, words: Words) -> ConfigT:
        """Returns the settings of a command line.

        If the devices decide, `cpu` is a first guess, enough to check arguments and to show help.
        """
        start = "cpu" if words.start == "auto" else words.start
        with user_errors(self.name):
            default = self.preset(words.game, start)
            default = setting_files.changed(default, words.from_files, "settings from files")
        config = tyro.cli(
            self.config,
            args=words.options,
            default=default,
            prog=self.name,
            description=f"{self.purpose} The defaults shown here are those of --game={words.game} "
            f"--{self.based_on}={start}; --game itself must be given. {_HELP} {command_line.HELP}",
        )
        with user_errors(self.name):
            loggers.check(config.logger)
            changes: Any = {self.based_on: start}
            if isinstance(config, TrainingConfig):
                changes |= _length(config, words.named)
        return dataclasses.replace(config, **changes)

    def take_apart(self, arguments: Sequence[str], more: Mapping[str, Any] = _NOTHING) -> Words:
        """Reads the files of a command line, and the options that decide the defaults of the rest.

        Args:
            arguments: the command line, without the options that every command takes.
            more: settings as of another file, by dotted names.

        Ends the program if a file cannot be read, or if the game is missing and no help is asked
        for.
        """
        parser = argparse.ArgumentParser(self.name, add_help=False, allow_abbrev=False)
        parser.add_argument(CONFIG, action="append", default=[])
        found, options = parser.parse_known_args(list(arguments))
        from_files: dict[str, Any] = {}
        with user_errors(self.name):
            for path in found.config:
                settings = setting_files.read(CONFIG, path)
                renamed = self.config.RENAMED
                from_files |= setting_files.unique(
                    (renamed.get(name, name), value) for name, value in settings.items()
                )
        from_files |= more
        parser.add_argument("--game", default=from_files.get("game"))
        start = from_files.get(self.based_on, self.config.START)
        parser.add_argument(f"--{self.based_on}", dest="start", default=start)
        chosen, others = parser.parse_known_args(options)
        if chosen.game is None:
            if not {"-h", "--help"} & set(others):
                fail(self.name, f"--game is missing; available: {', '.join(self.games())}")
            chosen.game = self.games()[0]
        return Words(options, from_files, str(chosen.game), str(chosen.start))


def _length(config: TrainingConfig, named: Collection[str]) -> dict[str, Any]:
    """Returns what changes in a run that is given another limit: it has no minutes by default.

    With `max_minutes` alone it has no limit of iterations either.

    Raises:
        ValueError: if minutes and iterations are given.
    """
    if config.minutes is not None and {"minutes", "iterations"} <= set(named):
        raise ValueError(
            f"minutes={config.minutes:g} chooses the iterations, but iterations="
            f"{config.iterations} is given, too: leave one of them out"
        )
    is_limited = bool({"iterations", "max_minutes"} & set(named)) and "minutes" not in named
    if not is_limited:
        return {}
    return {"minutes": None} | ({} if "iterations" in named else {"iterations": NO_LIMIT})


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
