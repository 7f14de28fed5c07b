"""Options of `python -m agents.play`."""

import dataclasses
import pathlib

from jaxgames.internal.checks import within


@dataclasses.dataclass(frozen=True)
class PlayConfig:
    """Opens the board in the browser: play against agents, watch them, see what they think.

    With a game, its board opens at once; without one, a page with all games to choose from.
    With `--terminal`, the game is played on the terminal.

    The server listens on this machine alone unless `--host` says otherwise. Games are kept in a
    folder, so that a restart loses none.
    """

    game: str | None = None
    """Id of the game; by default the page shows all games, and the terminal plays Onitama."""
    env_options: str = ""
    """Options of the game, for instance "num_players=3"; several are separated by commas."""
    seats: tuple[str, ...] = ()
    """Who plays a new game: for each seat the spec string of an agent, or "human". By default the
    first seat is human, and an agent that decides quickly plays the others."""
    port: int = 8460
    """Port of the server; 0 takes any free one."""
    host: str = "127.0.0.1"
    """Address to listen on. Beyond loopback, everybody who reaches it can play all games."""
    folder: pathlib.Path | None = None
    """Folder of all games; by default one for each kind of game, among the user's data."""
    browser: bool = True
    """Whether the page is opened in a browser."""
    terminal: bool = False
    """Whether the game is played on the terminal instead of the page."""
    load: pathlib.Path | None = None
    """On the terminal: file of the game to go on with; a record, which says the game and its
    options, or an `.oni` or `.ledger` file."""
    save: pathlib.Path | None = None
    """On the terminal: file that the game is written to after every move."""
    position: str | None = None
    """On the terminal: position to begin with, as text."""
    seed: int | None = None
    """On the terminal: decides set-ups and chance; by default each game is another one."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        within(self, "port", 0, 65535)
        given = {x.name for x in dataclasses.fields(self) if getattr(self, x.name) != x.default}
        for name in ("load", "save", "position", "seed"):
            if name in given and not self.terminal:
                raise ValueError(f"{name} belongs to games on the terminal: add --terminal")
        for name in ("port", "host", "folder", "browser"):
            if name in given and self.terminal:
                raise ValueError(f"{name} belongs to the page: leave --terminal out")
        if self.game is None and not self.terminal:
            for name in ("env_options", "seats"):
                if name in given:
                    raise ValueError(f"{name} belongs to one game: name it with --game")
        if self.load is not None and self.position is not None:
            raise ValueError("load and position both say where the game begins: give one of them")
        if self.seed is not None and not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {self.seed}")
