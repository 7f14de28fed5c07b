"""`jaxgames play onitama`: the programs of the project by one command; also `python -m jaxgames`.

That is `python -m agents.play --game=onitama`, from a wheel in any folder as well as from a
checkout. Only the program itself imports JAX.
"""

import functools
import importlib
import os
import re
import sys
from typing import Any

import jaxgames
from jaxgames.internal import interrupts, programs
from jaxgames.internal.messages import unknown
from jaxgames.internal.version import __version__

_HELP = ("help", "--help", "-h")
_VERSION = ("version", "--version")
_GAME = re.compile(r"\w+(-v\d+)?")  # any other word names a file
_EXTRAS = {"matplotlib": "train", "mctx": "mctx", "orbax": "train"}  # of some options only


def main() -> int:
    """Runs what the command line asks for; returns the exit status, 2 for a mistake."""
    words = sys.argv[1:]
    try:
        place = programs.folder()
        shown = _shown(words)
        name, options = ("", []) if shown else program_of(words)
    except ValueError as error:
        print(f"jaxgames: {error}", file=sys.stderr)
        return 2
    # The current folder holds plugins at hand; a console script does not look there by itself.
    sys.path[:0] = here = [str(place), os.getcwd()]
    os.environ["PYTHONPATH"] = os.pathsep.join(  # of processes that the program starts
        filter(None, [*here, os.environ.get("PYTHONPATH")])
    )
    sys.argv[1:] = options
    with interrupts.ending_quietly():
        command_line: Any = importlib.import_module("agents.command_line")
    command_line.run(functools.partial(print, shown) if shown else functools.partial(_run, name))
    return 0


def _shown(words: list[str]) -> str:
    """Returns the text that a command line asks for; nothing if it names a program."""
    if not words or words[0] in _HELP:
        return overview()
    return version() if words[0] in _VERSION else ""


def program_of(words: list[str]) -> tuple[str, list[str]]:
    """Returns the name of a program in the table, and the command line for it.

    The game, or a file to analyse, may be given without the name of its option.

    Raises:
        ValueError: for an unknown program.
    """
    name, *rest = words
    if name == "train" and rest and f"train {rest[0]}" in programs.PROGRAMS:
        name = f"train {rest.pop(0)}"
    elif name == "train" and rest[:1] == ["alphazero"]:
        rest.pop(0)
    if name not in programs.PROGRAMS:
        names = tuple(name for name in programs.PROGRAMS if " " not in name)
        raise ValueError(unknown("command", name, (*names, "version")))
    if name == "warm" and rest and not rest[0].startswith("-"):
        return name, ["--games", *rest]
    has_own_words = name == "export" or (name, *rest[:1]) == ("arena", "replay")
    if not rest or rest[0].startswith("-") or has_own_words:
        return name, rest
    is_game = _GAME.fullmatch(rest[0]) and not os.path.isfile(rest[0])
    is_file = name == "analyse" and not is_game
    return name, [f"--{'file' if is_file else 'game'}={rest[0]}", *rest[1:]]


def overview() -> str:
    """Returns what the command can do, and the games."""
    lines = [
        (f"jaxgames {name} {program.usage}", program.summary)
        for name, program in programs.PROGRAMS.items()
        if program.summary
    ]
    lines.append(("jaxgames version", "the version; --help after a command shows its options"))
    return "\n\n".join(
        [
            f"jaxgames {__version__}: strategy board games in JAX, and players for them",
            _columns(lines),
            "Games:\n" + _columns(list(jaxgames.summaries().items())),
        ]
    )


def version() -> str:
    """Returns the versions of the library, JAX and Python."""
    # Imported here, so that Ctrl-C soon finds somebody who listens.
    import importlib.metadata
    import platform

    jax = importlib.metadata.version("jax")
    return f"jaxgames {__version__} (jax {jax}, Python {platform.python_version()})"


def _columns(rows: list[tuple[str, str]]) -> str:
    width = max(len(first) for first, _ in rows)
    return "\n".join(f"  {first:{width}}  {second}" for first, second in rows)


def _run(name: str) -> int | None:
    """Runs a program of the folder that is first on the path; returns its exit status."""
    program = programs.PROGRAMS[name]
    try:
        result: int | None = importlib.import_module(program.module).main()
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "jaxgames", "agents", "train", "configs"):
            raise
        extra = _EXTRAS.get(package, program.extra)
        print(
            f"jaxgames {name} needs the package {package}: pip install 'jaxgames[{extra}]'",
            file=sys.stderr,
        )
        return 2
    return result


if __name__ == "__main__":
    sys.exit(main())
