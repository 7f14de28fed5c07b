"""Games in a folder: one file a game, replaced in one step after every change.

The name of a game is the id of what is played and 16 digits, `onitama-0123456789abcdef`; the digits
name its file.
"""

import contextlib
import pathlib
import re
import secrets
import time
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from agents.play.session import saved_games
from agents.play.session.session import GameSession
from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal import files, texts

_NUMBER = re.compile(r"[0-9a-f]{16}")
_NAME = re.compile(rf"(?P<game>[a-z][a-z0-9_]{{0,63}})-(?P<number>{_NUMBER.pattern})")
SUFFIX = ".record"
MOST_BYTES = 2**24  # of a file that is read
Summary = dict[str, Any]


class UnknownGame(ValueError):
    """There is no game of this name."""


def game_of(name: str) -> str:
    """Returns the id of what is played in a game.

    Raises:
        UnknownGame: if this is no name of a game.
    """
    return _parsed(name)["game"]


def _parsed(name: str) -> re.Match[str]:
    # The pattern keeps every path inside the folder.
    parsed = _NAME.fullmatch(name) if isinstance(name, str) else None
    if parsed is None:
        raise UnknownGame(
            "the name of a game is the id of what is played and 16 digits or letters from a to f"
        )
    return parsed


def _path(folder: pathlib.Path, name: str) -> pathlib.Path:
    return folder / f"{_parsed(name)['number']}{SUFFIX}"


def environment_of(folder: pathlib.Path, name: str) -> Env[Any]:
    """Returns the environment in which a game of a folder is played.

    Raises:
        UnknownGame: if there is none of this name.
        ValueError: if its file is damaged.
    """
    with _reading(name):
        env = saved_games.environment_of(_text(_path(folder, name)))
        if env.id != game_of(name):
            raise UnknownGame(f"there is no game {name}")
        return env


@contextlib.contextmanager
def _reading(name: str) -> Iterator[None]:
    """Says which game is missing or damaged."""
    try:
        yield
    except UnknownGame:
        raise
    except FileNotFoundError:
        raise UnknownGame(f"there is no game {name}") from None
    except ValueError as error:
        raise ValueError(f"the file of game {name} is damaged: {error}") from error


def summaries(folders: Iterable[pathlib.Path], games: Collection[str], most: int) -> list[Summary]:
    """Returns the newest games of some folders in which a move was made.

    Args:
        folders: where they are; those that are missing have none.
        games: the ids of what is played in those that are listed.
        most: how many games are listed.

    Returns:
        Of each: name, id of what is played, its options, date, seats, number of moves, and once it
        is over its outcome for each seat, with what ended it if not its rules.
    """
    paths = [
        path
        for folder in dict.fromkeys(folders)
        for path in folder.glob(f"*{SUFFIX}")
        if _NUMBER.fullmatch(path.stem)
    ]
    found: list[Summary] = []
    for changed, path in sorted(_dated(paths), reverse=True):
        if len(found) == most:
            break
        try:
            record = saved_games.first(_text(path))
        except (FileNotFoundError, ValueError):
            continue  # deleted meanwhile; or damaged: opening it says what
        game = saved_games.game_of(record)
        if game in games and record.moves:
            found.append(
                {
                    "id": f"{game}-{path.stem}",
                    "game": game,
                    "options": dict(record.options),
                    "changed": changed,
                    "seats": saved_games.seats_of(record),
                    "moves": len(record.moves),
                    "returns": record.returns,
                    "ending": record.ending,
                }
            )
    return found


class Store:
    """The games of one environment in a folder, which may hold others, too."""

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
        return f"{self.env.id}-{secrets.token_hex(8)}"

    def save(self, session: GameSession) -> None:
        """Writes a game; hold its lock."""
        files.replace(self._path(session.id), records.to_text(saved_games.to_record(session)))

    def load(self, name: str) -> GameSession:
        """Reads a game.

        Raises:
            UnknownGame: if there is none of this name.
            ValueError: if the file is damaged or belongs to another game.
        """
        with _reading(name):
            text = _text(self._path(name))
            record = saved_games.first_record(text, self.env)
            return saved_games.from_record(name, self.env, record)

    def delete(self, name: str) -> None:
        """Removes a game.

        Raises:
            UnknownGame: if there is none of this name.
        """
        try:
            self._path(name).unlink()
        except FileNotFoundError:
            raise UnknownGame(f"there is no game {name}") from None

    def _path(self, name: str) -> pathlib.Path:
        if game_of(name) != self.env.id:
            raise UnknownGame(f"{name} is no game of {self.env.id}")
        return _path(self.folder, name)


def _text(path: pathlib.Path) -> str:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name} has more than {MOST_BYTES} bytes")
    return texts.read(path)


def _dated(paths: Iterable[pathlib.Path]) -> Iterator[tuple[float, pathlib.Path]]:
    """Yields the files that are still there, with the time of their last change."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            yield path.stat().st_mtime, path


def now() -> float:
    """Returns the seconds since 1970."""
    return time.time()
