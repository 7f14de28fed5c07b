"""Records of a golden file, and the verdict of a check on each of them."""

import collections
import dataclasses
import enum
import gzip
import itertools
import json
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxgames.internal import files, texts

Record = dict[str, Any]  # one line of a file, or one object in it
MOST_LISTED = 12  # legal actions of one difference
MOST_FIELDS, MOST_ENTRIES = 6, 6  # of one difference of states
Fields = dict[str, Any]  # name -> kind: a type, a tuple of types, or `[kind]` for a list


class Status(enum.Enum):
    """The kinds of verdict."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NOT_CHECKED = "not checked"


class Verdict(NamedTuple):
    """The outcome of checking one record."""

    status: Status
    detail: str = ""
    """What differs, or why the record was not checked."""
    kind: str = ""
    """The kind of difference; a report counts the differences of a file by kind."""


EQUAL = Verdict(Status.EQUAL)


def different(what: str, expected: Any, actual: Any, kind: str = "") -> Verdict:
    """Returns the verdict on a record that disagrees with the game."""
    detail = f"{what}: the record has {expected}, the game gives {actual}"
    return Verdict(Status.DIFFERENT, detail, kind)


def not_checked(reason: str) -> Verdict:
    """Returns the verdict on a record, or on a part of it, that was not compared."""
    return Verdict(Status.NOT_CHECKED, reason)


def compare(record: Record, mine: Mapping[str, Any]) -> Verdict:
    """Returns the verdict on the computed fields of a record; the first difference counts."""
    for name, value in mine.items():
        if record[name] != value:
            return different(name, repr(record[name]), repr(value))
    return EQUAL


def different_states(
    place: str, expected: Mapping[str, np.ndarray], actual: Mapping[str, np.ndarray]
) -> Verdict:
    """Returns the verdict on a record whose state differs; it names the entries that do.

    Args:
        place: where in the record.
        expected: the arrays of the recorded state.
        actual: the arrays of the state in the game.
    """
    found = [name for name in expected if not np.array_equal(expected[name], actual[name])]
    where = {
        name: np.argwhere(expected[name] != actual[name])[:MOST_ENTRIES].tolist()
        for name in found[:MOST_FIELDS]
    }
    recorded, computed = (
        "; ".join(
            f"{name} " + ", ".join(f"{index} {side[name][tuple(index)]}" for index in indices)
            for name, indices in where.items()
        )
        for side in (expected, actual)
    )
    return different(place, recorded, computed, "state: " + ", ".join(found))


def different_legal_sets(
    place: str, count: int, listed: Sequence[Any] | None, ours: Sequence[Any], text: Any
) -> Verdict:
    """Returns the verdict on a record whose set of legal actions differs.

    Args:
        place: where in the record.
        count: recorded number of legal actions.
        listed: the recorded actions, if the record has them.
        ours: the legal actions.
        text: maps an action to its words.
    """
    if listed is None:
        kind = "number of legal actions" if len(ours) != count else "legal actions"
        shown = f"{len(ours)}: {'; '.join(map(text, ours))}"
        return different(f"{place}, legal actions", f"{count} (not listed)", shown, kind)
    missing = [text(action) for action in listed if action not in ours]
    added = [text(action) for action in ours if action not in listed]
    words = dict.fromkeys(word.split()[0] for word in missing + added)
    return different(
        f"{place}, legal actions that the other side has not",
        "; ".join(missing[:MOST_LISTED]) or "none",
        "; ".join(added[:MOST_LISTED]) or "none",
        "legal actions: " + ", ".join(words),
    )


def combine(*verdicts: Verdict) -> Verdict:
    """Returns the verdict on a record from those on its parts: equal only if all are equal."""
    for status in (Status.DIFFERENT, Status.NOT_CHECKED):
        for verdict in verdicts:
            if verdict.status is status:
                return verdict
    return EQUAL


@dataclasses.dataclass(frozen=True)
class FileReport:
    """The outcome of checking one file; `verdicts[i]` belongs to `records[i]`."""

    name: str
    records: tuple[Record, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    remark: str = ""
    """Why the file as a whole was not checked."""
    key: str | None = None
    """Field by which a record is named; None: records are short enough to be printed in full."""

    def count(self, status: Status) -> int:
        """Returns the number of records with a status."""
        return sum(verdict.status is status for verdict in self.verdicts)

    @property
    def has_difference(self) -> bool:
        """Whether some record disagrees with the game."""
        return self.count(Status.DIFFERENT) > 0

    def first_difference(self) -> str | None:
        """Returns the first difference in full: its line, what differs, and the record."""
        return next((f"first difference, {text}" for text in self._differences()), None)

    def _differences(self) -> Iterator[str]:
        pairs = zip(self.records, self.verdicts, strict=True)
        for line, (record, verdict) in enumerate(pairs, start=1):
            if verdict.status is not Status.DIFFERENT:
                continue
            if self.key is None:
                yield f"record {line}: {verdict.detail}\n{json.dumps(record)}"
            else:
                yield f"record {line} ({record[self.key]}): {verdict.detail}"

    def lines(self, differences: int = 1) -> list[str]:
        """Returns the report as text, the first line a summary.

        Args:
            differences: number of differing records that are described.
        """
        if self.remark:
            return [f"{self.name}: not checked ({self.remark})"]
        summary = f"{self.count(Status.EQUAL)} of {len(self.verdicts)} records equal"
        for status in (Status.DIFFERENT, Status.NOT_CHECKED):
            if self.count(status):
                summary += f", {self.count(status)} {status.value}"
        text = [f"{self.name}: {summary}"]
        reasons = collections.Counter(
            verdict.detail for verdict in self.verdicts if verdict.status is Status.NOT_CHECKED
        )
        text += [f"  {count} not checked: {reason}" for reason, count in reasons.items()]
        kinds = collections.Counter(verdict.kind for verdict in self.verdicts if verdict.kind)
        text += [f"  {count} different: {kind}" for kind, count in kinds.most_common()]
        for number, difference in enumerate(itertools.islice(self._differences(), differences)):
            place = "next" if number else "first"
            text += ["  " + line for line in f"{place} difference, {difference}".split("\n")]
        return text


def read_records(path: pathlib.Path, fields: Fields, rows: str | None = None) -> list[Record]:
    """Returns the records of a file of JSON lines, or of a `.json` file with one object.

    The name of a file that is compressed ends in `.gz`.

    Args:
        path: the file.
        fields: the fields that every record must have, with the kind of each; see `Fields`.
        rows: name of the object's list of records; None: the object is the only record.

    Raises:
        ValueError: for a record that is not a JSON object with these fields; names file and place.
    """
    data = path.read_bytes()
    text = texts.decode(gzip.decompress(data) if path.suffix == ".gz" else data)
    if path.suffix == ".json":
        record = _parse(text, str(path))
        if rows is None:
            return [_checked(record, fields, str(path))]
        _checked(record, {rows: [dict]}, str(path))
        return [
            _checked(row, fields, f"{path}, {rows}[{number}]")
            for number, row in enumerate(record[rows])
        ]
    places = ((f"{path}, line {n}", line) for n, line in enumerate(text.splitlines(), start=1))
    return [_checked(_parse(line, place), fields, place) for place, line in places]


def _parse(text: str, place: str) -> Record:
    try:
        record = files.parse_json(text)
    except ValueError as error:
        raise ValueError(f"{place}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise ValueError(f"{place}: expected a JSON object, got {text[:80]}")
    return record


def _checked(record: Record, fields: Fields, place: str) -> Record:
    """Returns the record if it has the fields.

    Raises:
        ValueError: if it has not; names place and field.
    """
    for name, kind in fields.items():
        if name not in record:
            raise ValueError(f"{place}: field {name!r} is missing")
        if not _has_kind(record[name], kind):
            raise ValueError(
                f"{place}: field {name!r} must be {_kind_name(kind)}, got {record[name]!r}"
            )
    return record


def _has_kind(value: Any, kind: Any) -> bool:
    if isinstance(kind, list):
        return isinstance(value, list) and all(_has_kind(item, kind[0]) for item in value)
    if isinstance(kind, tuple):
        return any(_has_kind(value, item) for item in kind)
    return isinstance(value, kind) and not isinstance(value, bool)


def _kind_name(kind: Any) -> str:
    if isinstance(kind, list):
        return f"a list of {_kind_name(kind[0])}"
    if isinstance(kind, tuple):
        return " or ".join(_kind_name(item) for item in kind)
    return {type(None): "null", dict: "an object"}.get(kind, kind.__name__)
