"""Games as records: one file format for the games of every environment.

A file holds games one after the other, as JSON lines: a line that begins a game, a line for each
move, and a line that ends it. `docs/records.md` describes the entries. The checksum of a game is
the first 16 digits of the SHA-256 digest of its lines without this entry; whoever writes a game by
hand leaves it out.

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
