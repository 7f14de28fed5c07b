"""Trained networks as files: one portable `.npz`, or the newest checkpoint of a run.

A network file holds one array for each parameter, named by its path (`tower.0.expand.kernel`), and
the entry `meta`, a JSON text. It contains no code, and any program that reads NumPy files reads it.
"""

import dataclasses
import json
import logging
import pathlib
from typing import Any

import jax
import numpy as np

import jaxgames
from configs import alphazero
from jaxgames import Env, array_files
from jaxgames.search.agent import Params
from papers.onitama_report import config

FORMAT = 1
_REQUIRED = ("game", "game_version", "env_options", "network", "iteration")
_log = logging.getLogger(__name__)


def describe(
    env: Env,
    env_options: str,
    network: alphazero.NetworkConfig | config.NetworkConfig,
    iteration: int,
) -> dict[str, Any]:
    """Returns what an agent needs to know about parameters, as plain values.

    The network is `make_network(env, NetworkConfig(**meta["network"]))`, or an actor's (see
    `papers/onitama_report/ddpg/players.py`).
    """
    return {
        "format": FORMAT,
        "game": env.id,
        "game_version": env.version,
        "env_options": env_options,
        "network": dataclasses.asdict(network),
        "iteration": iteration,
        "jaxgames": jaxgames.__version__,
    }


def save_network(path: str | pathlib.Path, params: Params, meta: dict[str, Any]) -> None:
    """Writes parameters and their description to one file, which appears complete or not at all.

    Args:
        path: the file, by convention `*.npz`; its folder is made if missing.
        params: nested dict of float32 arrays, as `Network.init` returns it.
        meta: the result of `describe`.

    Raises:
        ValueError: if `meta` lacks an entry or a parameter has a type that NumPy cannot store.
    """
    path = pathlib.Path(path)
    _check_meta(str(path), meta)
    arrays = {name: np.asarray(leaf) for name, leaf in _flatten(params).items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ValueError(f"parameter {name} has type {array.dtype}, which NumPy cannot store")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **array_files.described(arrays, meta))
    temporary.replace(path)


def check_target(path: str | pathlib.Path) -> None:
    """Checks, before hours of work, that a network can be written to `path`; makes its folder.

    Raises:
        ValueError: if the path is a folder.
        OSError: if the folder cannot be made or written.
    """
    path = pathlib.Path(path)
    if path.is_dir():
        raise ValueError(f"cannot export to {path}: it is a folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.touch()
    temporary.unlink()


def load_network(path: str | pathlib.Path) -> tuple[Params, dict[str, Any]]:
    """Returns parameters (NumPy arrays) and their description.

    Args:
        path: a file of `save_network`, or the folder of a run, whose newest readable checkpoint
            is taken.

    Raises:
        ValueError: if there is neither at `path`, or it is damaged or of a newer format.
    """
    path = pathlib.Path(path)
    if path.is_dir():
        return _load_from_run(path)
    if not path.exists():
        raise ValueError(f"there is no network file or run folder at {path}")
    try:
        arrays, meta = array_files.read(path)
    except ValueError as error:
        raise ValueError(f"{path} is not a network file, or it is damaged: {error}") from error
    _check_meta(str(path), meta)
    return _nest(arrays), meta


def _load_from_run(folder: pathlib.Path) -> tuple[Params, dict[str, Any]]:
    checkpoints = folder.resolve() / "checkpoints"  # orbax takes a relative path for damaged
    saved = [p for p in checkpoints.glob("*") if p.name.isdecimal()]
    for path in sorted(saved, key=lambda p: int(p.name), reverse=True):
        try:
            params, meta = _read_params(path), json.loads((path / "meta" / "metadata").read_text())
        # Orbax answers a damaged file with many types of error, `Exception` itself among them.
        except Exception as error:
            _log.warning("checkpoint %s is damaged (%s)", path, type(error).__name__)
            continue
        meta = meta["meta"]
        _check_meta(str(path), meta)
        return params, meta
    if saved:
        raise ValueError(f"all checkpoints in {checkpoints} are damaged")
    raise ValueError(f"folder {folder} holds no run with a checkpoint")


def _read_params(path: pathlib.Path) -> Params:
    import orbax.checkpoint as ocp  # takes half a second, which network files need not spend

    reader = ocp.PyTreeCheckpointer()
    tree = reader.metadata(path / "params").item_metadata.tree
    # As NumPy arrays, since the devices that wrote them may not exist here.
    how = jax.tree.map(lambda _: ocp.RestoreArgs(restore_type=np.ndarray), tree)
    return _nest(_flatten(reader.restore(path / "params", restore_args=how)))


def _check_meta(path: str, meta: Any) -> None:
    if not isinstance(meta, dict):
        raise ValueError(f"{path}: the description of the network is not an object: {meta!r}")
    missing = [name for name in _REQUIRED if name not in meta]
    if missing:
        raise ValueError(f"{path}: the description of the network lacks {', '.join(missing)}")
    if meta.get("format") != FORMAT:
        raise ValueError(f"{path} has format {meta.get('format')!r}, this version reads {FORMAT}")


def _flatten(params: Params) -> dict[str, Any]:
    """Returns `path -> array`, the parts of the path joined by dots."""
    leaves = jax.tree.leaves_with_path(params)
    return {jax.tree_util.keystr(p, simple=True, separator="."): leaf for p, leaf in leaves}


def _nest(arrays: dict[str, Any]) -> Params:
    """The inverse of `_flatten`; a part that is a number is an index, as in a list of layers."""
    root: dict[str | int, Any] = {}
    for name, array in arrays.items():
        *parents, last = [int(part) if part.isdecimal() else part for part in name.split(".")]
        node = root
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = array
    return root
