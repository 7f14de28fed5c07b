"""Games as records: one file format for the games of every environment.

A file holds one or more games, one after the other, as JSON lines. A game is a line that begins it,
a line for each move, and a line that ends it:

    {"record": 1, "game": "onitama-v1", "seats": [{"agent": "human", "name": "Ann"}, ...], ...}
    {"move": "boar:c1c2", "values": [0.1, -0.1], "seconds": 2.5, "comment": "the usual"}
    {"end": "bbBbb/5/2R2/5/rr1rr b ...", "returns": null, "checksum": "..."}

- First line: `record`, the number of this format; `game`, the id with its version; `options` of the
  game that differ from their defaults; `seats`, what plays each seat (`agent`: an agent spec or
  `"human"`; `name`, if it has another); `start`, the position before the first move; `random`, how
  keys become random numbers, where chance takes part; `versions` of the programs that wrote it;
  `comment`; `tags`, anything else by name.
- A move: `move`, its notation (`illegal:17` is an action that was not legal, which loses); `key`,
  the random key of its step as hexadecimal digits, in games with chance; `values`, the return that
  the mover expects for each seat; `seconds` that it took; `comment`.
- Last line: `end`, the position after the last move; `returns` of all seats, null while the game
  goes on; `ending`, in a word, if something else than the rules ended it (`"time"`,
  `"resignation"`); `checksum`, the first 16 digits of the SHA-256 digest of all lines of the game
  without this entry.

What is empty is left out. A record holds the whole game, hidden information included. Whoever
writes one by hand leaves out `end` and `checksum`.

`read` and `write` work on files, `from_text` and `to_text` on texts. They check the form and the
checksum. `positions` plays a record by the rules: every move is legal, and the game ends as the
record says. `import_game` and `export_game` read and write the formats of other programs.
"""

from typing import TYPE_CHECKING

from jaxgames.internal.imports import lazy_imports

if TYPE_CHECKING:
    from jaxgames.records.building import add, begin, finish, from_actions, from_moves, shorten
    from jaxgames.records.exchange import export_game, import_game
    from jaxgames.records.record import Move, Record, Seat
    from jaxgames.records.replay import check, make_env, positions
    from jaxgames.records.text import append, from_text, read, to_text, write

__all__ = [
    "Move",
    "Record",
    "Seat",
    "add",
    "append",
    "begin",
    "check",
    "export_game",
    "finish",
    "from_actions",
    "from_moves",
    "from_text",
    "import_game",
    "make_env",
    "positions",
    "read",
    "shorten",
    "to_text",
    "write",
]

__getattr__ = lazy_imports(__name__)


def __dir__() -> list[str]:
    return __all__
