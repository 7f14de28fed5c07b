"""Checks a directory of golden data against a game."""

import dataclasses
import difflib
import os
import pathlib
from collections.abc import Collection, Iterator

from benchmarks.golden.core.reader import CheckSettings, Reader
from benchmarks.golden.core.records import FileReport, read_records
from jaxgames.internal import imports
from jaxgames.internal.messages import hint

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
VARIABLE = "JAXGAMES_GOLDEN"
DOCUMENTATION = {"README.md", "read_golden.py"}
# The folder of each game in the shared golden data, and the import path of its reader.
FOLDERS = {name: name for name in ("murus_gallicus", "onitama", "terra_mystica", "tribes")}
_READERS = {name: f"benchmarks.golden.{name}:READER" for name in FOLDERS}


def register(name: str, folder: str, reader: str) -> None:
    """Adds a game that plays the golden data in the folder of another one.

    Args:
        name: the game.
        folder: the game whose golden data it plays.
        reader: import path of its `Reader`.
    """
    FOLDERS[name], _READERS[name] = folder, reader


def folder_of(name: str) -> str:
    """Returns the folder of a game.

    Raises:
        ValueError: for a game without golden data; offers the nearest one.
    """
    if name not in FOLDERS:
        listed = f"available: {', '.join(FOLDERS)}{hint(name, FOLDERS)}"
        raise ValueError(f"no golden data for game {name!r}; {listed}")
    return FOLDERS[name]


def shared_directory(name: str) -> pathlib.Path:
    """Returns the folder of the shared golden data of a game; it need not exist.

    The folder of the game in the directory that the environment variable `JAXGAMES_GOLDEN` names,
    else in `shared/golden` beside the checkout.

    Raises:
        ValueError: for a game without golden data.
    """
    root = os.environ.get(VARIABLE)
    base = pathlib.Path(root) if root else CHECKOUT.parent / "shared" / "golden"
    return base / folder_of(name)


def check_directory(
    name: str, path: pathlib.Path, settings: CheckSettings, files: Collection[str] = ()
) -> Iterator[FileReport]:
    """Yields a report for each file of a directory, as soon as it is checked.

    Files that are missing, and files that the reader does not know, get a report too.

    Args:
        name: the game.
        path: the directory.
        settings: limits of the check.
        files: names of the files to check; empty: all files of the game.

    Raises:
        ValueError: for an unknown game or file name, a path that is no directory, a directory
            without any file of the game, a malformed record, or, once all files are checked, a
            name that no record has.
    """
    reader = _reader_of(name)
    for file_name in files:
        if file_name not in reader:
            raise ValueError(f"{name} has no file {file_name!r}; available: {', '.join(reader)}")
    if not path.is_dir():
        fault = "is not a directory" if path.exists() else "does not exist"
        raise ValueError(
            f"golden data of {name!r}: {path} {fault}; expected a directory with "
            f"{', '.join(reader)} (choose it with --path or {VARIABLE})"
        )
    present = {file.name for file in path.iterdir()}
    if not present & set(reader):
        raise ValueError(f"{path} has no golden data of {name!r}: none of {', '.join(reader)}")
    named: set[str] = set()
    for file_name, kind in reader.items():
        if files and file_name not in files:
            continue
        if file_name not in present:
            yield FileReport(file_name, remark="no such file")
            continue
        records = read_records(path / file_name, kind.fields, kind.rows)
        if kind.gather:
            records = kind.gather(records)
        if kind.key:
            named.update(str(record[kind.key]) for record in records)
        if settings.names:
            records = [r for r in records if kind.key and str(r[kind.key]) in settings.names]
        here = dataclasses.replace(settings, directory=path)
        verdicts = kind.check(records, here) if records else []
        yield FileReport(file_name, tuple(records), tuple(verdicts), key=kind.key)
    for record_name in settings.names:
        if record_name not in named:
            raise ValueError(_no_record(name, record_name, named))
    unknown = set() if files else present - set(reader) - DOCUMENTATION
    for file_name in sorted(unknown):
        yield FileReport(file_name, remark="unknown file")


def _no_record(game: str, record: str, named: Collection[str]) -> str:
    """Returns the message for a record name that no file has."""
    if not named:
        return f"the records of {game} have no names, so that {record!r} cannot be chosen"
    nearest = difflib.get_close_matches(record, named, n=3, cutoff=0)
    return f"no record of {game} is named {record!r}; did you mean {' or '.join(nearest)}?"


def _reader_of(name: str) -> Reader:
    folder_of(name)
    reader: Reader = imports.load(_READERS[name])
    return reader
