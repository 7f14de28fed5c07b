"""Results of the compilers that a later call of the command uses again.

A result is used again by the same clean revision of the code, with the same packages, settings of
JAX and XLA, and plugins; a result of the target `here` only on the same kind of device.
"""

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

from benchmarks import environment
from benchmarks.ahead_of_time import targets
from jaxgames.internal import files

COMPILERS = ("jax", "libtpu", "nvidia-")  # how the names of their packages begin
SETTINGS = ("JAX_", "XLA_", "LIBTPU_")  # how the names of variables begin that compilers read
NO_SETTINGS = ("JAX_COMPILATION_CACHE", "JAX_ENABLE_COMPILATION_CACHE")  # the worker has no cache
MOST_LETTERS = 500  # of the message of a compiler

PARTS = ("memory", "chip")  # of a program that compiles
UNREAD, MODEL = "unread", "model"  # of which it has one


def check_root(root: pathlib.Path) -> None:
    """Makes the folder of all kept results.

    Raises:
        ValueError: if the folder cannot be made or written.
    """
    try:
        files.make_folder("--kept", root)
    except FileExistsError as error:
        raise ValueError(f"--kept: {root} is a file, expected a folder") from error
    except OSError as error:
        raise ValueError(f"--kept: cannot make the folder {root}: {error.strerror}") from error
    files.check_writable("--kept", root / "result")


@contextlib.contextmanager
def open_root(root: pathlib.Path, plugins: Sequence[str]) -> Iterator[pathlib.Path]:
    """Gives the folder of all kept results, or an empty one that is deleted at the end.

    Results of code that nothing identifies are never used again.
    """
    if reason := _problem(plugins):
        print(f"no result is kept for another call: {reason}", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="jaxgames-ahead-of-time-") as folder:
            yield pathlib.Path(folder)
    else:
        yield root


def _problem(plugins: Sequence[str]) -> str | None:
    """Returns why the revision does not identify the code that runs; None if it does."""
    for plugin in plugins:
        path = pathlib.Path(getattr(sys.modules.get(plugin), "__file__", None) or "")
        if not path.is_relative_to(environment.CHECKOUT) or "site-packages" in path.parts:
            return f"the plugin {plugin} is not part of the checkout"
    return environment.revision_problem()


def folder(
    root: pathlib.Path, record: Mapping[str, Any], target: str, plugins: Sequence[str]
) -> pathlib.Path:
    """Returns the folder of the results of a target.

    Args:
        root: the folder of all kept results.
        record: of this machine.
        target: the name of a target.
        plugins: modules that were imported first.
    """
    key = {
        "python": record["python"],
        "versions": _compilers() | record["versions"],
        "settings": {
            name: value
            for name, value in os.environ.items()
            if name.startswith(SETTINGS) and not name.startswith(NO_SETTINGS)
        },
        "plugins": list(plugins),
        "device": [record["device"], record["cpu"]] if target == targets.HERE else None,
    }
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    return root / f"{record['revision']}-{digest[:12]}"


@functools.cache
def _compilers() -> dict[str, str]:
    """Returns the versions of the installed packages that JAX compiles with."""
    found = ((one.metadata["Name"], one.version) for one in metadata.distributions())
    return {name: version for name, version in found if name and name.startswith(COMPILERS)}


def file_name(target: str, game: str, preset: str, batch: int, program: str) -> str:
    """Returns the name of the file that describes a program."""
    size = [str(batch)] if program in targets.OF_BATCH else []
    words = "-".join([target.replace(":", "_"), game, preset, *size, program])
    return words.replace(", ", "_").replace(" ", "_") + ".json"


def write(path: pathlib.Path, found: Mapping[str, Any]) -> None:
    """Writes what was found about a program."""
    files.replace(path, json.dumps(found, indent=1) + "\n")


def read(path: pathlib.Path) -> dict[str, Any] | None:
    """Returns what was found about a program; None, with a notice, if the file is damaged.

    A program that does not compile has the single field `error`.
    """
    try:
        found = files.parse_json(path.read_bytes())
    except ValueError:
        found = None
    result: dict[str, Any] = found if isinstance(found, dict) else {}
    is_whole = all(isinstance(result.get(name), dict) for name in PARTS) and (
        isinstance(result.get(MODEL), dict) or isinstance(result.get(UNREAD), str)
    )
    if is_whole or isinstance(result.get("error"), str):
        return result
    print(f"{path} is damaged and not used", file=sys.stderr)
    return None
