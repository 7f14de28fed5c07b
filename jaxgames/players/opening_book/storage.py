"""Books as files: one `.npz` of the arrays but the keys, and the entry `meta`, a JSON text.

The text says of which game the book is, with version and options, and how it was built. A book of
anything else is refused: its move numbers would mean other moves.
"""

import dataclasses
import json
import pathlib
from typing import Any

import jax
import numpy as np

import jaxgames
from jaxgames.env import Env
from jaxgames.internal import array_files, files
from jaxgames.players.opening_book import book as books
from jaxgames.players.opening_book.book import NO_MOVE, Book
from jaxgames.search.tree import packing

FORMAT = 1
KIND = "opening book"
_TOLERANCE = 1e-3  # of the sum of some shares
_ARRAYS = ("words", "actions", "shares", "values")


def describe(env: Env[Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Returns what a file says of a book; `settings` are those it was built with."""
    return _identity(env) | {"settings": settings, "jaxgames": jaxgames.__version__}


def check_target(path: pathlib.Path) -> None:
    """Raises a `ValueError` if a book cannot be written to `path`, or would replace a file."""
    files.check_writable("output", path)
    if path.exists():
        raise ValueError(f"output: {path} exists already; name another file or remove it")


def save(path: pathlib.Path, book: Book, meta: dict[str, Any]) -> None:
    """Writes a book to a new file, which appears complete or not at all.

    Raises:
        OSError: if there is a file already, or it cannot be written; says where the book is kept.
    """
    arrays = {name: np.asarray(getattr(book, name)) for name in _ARRAYS}
    files.deliver_new(path, array_files.encode(arrays, meta, compressed=True))


def load(path: str | pathlib.Path, env: Env[Any]) -> tuple[Book, dict[str, Any]]:
    """Returns the book of a file and what the file says of it.

    Raises:
        ValueError: if there is no book at `path`, or it is damaged, or of another game, version or
            option.
    """
    path = pathlib.Path(path)
    if not path.is_file():
        raise ValueError(f"there is no opening book at {path}")
    try:
        arrays, meta = array_files.read(path)
    except ValueError as error:
        raise ValueError(f"{path} is not an opening book, or it is damaged: {error}") from error
    _check_identity(path, meta, _identity(env))
    return _check_arrays(path, arrays, env), meta


def _identity(env: Env[Any]) -> dict[str, Any]:
    """Returns what must be the same here and in a file, in the form in which JSON gives it back."""
    rules: Any = env.rules  # a dataclass, as all rules
    identity = {
        "kind": KIND,
        "format": FORMAT,
        "game": env.id,
        "game_version": env.version,
        "options": dataclasses.asdict(rules),
    }
    plain: dict[str, Any] = json.loads(json.dumps(identity))
    return plain


def _check_identity(path: pathlib.Path, meta: Any, here: dict[str, Any]) -> None:
    if not isinstance(meta, dict):
        raise ValueError(f"{path} is not an opening book: its description is {meta!r}")
    for name, expected in here.items():
        found = meta.get(name)
        if name == "options" and isinstance(found, dict):
            for option in sorted(expected.keys() | found.keys()):
                if found.get(option) != expected.get(option):
                    raise ValueError(
                        f"{path} is an opening book of {here['game']} with "
                        f"{option}={found.get(option)!r}, not {expected.get(option)!r}; build one "
                        "for these options"
                    )
        elif found != expected:
            raise ValueError(f"{path} is an opening book of {name} {found!r}, not {expected!r}")


def _check_arrays(path: pathlib.Path, arrays: dict[str, np.ndarray], env: Env[Any]) -> Book:
    """Returns the book, if its arrays fit together and the game."""
    if sorted(arrays) != sorted(_ARRAYS):
        raise ValueError(f"{path} holds {', '.join(arrays)}; expected {', '.join(_ARRAYS)}")
    state = jax.eval_shape(env.rules.init, jax.eval_shape(lambda: jax.random.key(0)))
    count, most = arrays["actions"].shape if arrays["actions"].ndim == 2 else (0, 0)
    expected = {
        "words": ((count, packing.num_words(state)), np.uint32),
        "actions": ((count, most), np.int32),
        "shares": ((count, most), np.float32),
        "values": ((count, env.num_players), np.float32),
    }
    for name, (shape, dtype) in expected.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != dtype or count == 0:
            raise ValueError(
                f"{path} is damaged: {name} is {array.dtype}{list(array.shape)}, expected "
                f"{np.dtype(dtype)}{list(shape)}"
            )
    _check_numbers(path, arrays, env)
    return books.make(**arrays)


def _check_numbers(path: pathlib.Path, arrays: dict[str, np.ndarray], env: Env[Any]) -> None:
    """Raises a `ValueError` if a book holds what cannot be played or drawn."""
    actions, shares, values = (arrays[name] for name in ("actions", "shares", "values"))
    is_move = actions != NO_MOVE
    is_share = (shares >= 0) & (shares <= is_move)
    total = np.where(is_share, shares, 0).sum(axis=1)
    problems = {
        f"actions must be from 0 to {env.num_actions - 1}, or {NO_MOVE} for none": ~(
            (actions >= NO_MOVE) & (actions < env.num_actions)
        ),
        "the first move of a position is missing": ~is_move[:, :1],
        "shares must be from 0 to 1, and 0 without a move": ~is_share,
        "the shares of a position must add up to 1": np.abs(total - 1) > _TOLERANCE,
        "values must be finite": ~np.isfinite(values),
    }
    for problem, is_wrong in problems.items():
        if is_wrong.any():
            row = np.argwhere(is_wrong)[0][0]
            raise ValueError(f"{path} is damaged: {problem}; see row {row}")
