"""How the golden files of a game are read and checked: its `Reader`."""

import dataclasses
import pathlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from benchmarks.golden.core.records import Fields, Record, Verdict


@dataclasses.dataclass(frozen=True)
class CheckSettings:
    """Settings that limit or extend a check.

    Raises:
        ValueError: if `max_depth` is not positive.
    """

    deep: bool = False
    """Also makes checks that take minutes, such as values of solved endgames."""
    max_depth: int | None = None
    """Deepest ply to which move sequences are counted; None: all that the records hold."""
    names: tuple[str, ...] = ()
    """Names of the records to check, in files whose records have names; empty: all."""
    directory: pathlib.Path | None = None
    """The folder of the file, for records that refer to records of another file."""

    def __post_init__(self) -> None:
        """Checks the depth."""
        if self.max_depth is not None and self.max_depth < 1:
            raise ValueError(f"max_depth must be at least 1, got {self.max_depth}")


class FileKind(NamedTuple):
    """One file of a game's golden data."""

    fields: Fields
    """Fields that each record must have."""
    check: Callable[[list[Record], CheckSettings], list[Verdict]]
    """Compares all records of the file with the game; one verdict for each."""
    rows: str | None = None
    """For a file with one JSON object: name of its list of records; None: it is the only record.
    Unused for files of JSON lines."""
    key: str | None = None
    """Field with the name of a record, which a report then prints instead of the record."""
    gather: Callable[[list[Record]], list[Record]] | None = None
    """Joins lines to records, in a file in which a record takes several lines."""


Reader = Mapping[str, FileKind]  # by file name, in the order in which files are checked


def each(
    check: Callable[[Record], Verdict],
) -> Callable[[list[Record], CheckSettings], list[Verdict]]:
    """Returns the check of a file whose records are compared one by one."""
    return lambda records, settings: [check(record) for record in records]
