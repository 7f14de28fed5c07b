"""The programs of the project: where they are, and how a user starts them.

A wheel carries them in `jaxgames/_programs`, which is on no import path; a checkout has them at its
root. `python -m jaxgames` and the command `jaxgames` run them from either.
"""

import pathlib
from typing import NamedTuple

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
IN_WHEEL = PACKAGE / "_programs"


class ProgramEntry(NamedTuple):
    """A program of the command `jaxgames`."""

    module: str
    """Module with its `main`."""
    extra: str
    """The extra of the package that brings all that it imports."""
    usage: str = ""
    """What follows its name."""
    summary: str = ""


PROGRAMS = {
    "play": ProgramEntry(
        "agents.play.__main__", "play", "[GAME]", "the board in the browser, or with --terminal"
    ),
    "arena": ProgramEntry(
        "agents.arena.__main__", "play", "[GAME] --agents A B ...", "a tournament between agents"
    ),
    "analyse": ProgramEntry(
        "agents.analyse.__main__", "play", "GAME|FILE", "how an agent judges a position"
    ),
    "clock": ProgramEntry(
        "agents.clock.__main__", "play", "[GAME] --players A B", "a match with clocks"
    ),
    "opening_book": ProgramEntry(
        "agents.opening_book.__main__", "play", "GAME --output FILE", "builds an opening book"
    ),
    "mcp": ProgramEntry(
        "agents.mcp.__main__", "mcp", "[GAME]", "the games as tools for a language model"
    ),
    "warm": ProgramEntry(
        "agents.warm.__main__", "play", "[GAME ...]", "compiles ahead what the others will need"
    ),
    "new": ProgramEntry(
        "agents.new.__main__", "play", "NAME", "writes a package with a game of your own"
    ),
    "export": ProgramEntry(
        "train.export.__main__", "export", "NETWORK --format F", "a network for other programs"
    ),
    "train": ProgramEntry(
        "train.alphazero",
        "train",
        "[alphazero|muzero|afterstates] GAME",
        "a network learns a game from nothing",
    ),
    "train muzero": ProgramEntry("train.muzero.__main__", "train"),
    "train afterstates": ProgramEntry("train.afterstates.__main__", "train"),
}


def folder() -> pathlib.Path:
    """Returns the folder that holds the programs.

    Raises:
        ValueError: if there is none, as in a copy of the library alone.
    """
    for place in (IN_WHEEL, PACKAGE.parent):
        if (place / "agents" / "command_line.py").is_file():
            return place
    raise ValueError(f"there are no programs beside {PACKAGE}: install the wheel of jaxgames")


def extra(module: str) -> str:
    """Returns the extra of the program in whose package a module is; by default that of most."""
    package = module.rpartition(".")[0]
    found = (p.extra for p in PROGRAMS.values() if p.module.rpartition(".")[0] == package)
    return next(found, "play")


def command(module: str) -> str:
    """Returns how a user starts a program, for messages.

    Args:
        module: its module, for instance `agents.play`.

    Returns:
        `jaxgames play` from a wheel, `python -m agents.play` from a checkout.
    """
    if IN_WHEEL.is_dir():
        for name, program in PROGRAMS.items():
            if program.module.removesuffix(".__main__") == module:
                return f"jaxgames {name}"
    return f"python -m {module}"
