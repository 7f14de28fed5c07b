"""Games in a folder: one file a game, replaced in one step after every change."""

import contextlib
import pathlib
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from typing import Any

from agents.play.session import saved_games
from agents.play.session.session import GameSession
from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal import files, texts
from jaxgames.records import Record

_ID = re.compile(r"[0-9a-f]{16}")
SUFFIX = ".record"
MOST_BYTES = 2**24  # of a file that is read


class UnknownGame(ValueError):
    """There is no game of this name."""


class Store:
    """The games of one environment in a folder."""

    def __init__(self, folder: pathlib.Path, env: Env[Any]) -> None:
        """Makes the folder where it is missing.

        Raises:
            ValueError: if it cannot be made.
        """
        try:
            files.make_folder("folder", folder)
        except OSError as error:
            raise ValueError(f"folder: cannot make {folder}: {error.strerror}") from error
        self.folder = folder
        self.env = env

    def new_id(self) -> str:
        """Returns the name of a new game."""
        return secrets.token_hex(8)

    def save(self, session: GameSession) -> None:
        """Writes a game; hold its lock."""
        files.replace(self._path(session.id), records.to_text(saved_games.to_record(session)))

    def load(self, name: str) -> GameSession:
        """Reads a game.

        Raises:
            UnknownGame: if there is none of this name.
            ValueError: if the file is damaged or belongs to another game.
        """
        path = self._path(name)
        if not path.is_file():
            raise UnknownGame(f"there is no game {name}")
        try:
            return saved_games.from_record(name, self.env, self._read(path))
        except ValueError as error:
            raise ValueError(f"the file of game {name} is damaged: {error}") from error

    def delete(self, name: str) -> None:
        """Removes a game.

        Raises:
            UnknownGame: if there is none of this name.
        """
        try:
            self._path(name).unlink()
        except FileNotFoundError:
            raise UnknownGame(f"there is no game {name}") from None

    def summaries(self, most: int) -> list[dict[str, Any]]:
        """Returns the newest games: name, date, seats and number of moves of each."""
        paths = [path for path in self.folder.glob(f"*{SUFFIX}") if _ID.fullmatch(path.stem)]
        found: list[dict[str, Any]] = []
        for changed, path in sorted(_dated(paths), reverse=True):
            if len(found) == most:
                break
            try:
                record = self._read(path)
            except (FileNotFoundError, ValueError):
                continue  # deleted meanwhile; of another game or damaged: opening it says what
            found.append(
                {
                    "id": path.stem,
                    "changed": changed,
                    "seats": saved_games.seats_of(record),
                    "moves": len(record.moves),
                }
            )
        return found

    def _path(self, name: str) -> pathlib.Path:
        # The pattern keeps every path inside the folder.
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise UnknownGame("the name of a game has 16 digits or letters from a to f")
        return self.folder / f"{name}{SUFFIX}"

    def _read(self, path: pathlib.Path) -> Record:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path.name} has more than {MOST_BYTES} bytes")
        return saved_games.first_record(texts.read(path), self.env)


def _dated(paths: Iterable[pathlib.Path]) -> Iterator[tuple[float, pathlib.Path]]:
    """Yields the files that are still there, with the time of their last change."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            yield path.stat().st_mtime, path


def now() -> float:
    """Returns the seconds since 1970."""
    return time.time()
