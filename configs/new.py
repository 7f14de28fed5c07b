"""Options of `python -m agents.new`."""

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class NewConfig:
    """Writes a package with a small game that runs at once, to be edited into a game of your own.

    It has rules, notation, a board, an evaluation, settings of a training and tests.
    """

    game: str
    """Name of the game and of its package, for instance connect_four."""
    folder: pathlib.Path = pathlib.Path()
    """Where the folder of the package is made."""
