"""Files that are written as a whole, and never mixed with files of other games."""

import os
import pathlib
import secrets
import tempfile
from collections.abc import Mapping
from typing import Any


def check_writable(argument: str, path: pathlib.Path) -> None:
    """Raises a `ValueError` if the file cannot be written; tests this with a file beside it."""
    if not path.parent.is_dir():
        raise ValueError(f"{argument}: there is no directory {path.parent}")
    if os.path.isdir(path):
        raise ValueError(f"{argument}: {path} is a directory, expected the name of a file")
    try:
        with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent):
            pass
    except OSError as error:
        raise ValueError(f"{argument}: cannot write {path}: {error.strerror}") from error


def check_identity(argument: str, path: pathlib.Path, found: Any, identity: dict[str, Any]) -> None:
    """Raises a `ValueError` if the games that a file describes differ from `identity`."""
    for name, expected in identity.items():
        if not isinstance(found, dict) or found.get(name) != expected:
            value = found.get(name) if isinstance(found, dict) else found
            raise ValueError(
                f"{argument}: {path} belongs to other games: its {name} is {value}, "
                f"not {expected}; name another file"
            )


def replace(path: pathlib.Path, content: str | bytes) -> None:
    """Replaces a file in one step, so that it is complete whenever the program is killed."""
    replace_all({path: content})


def replace_all(contents: Mapping[pathlib.Path, str | bytes]) -> None:
    """Replaces files once all of them are written: an error leaves every old one as it is."""
    temporary: dict[pathlib.Path, pathlib.Path] = {}
    try:
        for path, content in contents.items():
            temporary[path] = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
            # Unlike files of `tempfile`, these get the usual permissions of the user's files.
            handle = os.open(temporary[path], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
        for path in contents:
            os.replace(temporary[path], path)
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)
