"""What every command shares: options for plugins and the compilation cache, and how it ends.

The options are read before JAX is imported, so that `--help` and mistakes are answered at once.
"""

import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from jaxgames.internal import compilation_cache, files, interrupts, programs, texts

SettingsT = TypeVar("SettingsT")
FAILED_STATUS = 1
CLOSED_PIPE_STATUS = 128 + 13  # of SIGPIPE
NO_SUBCOMMANDS: Mapping[str, tuple[type[Any], str]] = {}
PLUGIN = "--plugin"
CACHE = "--compilation-cache"
HELP = (
    f"Every command also takes {PLUGIN} MODULE (imported first; it adds games, agents or networks; "
    f"may be given several times) and {CACHE} FOLDER or off (where compiled programs are kept; "
    f"the environment variable {compilation_cache.VARIABLE} does the same)."
)


def begin(arguments: Sequence[str] | None = None) -> list[str]:
    """Applies the common options of a command line and returns the other arguments.

    Args:
        arguments: the command line without the program; None: the arguments of the process.

    Raises:
        ValueError: for a module that cannot be imported, a folder that cannot be written, an
            option without its value, or the address of an object store in place of a path.
    """
    rest, plugins, cache = _separate(arguments)
    _check_addresses(rest)
    compilation_cache.enable(cache)
    import_plugins(plugins)
    return rest


def plugins_of(arguments: Sequence[str] | None = None) -> list[str]:
    """Returns the plugins of a command line, for a process that the command starts.

    Raises:
        ValueError: for an option without its value.
    """
    return _separate(arguments)[1]


def import_plugins(plugins: Sequence[str]) -> None:
    """Imports modules that add games, agents or networks.

    Raises:
        ValueError: for a module that cannot be imported.
    """
    for plugin in plugins:
        try:
            importlib.import_module(plugin)
        except ImportError as error:
            raise ValueError(f"{PLUGIN}: cannot import {plugin!r}: {error}") from error


def _separate(arguments: Sequence[str] | None) -> tuple[list[str], list[str], str | None]:
    """Returns the other arguments, the plugins and the choice of the compilation cache."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    rest: list[str] = []
    plugins: list[str] = []
    cache: str | None = None
    while given:
        word = given.pop(0)
        name, equals, value = word.partition("=")
        if name not in (PLUGIN, CACHE):
            rest.append(word)
            continue
        if not equals:
            if not given:
                raise ValueError(f"{name} needs a value")
            value = given.pop(0)
        if name == PLUGIN:
            plugins.append(value)
        else:
            cache = value
    return rest, plugins, cache


def _check_addresses(arguments: Sequence[str]) -> None:
    """Refuses addresses before anything starts: no option of any command takes one."""
    option = "arguments"
    for word in arguments:
        if word.startswith("-"):
            option = word.partition("=")[0]
        # The path of a spec, as in `--agent=alphazero:path=gs://x`, stands behind a second `=`.
        for part in word.split("="):
            if "://" in part:
                files.check_local(option, part)


def begin_or_exit(program: str, arguments: Sequence[str] | None = None) -> list[str]:
    """Does what `begin` does; a mistake ends the program with a message and status 2."""
    try:
        return begin(arguments)
    except ValueError as error:
        print(f"{program}: {error}", file=sys.stderr)
        sys.exit(2)


def run_settings(
    program: str,
    settings: type[SettingsT],
    work: str | Callable[[SettingsT], str],
    subcommands: Mapping[str, tuple[type[Any], str]] = NO_SUBCOMMANDS,
) -> int:
    """Reads settings from the command line and works by them; returns the exit status.

    The work is imported when the settings have been read, so its module may import JAX.

    Args:
        program: the command, for messages.
        settings: the dataclass of the options; its docstring is the description.
        work: `"package.module:function"`, a function of the settings that returns nothing; or a
            function of the settings that returns this path. A `ValueError` of the work is a
            mistake of the user, status 2.
        subcommands: settings, whose required options have no names, and work of other first words.
    """
    import tyro  # of an extra that not every command needs

    try:
        arguments = begin()
        if arguments and arguments[0] in subcommands:
            options: Any
            options, path = subcommands[arguments[0]]
            options = tyro.conf.configure(tyro.conf.PositionalRequiredArgs)(options)
            found = tyro.cli(options, prog=f"{program} {arguments[0]}", args=arguments[1:])
        else:
            description = f"{settings.__doc__}\n\n{HELP}"
            found = tyro.cli(settings, prog=program, args=arguments, description=description)
            path = work if isinstance(work, str) else work(found)
        compilation_cache.announce_long_compilations()
        _load(path, program)(found)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _load(path: str, program: str) -> Callable[[Any], None]:
    """Returns the function at an import path.

    Raises:
        ValueError: if a package is missing that the extra of the program brings.
    """
    module, _, name = path.partition(":")
    try:
        function: Callable[[Any], None] = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{program} needs the package {error.name}: "
            f"pip install 'jaxgames[{programs.extra(module)}]'"
        ) from error
    return function


def run(main: Callable[[], int | None]) -> NoReturn:
    """Runs a program and ends the process with its status.

    What happens to any program ends without a traceback: Ctrl-C, a closed pipe (`| head`), and a
    file that cannot be read or written, for instance because the disk is full.
    """
    _open_closed_outputs()
    texts.work_on_any_console()
    watch = interrupts.Watch()
    try:
        try:
            with watch:
                sys.exit(main())
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Python would fail again when it flushes the output at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CLOSED_PIPE_STATUS)
    except KeyboardInterrupt:
        _end_interrupted()
    except ImportError:
        if not watch.happened:
            raise
        _end_interrupted()
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(FAILED_STATUS)


def _end_interrupted() -> NoReturn:
    print("interrupted", file=sys.stderr)
    sys.exit(interrupts.STATUS)


def _open_closed_outputs() -> None:
    """Gives a process that was started without outputs (`>&-`) some that lead nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  open until the end
