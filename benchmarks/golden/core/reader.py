"""What a game brings to read its golden files."""

import dataclasses
import pathlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from benchmarks.golden.core.records import Fields, Record, Verdict


@dataclasses.dataclass(frozen=True)
class CheckSettings:
    """How much of the data is checked.

    Raises:
        ValueError: if `max_depth` is not positive.
    """

    deep: bool = False
    """Also check what takes minutes, such as values of solved endgames."""
    max_depth: int | None = None
    """Deepest ply to which move sequences are counted; None: all that the records hold."""
    names: tuple[str, ...] = ()
    """Names of the records to check, in files whose records have names; empty: all."""
    directory: pathlib.Path | None = None
    """Where the file is, for records that refer to those of another file."""

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
    """In a file that is one JSON object: the name of its list of records; None: it is one record.
    Files of JSON lines need nothing here."""
    key: str | None = None
    """Field that names a record; a report then names records instead of printing them."""
    gather: Callable[[list[Record]], list[Record]] | None = None
    """Makes records of the lines of a file in which a record takes several."""


Reader = Mapping[str, FileKind]  # by file name, in the order in which files are checked
