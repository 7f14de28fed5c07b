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
    from jaxgames.records.building import add as add
    from jaxgames.records.building import begin as begin
    from jaxgames.records.building import finish as finish
    from jaxgames.records.building import from_actions as from_actions
    from jaxgames.records.building import from_moves as from_moves
    from jaxgames.records.building import shorten as shorten
    from jaxgames.records.exchange import export_game as export_game
    from jaxgames.records.exchange import import_game as import_game
    from jaxgames.records.exchange import options_of as options_of
    from jaxgames.records.record import Move as Move
    from jaxgames.records.record import Record as Record
    from jaxgames.records.record import Seat as Seat
    from jaxgames.records.replay import check as check
    from jaxgames.records.replay import make_env as make_env
    from jaxgames.records.replay import positions as positions
    from jaxgames.records.text import append as append
    from jaxgames.records.text import from_text as from_text
    from jaxgames.records.text import read as read
    from jaxgames.records.text import to_text as to_text
    from jaxgames.records.text import write as write

__getattr__, __dir__ = lazy_imports(__name__)
