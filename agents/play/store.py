"""Games in a folder: one file a game, replaced in one step after every change."""

import json
import pathlib
import re
import secrets
import time
from typing import Any

from agents.play.game_tree import ROOT, GameTree, Node
from agents.play.session import Session
from jaxgames import files
from jaxgames.env import Env

_ID = re.compile(r"[0-9a-f]{16}")
FORMAT = 1
MOST_BYTES = 2**24  # of a file that is read


class UnknownGame(ValueError):
    """There is no game of this name."""


class Store:
    """The games of one environment in a folder."""

    def __init__(self, folder: pathlib.Path, env: Env[Any], options: str) -> None:
        """Makes the folder where it is missing.

        Raises:
            OSError: if it cannot be made.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.env = env
        self._identity = {"game": env.id, "version": env.version, "options": options}

    def new_id(self) -> str:
        """Returns the name of a new game."""
        return secrets.token_hex(8)

    def save(self, session: Session) -> None:
        """Writes a game; hold its lock."""
        files.replace(self._path(session.id), json.dumps(self._document(session)) + "\n")

    def load(self, name: str) -> Session:
        """Reads a game.

        Raises:
            UnknownGame: if there is none of this name.
            ValueError: if the file is damaged or belongs to another game.
        """
        path = self._path(name)
        if not path.is_file():
            raise UnknownGame(f"there is no game {name}")
        return self._session(name, self._read(path))

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
        paths = [path for path in self.folder.glob("*.json") if _ID.fullmatch(path.stem)]
        dated = sorted(((path.stat().st_mtime, path) for path in paths), reverse=True)
        found: list[dict[str, Any]] = []
        for changed, path in dated:
            if len(found) == most:
                break
            try:
                document = self._read(path)
            except ValueError:
                continue  # of another game, or damaged: opening it says what is wrong
            found.append(
                {
                    "id": path.stem,
                    "changed": changed,
                    "seats": document["seats"],
                    "moves": len(document["nodes"]),
                }
            )
        return found

    def _path(self, name: str) -> pathlib.Path:
        # The pattern keeps every path inside the folder.
        if not isinstance(name, str) or not _ID.fullmatch(name):
            raise UnknownGame("the name of a game has 16 digits or letters from a to f")
        return self.folder / f"{name}.json"

    def _document(self, session: Session) -> dict[str, Any]:
        tree = session.tree
        return {
            "format": FORMAT,
            **self._identity,
            "created": session.created,
            "seats": session.seats,
            "runs": session.runs,
            "seed": tree.seed,
            "position": tree.position,
            "current": tree.current,
            "values": tree.first_values,
            "nodes": [
                [number, node.parent, node.action, node.move, node.seat, node.values]
                for number, node in tree.nodes.items()
            ],
        }

    def _read(self, path: pathlib.Path) -> dict[str, Any]:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path.name} has more than {MOST_BYTES} bytes")
        document = files.parse_json(path.read_bytes(), allow_nan=False)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"{path.name} is no game of this program")
        files.check_identity("games", path, document, self._identity)
        return document

    def _session(self, name: str, document: dict[str, Any]) -> Session:
        try:
            tree = GameTree(self.env, int(document["seed"]), document["position"])
            tree.first_values = _values(document["values"])
            for number, parent, action, move, seat, values in document["nodes"]:
                if parent != ROOT and parent not in tree.nodes:
                    raise ValueError(f"position {number} comes before position {parent}")
                ply = tree.ply(parent) + 1
                tree.add(number, Node(parent, action, move, seat, ply, _values(values)))
            tree.go(document["current"])
            return Session(
                id=name,
                tree=tree,
                seats=[str(seat) for seat in document["seats"]],
                created=float(document["created"]),
                runs=bool(document["runs"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the file of game {name} is damaged: {error}") from error


def _values(values: Any) -> tuple[float, ...] | None:
    return None if values is None else tuple(float(value) for value in values)


def now() -> float:
    """Returns the seconds since 1970."""
    return time.time()
