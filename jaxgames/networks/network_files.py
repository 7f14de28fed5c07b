"""Trained networks as files: one portable `.npz` each.

A network file holds one array for each parameter, named by its path (`tower.0.expand.kernel`), and
the entry `meta`, a JSON text. It contains no code, and any program that reads NumPy files reads it.
"""

import dataclasses
import pathlib
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from jaxgames.env import Env
from jaxgames.internal import array_files, files
from jaxgames.internal.messages import first_difference
from jaxgames.internal.version import __version__
from jaxgames.search.agent import Params

FORMAT = 1
_REQUIRED = {
    "game": str,
    "game_version": str,
    "env_options": str,
    "network": dict,
    "iteration": int,
}


class DoesNotFit(ValueError):
    """Stored parameters are of another version of a game, or have not its network's shapes."""


def describe(
    env: Env,
    env_options: str,
    network: Any,
    iteration: int,
) -> dict[str, Any]:
    """Returns the description that is stored beside parameters, as plain values.

    Args:
        env: the game of the network.
        env_options: the options of the game as text, for instance `"deck=all"`; empty: none.
        network: a dataclass with the sizes of the network. `make_network(env,
            NetworkConfig(**meta["network"]))` makes the network again; other kinds of networks have
            dataclasses of their own.
        iteration: the iteration of training after which the parameters were stored.
    """
    return {
        "format": FORMAT,
        "game": env.id,
        "game_version": env.version,
        "env_options": env_options,
        "network": dataclasses.asdict(network),
        "iteration": iteration,
        "jaxgames": __version__,
    }


def save_network(
    path: str | pathlib.Path,
    params: Params,
    meta: dict[str, Any],
    *,
    half_precision: bool = False,
) -> None:
    """Writes parameters and their description to one file, which appears complete or not at all.

    Args:
        path: the file, by convention `*.npz`; its folder is made if missing.
        params: nested dict of float32 arrays, as `Network.init` returns it.
        meta: the result of `describe`.
        half_precision: store float16, compressed, in a file of less than half the size.

    Raises:
        ValueError: if `meta` lacks an entry or a parameter has a type that NumPy cannot store.
        OSError: if the file cannot be written; says where the network is kept instead.
    """
    path = pathlib.Path(path)
    check_meta(str(path), meta)
    arrays = {name: np.asarray(leaf) for name, leaf in flatten(params).items()}
    _check_types(arrays)
    if half_precision:
        arrays = _with_type(arrays, np.float32, np.float16)
    files.deliver({path: array_files.encode(arrays, meta, compressed=half_precision)})


def check_target(path: str | pathlib.Path) -> None:
    """Checks, before hours of work, that a network can be written to `path`; makes its folder.

    Raises:
        ValueError: if the path is a folder or a special file, or its folder cannot be written.
        OSError: if the folder cannot be made.
    """
    path = pathlib.Path(path)
    files.make_folder("export", path.parent)
    files.check_writable("export", path)


def load_network(path: str | pathlib.Path) -> tuple[Params, dict[str, Any]]:
    """Returns parameters (NumPy arrays, float32 at least) and their description.

    Args:
        path: a file of `save_network`.

    Raises:
        ValueError: if there is no file at `path`, or it is damaged or of a newer format.
    """
    path = pathlib.Path(path)
    if not path.is_file():
        raise ValueError(f"there is no network file at {path}")
    try:
        arrays, meta = array_files.read(path)
    except ValueError as error:
        raise ValueError(f"{path} is not a network file, or it is damaged: {error}") from error
    check_meta(str(path), meta)
    try:
        _check_types(arrays)
        return nest(_with_type(arrays, np.float16, np.float32)), meta
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def check_meta(path: str, meta: Any) -> None:
    """Checks the description of a network.

    Raises:
        ValueError: if the description is no object, lacks an entry, has an entry of another type,
            or has another format.
    """
    if not isinstance(meta, dict):
        raise ValueError(f"{path}: the description of the network is not an object: {meta!r}")
    missing = [name for name in _REQUIRED if name not in meta]
    if missing:
        raise ValueError(f"{path}: the description of the network lacks {', '.join(missing)}")
    if meta.get("format") != FORMAT:
        raise ValueError(f"{path} has format {meta.get('format')!r}, this version reads {FORMAT}")
    for name, kind in _REQUIRED.items():
        if type(meta[name]) is not kind:
            raise ValueError(
                f"{path}: {name} in the description of the network must be of type "
                f"{kind.__name__}, got {meta[name]!r}"
            )


def _with_type(arrays: dict[str, np.ndarray], old: type, new: type) -> dict[str, np.ndarray]:
    """Returns arrays, of which those of one type are converted to another."""
    return {
        name: array.astype(new) if array.dtype == old else array for name, array in arrays.items()
    }


def _check_types(arrays: dict[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ValueError(f"parameter {name} has type {array.dtype}, which NumPy cannot store")


def check_game(env: Env, meta: Mapping[str, Any], source: str) -> None:
    """Checks that a network was trained for a game.

    Args:
        env: the game.
        meta: the description of the network.
        source: the name of the file or folder in messages.

    Raises:
        ValueError: if it was trained for another game; `DoesNotFit`, for another version.
    """
    for name, value in {"game": env.id, "game_version": env.version}.items():
        if meta[name] != value:
            kind = ValueError if name == "game" else DoesNotFit
            raise kind(f"{source} was trained for {name} {meta[name]!r}, not {value!r}")


def check_shapes(
    env: Env, params: Params, expected: Params, meta: Mapping[str, Any], source: str
) -> None:
    """Checks that stored parameters have the shapes of a network of a game.

    Args:
        env: the game.
        params: the stored parameters.
        expected: parameters of the network, or their shapes.
        meta: the description of the stored network.
        source: the name of the file or folder in messages.

    Raises:
        DoesNotFit: if they have others, for instance because of other options of the game, or
            because an earlier version of the library built other layers.
    """
    found, wanted = (
        {name: np.shape(leaf) for name, leaf in flatten(tree).items()}
        for tree in (params, expected)
    )
    if (difference := first_difference(found, wanted)) is not None:
        options = env.rules.non_default_options
        raise DoesNotFit(
            f"{source} does not fit {env.id} with these options and this version of jaxgames: "
            f"{difference}; it was trained with {meta['env_options'] or 'the default options'}, "
            f"and this game has {options or 'the default ones'}"
        )


def flatten(params: Params) -> dict[str, Any]:
    """Returns a dict of `path -> array`; the parts of a path are joined by dots."""
    leaves = jax.tree.leaves_with_path(params)
    return {jax.tree_util.keystr(p, simple=True, separator="."): leaf for p, leaf in leaves}


def nest(arrays: dict[str, Any]) -> Params:
    """Returns the nested dict of `path -> array`, the inverse of `flatten`.

    A part of a path that is a number becomes an integer key, the index in a list of layers.

    Raises:
        ValueError: if two paths are the same, or one is the beginning of another.
    """
    root: dict[str | int, Any] = {}
    for name, array in arrays.items():
        *parents, last = [int(part) if part.isdecimal() else part for part in name.split(".")]
        node = root
        for parent in parents:
            node = node.setdefault(parent, {})
            if not isinstance(node, dict):
                raise ValueError(f"parameter {name} is inside another parameter")
        if last in node:
            raise ValueError(f"parameter {name} is another parameter, or has others inside")
        node[last] = array
    return root
