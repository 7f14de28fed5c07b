"""Checksums of a numbered folder of files, such as a checkpoint, kept in a file inside it.

Damage and exchanged folders are noticed before their content is used. The file is a JSON text
without spaces: the number of the folder, and the SHA-256 digest of every other file.
"""

import hashlib
import json
import pathlib
from typing import Any

from jaxgames.internal import files, texts

FILE_NAME = "checksums.json"


def write(folder: pathlib.Path, number: int) -> None:
    """Writes the checksums of all files in a folder, its subfolders included."""
    files.replace(folder / FILE_NAME, _text(number, _digests(folder)))


def exist(folder: pathlib.Path) -> bool:
    """Returns whether a folder has checksums."""
    return (folder / FILE_NAME).exists()


def problem(folder: pathlib.Path, number: int) -> str | None:
    """Returns in a few words how a folder differs from its checksums; None if it does not.

    Args:
        folder: a folder with checksums.
        number: the number that the folder should have.
    """
    try:
        text = texts.read(folder / FILE_NAME)
        digests = _digests(folder)
    except (OSError, UnicodeDecodeError) as error:
        return f"it cannot be read: {error}"
    return None if text == _text(number, digests) else _difference(text, number, digests)


def _digests(folder: pathlib.Path) -> dict[str, str]:
    """Returns `path in the folder -> digest` of all files but the file of checksums."""
    digests = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != FILE_NAME:
            with path.open("rb") as file:
                digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _text(number: int, digests: dict[str, str]) -> str:
    return json.dumps({"number": number, "sha256": digests}, separators=(",", ":"))


def _difference(text: str, number: int, digests: dict[str, str]) -> str:
    try:
        content: Any = files.parse_json(text)
        saved, saved_number = dict(content["sha256"]), content["number"]
    except (ValueError, KeyError, TypeError):
        return f"{FILE_NAME} is damaged"
    if saved_number != number:
        return f"it is that of {saved_number!r}"
    names = [n for n in sorted({*saved, *digests}) if saved.get(n) != digests.get(n)]
    return f"changed: {', '.join(names)}" if names else f"{FILE_NAME} is damaged"
