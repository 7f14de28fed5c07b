"""The folder of exported programs: whole files with checksums, limited in size together.

Every program is a file of its own, named by its key. Several processes may read and write at once:
a file appears complete or not at all, and one that another process has removed is not there.
"""

import contextlib
import os
import pathlib
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from jaxgames.internal import array_files, files

VARIABLE = "JAXGAMES_PROGRAM_CACHE"
"""Environment variable: `off` traces every program anew, while compiled ones are still kept. For
processes that replace functions of the library after they are loaded, which no key can know."""
FOLDER = "programs"  # in the folder of compiled programs
SUFFIX = ".npz"
MOST_BYTES = 2**29  # of all programs together


class Entry(NamedTuple):
    """A program on disk."""

    program: bytes
    """The exported program."""
    result: Any
    """The structure of its result, of `tree_texts`."""


def folder() -> pathlib.Path | None:
    """Returns the folder of exported programs; None if none are kept.

    They are kept where JAX's own cache has a folder and is on.
    """
    import jax

    config: Any = jax.config
    chosen = config.jax_compilation_cache_dir
    is_on = config.jax_enable_compilation_cache and os.environ.get(VARIABLE) != "off"
    if not chosen or not is_on or files.is_address(chosen):
        return None
    return pathlib.Path(chosen) / FOLDER


def read(path: pathlib.Path, name: str) -> Entry | None:
    """Returns a program; None if there is none, or a damaged one, which a message tells.

    Args:
        path: its file.
        name: what the program is for, in the message.
    """
    try:
        if not path.exists():
            return None
        arrays, meta = array_files.read(path)
        entry = Entry(arrays["program"].tobytes(), meta["result"])
        with contextlib.suppress(OSError):
            os.utime(path)  # the programs that were not used for longest are removed first
    except (ValueError, KeyError, TypeError) as error:
        tell_damaged(path, name, error)
        return None
    return entry


def tell_damaged(path: pathlib.Path, name: str, error: Exception) -> None:
    """Prints that a program cannot be used, and removes it."""
    print(f"{name} is traced anew: {path} is damaged ({error})", file=sys.stderr)
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def write(path: pathlib.Path, entry: Entry, most_bytes: int = MOST_BYTES) -> None:
    """Writes a program and removes old ones beyond the limit; without room, nothing is kept."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = np.frombuffer(entry.program, np.uint8)
        array_files.write(path, {"program": content}, {"result": entry.result}, compressed=True)
        _remove_oldest(path, most_bytes)


def _remove_oldest(newest: pathlib.Path, most_bytes: int) -> None:
    others = sorted(_sizes(newest.parent), reverse=True)
    total = 0
    for _, size, path in others:
        total += size
        if total > most_bytes and path != newest:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _sizes(place: pathlib.Path) -> Iterator[tuple[float, int, pathlib.Path]]:
    """Returns time of the last use, bytes and path of every program."""
    for path in place.glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError):
            status = path.stat()
            yield status.st_mtime, status.st_size, path
