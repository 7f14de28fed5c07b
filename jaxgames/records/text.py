"""Records as text and as files; `docs/records.md` describes the format.

Reading checks the form, the types and the checksums, and names the game and the move at fault.
Whether the moves are legal is up to `replay.py`.
"""

import hashlib
import json
import math
import os
import pathlib
from typing import Any

from jaxgames.internal import checks, files, texts
from jaxgames.records.record import Move, Record, Seat

FORMAT = 1
MAX_NUMBER = 2**31
_FIRST = ("record", "game", "seats", "start")
_FIRST_OPTIONAL = ("options", "random", "versions", "comment", "tags")
_MOVE_OPTIONAL = ("key", "values", "seconds", "comment")
_LAST_OPTIONAL = ("end", "ending", "checksum")
_CHECKSUM = "checksum"


def to_text(*records: Record) -> str:
    """Returns games as the content of a file."""
    return "".join(map(_game_text, records))


def from_text(text: str, *, drop_cut_off: bool = False) -> list[Record]:
    """Returns the games of a text.

    Args:
        text: the text.
        drop_cut_off: whether a last game that is cut off is left out, and a text without games is
            read.

    Raises:
        ValueError: for a text that is no record, is cut off or was changed; names the game and the
            move, both counted from 1, and what was expected.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected the text of a record, got {text!r}"[:400])
    # Other separators of lines, such as U+2028, may be part of a text in JSON.
    lines = texts.plain(text).split("\n")
    if drop_cut_off:
        lines = lines[:-1]
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            reader.read(number, line)
    if not drop_cut_off:
        reader.check_complete()
    return reader.records


def read(path: str | os.PathLike[str], *, drop_cut_off: bool = False) -> list[Record]:
    """Returns the games of a file.

    Args:
        path: the file.
        drop_cut_off: as in `from_text`.

    Raises:
        ValueError: if there is no such file, or as `from_text`.
    """
    path = pathlib.Path(path)
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        return from_text(texts.read(path), drop_cut_off=drop_cut_off)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is not a file of game records, or damaged: {error}") from error


def write(path: str | os.PathLike[str], *records: Record) -> None:
    """Writes games to a file, which appears complete or not at all.

    Raises:
        OSError: if it cannot be written.
    """
    files.replace(pathlib.Path(path), to_text(*records))


def append(path: str | os.PathLike[str], *records: Record) -> None:
    """Adds games to the end of a file; a program that is killed may leave the last one cut off.

    Raises:
        OSError: if it cannot be written.
    """
    with files.open_to_append(pathlib.Path(path)) as file:
        file.write(to_text(*records))
        file.flush()
        os.fsync(file.fileno())


def _game_text(record: Record) -> str:
    first: dict[str, Any] = {
        "record": FORMAT,
        "game": record.game,
        "options": dict(record.options),
        "seats": [_filled(seat._asdict(), ("agent",)) for seat in record.seats],
        "start": record.start,
        "random": record.random,
        "versions": dict(record.versions),
        "comment": record.comment,
        "tags": dict(record.tags),
    }
    lines = [_filled(first, _FIRST)]
    for move in record.moves:
        content = {
            "move": move.text,
            "key": move.key,
            "values": list(move.values),
            "seconds": move.seconds,
            "comment": move.comment,
        }
        lines.append(_filled(content, ("move",)))
    returns = None if record.returns is None else list(record.returns)
    last = {"end": record.end, "returns": returns, "ending": record.ending}
    text = "".join(f"{_line(content)}\n" for content in lines)
    ending = _line(_filled(last, ("returns",)))
    return f"{text}{_with_checksum(ending, _digest(text + ending))}\n"


def _filled(content: dict[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
    """Returns the entries that are needed or not empty."""
    return {
        name: value
        for name, value in content.items()
        if name in needed or not (value is None or value == "" or value == [] or value == {})
    }


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, allow_nan=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _with_checksum(line: str, digest: str) -> str:
    """Returns a line that is a JSON object, with its checksum as the last entry."""
    return f'{line[:-1]}, "{_CHECKSUM}": "{digest}"}}'


class _Reader:
    """Reads line after line."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.first: dict[str, Any] | None = None
        self.moves: list[Move] = []
        self.lines: list[str] = []  # of the game in progress

    def read(self, number: int, line: str) -> None:
        try:
            content = checks.parsed(line, f"line {number}")
        except ValueError as error:
            raise self._cut_off(error) from error
        if not isinstance(content, dict):
            raise ValueError(f"line {number}: expected an object, got {content!r}"[:400])
        if "record" in content:
            if self.first is not None:
                raise ValueError(f"{self._game()} has no last line: line {number} begins another")
            self.first = content
            _check_first(self._game(), content)
        elif self.first is None:
            raise ValueError(
                f'line {number}: expected the first line of a game, {{"record": {FORMAT}, ...}}, '
                f"got {line[:60]}"
            )
        elif "move" in content:
            self.moves.append(_move(f"{self._game()}, move {len(self.moves) + 1}", content))
        elif "returns" in content:
            self._check_sum(line, content)
            self.records.append(_record(self._game(), self.first, self.moves, content))
            self.first, self.moves, self.lines = None, [], []
            return
        else:
            raise ValueError(
                f"{self._game()}, line {number}: expected a move or the last line, with an entry "
                f"'move' or 'returns'; got {line[:60]}"
            )
        self.lines.append(line)

    def check_complete(self) -> None:
        """Raises a `ValueError` unless there is a game, and the last one is complete."""
        if self.first is not None:
            raise ValueError(
                f"{self._game()} is cut off after {len(self.moves)} moves: its last line, with the "
                "entry 'returns', is missing"
            )
        if not self.records:
            raise ValueError("there is no game in it")

    def _game(self) -> str:
        return f"game {len(self.records) + 1}"

    def _cut_off(self, error: ValueError) -> ValueError:
        if self.first is None:
            return error
        return ValueError(f"{self._game()}, after {len(self.moves)} moves: {error}")

    def _check_sum(self, line: str, content: dict[str, Any]) -> None:
        """Raises a `ValueError` unless the lines are as the checksum says, if there is one."""
        if _CHECKSUM not in content:
            return
        rest = {name: value for name, value in content.items() if name != _CHECKSUM}
        ending = _line(rest)
        digest = _digest("".join(f"{text}\n" for text in self.lines) + ending)
        if _with_checksum(ending, digest) != line:
            raise ValueError(
                f"{self._game()} is not as its checksum says; whoever changes a record removes "
                f"the entry {_CHECKSUM!r} of its last line"
            )


def _check_first(place: str, content: dict[str, Any]) -> None:
    if content["record"] != FORMAT or isinstance(content["record"], bool):
        raise ValueError(
            f"{place}: this version reads records of format {FORMAT}, got {content['record']!r}"
        )
    checks.keys(content, _FIRST, place, _FIRST_OPTIONAL)
    for name in ("game", "start", "random", "comment"):
        checks.text(content.get(name, ""), f"{place}, {name}")
    for name in ("options", "versions", "tags"):
        if not isinstance(content.get(name, {}), dict):
            raise ValueError(f"{place}, {name}: expected an object, got {content[name]!r}"[:400])
    for name, version in content.get("versions", {}).items():
        checks.text(version, f"{place}, versions, {name}")
    seats = content["seats"]
    if not isinstance(seats, list) or not seats:
        raise ValueError(f"{place}, seats: expected a list of seats, got {seats!r}"[:400])
    for number, seat in enumerate(seats):
        where = f"{place}, seat {number}"
        checks.keys(seat, ("agent",), where, ("name",))
        checks.text(seat["agent"], f"{where}, agent")
        checks.text(seat.get("name", ""), f"{where}, name")


def _move(place: str, content: dict[str, Any]) -> Move:
    checks.keys(content, ("move",), place, _MOVE_OPTIONAL)
    key = checks.text(content.get("key", ""), f"{place}, key")
    if len(key) % 8 or not all(digit in "0123456789abcdef" for digit in key):
        raise ValueError(f"{place}, key: expected words of 8 hexadecimal digits, got {key!r}")
    seconds = content.get("seconds")
    if seconds is not None and not (_number(seconds, f"{place}, seconds") >= 0):
        raise ValueError(f"{place}, seconds: expected a number from 0 on, got {seconds!r}")
    return Move(
        checks.text(content["move"], f"{place}, move"),
        key,
        _numbers(content.get("values", []), f"{place}, values"),
        seconds,
        checks.text(content.get("comment", ""), f"{place}, comment"),
    )


def _record(place: str, first: dict[str, Any], moves: list[Move], last: dict[str, Any]) -> Record:
    checks.keys(last, ("returns",), f"{place}, last line", _LAST_OPTIONAL)
    returns = last["returns"]
    if returns is not None:
        returns = _numbers(returns, f"{place}, returns")
        if len(returns) != len(first["seats"]):
            raise ValueError(
                f"{place}, returns: expected a number for each of {len(first['seats'])} seats, "
                f"got {list(returns)}"
            )
    for number, move in enumerate(moves, start=1):
        if len(move.values) not in (0, len(first["seats"])):
            raise ValueError(
                f"{place}, move {number}, values: expected a number for each of "
                f"{len(first['seats'])} seats, got {list(move.values)}"
            )
    return Record(
        game=first["game"],
        options=first.get("options", {}),
        seats=tuple(Seat(seat["agent"], seat.get("name", "")) for seat in first["seats"]),
        start=first["start"],
        moves=tuple(moves),
        end=checks.text(last.get("end", ""), f"{place}, end"),
        returns=returns,
        ending=checks.text(last.get("ending", ""), f"{place}, ending"),
        random=first.get("random", ""),
        comment=first.get("comment", ""),
        tags=first.get("tags", {}),
        versions=first.get("versions", {}),
    )


def _number(value: Any, place: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or abs(value) > MAX_NUMBER:
        raise ValueError(f"{place}: expected a number, got {value!r}"[:400])
    return value


def _numbers(value: Any, place: str) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{place}: expected a list of numbers, got {value!r}"[:400])
    return tuple(float(_number(item, place)) for item in value)
