"""`Record`: a game as plain values, in notation."""

import types
from collections.abc import Mapping
from typing import Any, NamedTuple

HUMAN = "human"
ILLEGAL = "illegal:"
"""What the text of a move begins with if the action was not legal; its number follows."""

_NOTHING: Mapping[str, Any] = types.MappingProxyType({})


class Seat(NamedTuple):
    """What plays a seat."""

    agent: str = HUMAN
    """An agent spec, such as `"minimax:depth=2"`, or `"human"`."""
    name: str = ""
    """The name of a person or player, if it has one besides its spec."""

    def __str__(self) -> str:
        """Returns the name, or else the spec."""
        return self.name or self.agent


class Move(NamedTuple):
    """One action of a game."""

    text: str
    """The notation, or `illegal:` and the number of an action that was not legal."""
    key: str = ""
    """Data of the random key of the step in hexadecimal digits; empty in games without chance."""
    values: tuple[float, ...] = ()
    """The return that the mover expects for each seat, before its move; may be empty."""
    seconds: float | None = None
    """Time that the move took."""
    comment: str = ""


class Record(NamedTuple):
    """A game from a position on, or a part of one."""

    game: str
    """Id of the environment with its version: `"onitama-v1"`."""
    options: Mapping[str, Any]
    """Options of the game that differ from their defaults, as `jaxgames.make` takes them."""
    seats: tuple[Seat, ...]
    start: str
    """The position before the first move."""
    moves: tuple[Move, ...] = ()
    end: str = ""
    """The position after the last move; empty if it is not known."""
    returns: tuple[float, ...] | None = None
    """Outcome for each seat; None while the game goes on."""
    ending: str = ""
    """What ended the game, if not its rules: `"time"`, `"resignation"` or another word."""
    random: str = ""
    """How keys become random numbers, one of `replay.GENERATORS`; empty in games without chance."""
    comment: str = ""
    tags: Mapping[str, Any] = _NOTHING
    """Anything else, by name, fit for JSON: the date, the pairing of a tournament."""
    versions: Mapping[str, str] = _NOTHING
    """Versions of the programs that wrote the record."""
