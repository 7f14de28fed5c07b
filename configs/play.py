"""Options of `python -m agents.play`."""

import dataclasses
import pathlib

from jaxgames.field_checks import within


@dataclasses.dataclass(frozen=True)
class PlayConfig:
    """Opens the board in the browser: play against agents, watch them, see what they think.

    The server listens on this machine alone unless `--host` says otherwise. Games are kept in a
    folder, so that a restart loses none.
    """

    game: str = "onitama"
    """Id of the game."""
    env_options: str = ""
    """Options of the game, for instance "num_players=3"; several are separated by commas."""
    seats: tuple[str, ...] = ()
    """Who plays a new game: for each seat the spec string of an agent, or "human". By default the
    first seat is human, and a search plays the others."""
    port: int = 8460
    """Port of the server; 0 takes any free one."""
    host: str = "127.0.0.1"
    """Address to listen on. Beyond loopback, everybody who reaches it can play all games."""
    folder: pathlib.Path | None = None
    """Folder of the games; by default one among the user's data, by the id of the game."""
    browser: bool = True
    """Whether the page is opened in a browser."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        within(self, "port", 0, 65535)
