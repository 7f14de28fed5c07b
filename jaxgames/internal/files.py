"""Files that are written as a whole, and never mixed with files of other games.

They are local files, for which `pathlib` is enough: `etils.epath` and `universal-pathlib` reach
object stores as well, but write no file as a whole.
"""

import errno
import json
import os
import pathlib
import re
import secrets
import tempfile
import types
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TextIO

from jaxgames.internal import texts

# Of an object store or a page; one letter is a drive. `pathlib` leaves one of two slashes.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[/\\]")


def is_address(path: str | os.PathLike[str]) -> bool:
    """Returns whether a path is the address of an object store or a page, such as `gs://x/y`."""
    return _ADDRESS.match(os.fspath(path)) is not None


def check_local(argument: str, path: str | os.PathLike[str]) -> None:
    """Raises a `ValueError` for the address of an object store, which is no path of this system."""
    if is_address(path):
        raise ValueError(
            f"{argument}: expected a path of this machine, got the address {os.fspath(path)}; "
            "mount the store as a folder, or copy the files to it afterwards"
        )


def make_folder(argument: str, path: pathlib.Path) -> None:
    """Makes a folder, and those that it is in, where they are missing.

    Raises:
        ValueError: if it is the address of an object store.
        OSError: if it cannot be made.
    """
    check_local(argument, path)
    path.mkdir(parents=True, exist_ok=True)


def check_writable(argument: str, path: pathlib.Path) -> None:
    """Raises a `ValueError` if the file cannot be written; tests this with a file beside it."""
    check_local(argument, path)
    if not path.parent.is_dir():
        raise ValueError(f"{argument}: there is no directory {path.parent}")
    if os.path.isdir(path):
        raise ValueError(f"{argument}: {path} is a directory, expected the name of a file")
    check_regular(argument, path)
    try:
        with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent):
            pass
    except OSError as error:
        raise ValueError(f"{argument}: cannot write {path}: {error.strerror}") from error


def check_identity(
    argument: str,
    path: pathlib.Path,
    found: Any,
    identity: dict[str, Any],
    older: Mapping[str, Any] = types.MappingProxyType({}),
) -> None:
    """Checks that a file belongs to the games of this program.

    Args:
        argument: the option that names the file.
        path: the file.
        found: what the file says of its games.
        identity: what it should say.
        older: what files of older versions do not say, and what holds for them.

    Raises:
        ValueError: if something differs; names it.
    """
    for name, expected in identity.items():
        value = found.get(name, older.get(name)) if isinstance(found, dict) else found
        if not isinstance(found, dict) or value != expected:
            raise ValueError(
                f"{argument}: {path} belongs to other games: its {name} is {value}, "
                f"not {expected}; name another file"
            )


def parse_json(
    text: str | bytes,
    *,
    allow_nan: bool = True,
    make_object: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """Returns the value of a JSON text.

    Args:
        text: the text, or its bytes.
        allow_nan: whether `NaN` and the infinities are read, which are no JSON.
        make_object: maps the keys and values of an object to its value; None: a dictionary, with
            the last value of a key that stands there twice.

    Raises:
        ValueError: for anything else, however deep its brackets are nested.
    """
    try:
        text = text if isinstance(text, bytes) else texts.plain(text)
        constant = None if allow_nan else _refuse_constant
        return json.loads(text, parse_constant=constant, object_pairs_hook=make_object)
    except RecursionError as error:
        raise ValueError("brackets are nested too deep") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def replace(path: pathlib.Path, content: str | bytes) -> None:
    """Replaces a file in one step, so that it is complete whenever the program is killed."""
    replace_all({path: content})


def replace_all(contents: Mapping[pathlib.Path, str | bytes]) -> None:
    """Replaces files once all of them are written: an error leaves every old one as it is.

    A link stays, the file that it leads to is replaced.

    Raises:
        OSError: if one cannot be written, or is a device, a pipe, an address or the like.
    """
    for path in filter(is_address, contents):
        raise OSError(errno.EINVAL, "an address, no path of this machine", str(path))
    contents = {pathlib.Path(os.path.realpath(path)): content for path, content in contents.items()}
    for path in filter(_is_special, contents):
        raise OSError(errno.EINVAL, "no regular file", str(path))
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


def open_to_append(path: pathlib.Path) -> TextIO:
    """Returns a file that is open for more text at its end; it is made if it is missing.

    Raises:
        ValueError: if it holds a text that cannot be read.
        OSError: if it cannot be written.
    """
    if path.is_file():
        with path.open("rb") as file:
            is_utf_16 = texts.is_utf_16(file.read(2))
        if is_utf_16:
            replace(path, texts.read(path))
    return path.open("a", encoding="utf-8", newline="\n")


def check_regular(argument: str, path: pathlib.Path) -> None:
    """Raises a `ValueError` for a device, a pipe or the like, which would block a reader."""
    if _is_special(path):
        raise ValueError(f"{argument}: {path} is no regular file")


def _is_special(path: pathlib.Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def deliver(contents: Mapping[pathlib.Path, str | bytes]) -> None:
    """Replaces files with the results of long work, which must not be lost.

    Missing folders are made. If the files cannot be written, all of the contents are written to a
    new folder among the system's temporary files.

    Raises:
        OSError: if the files could not be written; says where the results are.
    """
    try:
        for path in contents:
            if not is_address(path):
                path.parent.mkdir(parents=True, exist_ok=True)
        replace_all(contents)
    except OSError as error:
        reason = f"cannot write {', '.join(map(str, contents))}: {error.strerror or error}"
        raise OSError(f"{reason}; {_keep(contents)}") from error


def deliver_new(path: pathlib.Path, content: str | bytes) -> None:
    """Writes a result as `deliver` does, but never over a file that has appeared meanwhile.

    Raises:
        OSError: if the file exists or could not be written; says where the result is.
    """
    if path.exists():
        raise OSError(f"{path} exists already; {_keep({path: content})}")
    deliver({path: content})


def _keep(contents: Mapping[pathlib.Path, str | bytes]) -> str:
    """Writes results to a folder of temporary files; returns where, or why not."""
    try:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="jaxgames-results-"))
        replace_all({folder / path.name: content for path, content in contents.items()})
    except OSError as error:
        return f"nor to the temporary folder: {error.strerror or error}"
    return f"the results are kept in {folder}"
