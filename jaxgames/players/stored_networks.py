"""Networks by name or path: one of the library's, a network file, or the folder of a run."""

import contextlib
import logging
import os
import pathlib
from typing import Any

import jax
import numpy as np

from jaxgames.internal import files, folder_checksums
from jaxgames.internal.messages import unknown
from jaxgames.networks import network_files, shipped
from jaxgames.search.agent import Params

_log = logging.getLogger(__name__)


def load_network(path: str | pathlib.Path) -> tuple[Params, dict[str, Any]]:
    """Returns parameters (NumPy arrays) and their description.

    Args:
        path: the name of a pretrained network of the library; otherwise a file of `save_network`,
            or the folder of a run, whose newest readable checkpoint is taken.

    Raises:
        ValueError: if there is none of these at `path`, the network is damaged or of a newer
            format, or it is a run's and orbax is not installed.
    """
    if str(path) in shipped.available_pretrained():
        return network_files.load_network(shipped.pretrained_file(str(path)))
    path = pathlib.Path(path)
    if os.path.isdir(path):
        return _load_from_run(path)
    if not os.path.exists(path):  # unlike those of pathlib, never an error for an odd path
        raise ValueError(
            f"there is no network file or run folder at {path}; "
            f"{unknown('pretrained network', str(path), shipped.available_pretrained())}"
        )
    return network_files.load_network(path)


def _load_from_run(folder: pathlib.Path) -> tuple[Params, dict[str, Any]]:
    checkpoints = folder.resolve() / "checkpoints"  # orbax calls a relative path damaged
    saved = [p for p in checkpoints.glob("*") if p.name.isdecimal()]
    if saved:
        _checkpoints()
    for path in sorted(saved, key=lambda p: int(p.name), reverse=True):
        if problem := _problem(path):
            _log.warning("checkpoint %s is damaged (%s)", path, problem)
            continue
        try:
            params = _read_params(path)
            meta = files.parse_json((path / "meta" / "metadata").read_bytes())["meta"]
        # Orbax raises many types of error for a damaged file, even `Exception` itself.
        except Exception as error:
            _log.warning("checkpoint %s is damaged (%s)", path, type(error).__name__)
            continue
        network_files.check_meta(str(path), meta)
        return params, meta
    if saved:
        raise ValueError(f"all checkpoints in {checkpoints} are damaged")
    raise ValueError(f"folder {folder} holds no run with a checkpoint")


def _problem(checkpoint: pathlib.Path) -> str | None:
    """Returns how a checkpoint differs from its checksums; None if it does not, or has none."""
    if not folder_checksums.exist(checkpoint):
        _log.warning("checkpoint %s has no checksums, it is read unchecked", checkpoint)
        return None
    return folder_checksums.problem(checkpoint, int(checkpoint.name))


def _checkpoints() -> Any:
    """Returns `orbax.checkpoint`, which takes half a second to import and belongs to an extra."""
    try:
        import orbax.checkpoint
    except ModuleNotFoundError as error:
        raise ValueError(
            f"checkpoints of runs need the package {error.name}: pip install 'jaxgames[train]'"
        ) from error
    return orbax.checkpoint


def _read_params(path: pathlib.Path) -> Params:
    ocp = _checkpoints()
    # A `Checkpointer` warns that there is no file of a step, which a run does not write.
    with contextlib.closing(ocp.PyTreeCheckpointHandler()) as handler:
        tree = handler.metadata(path / "params").tree
        # Read as NumPy arrays, since the devices that wrote the checkpoint may not exist here.
        how = jax.tree.map(lambda _: ocp.RestoreArgs(restore_type=np.ndarray), tree)
        args = ocp.args.PyTreeRestore(restore_args=how)
        params = handler.restore(path / "params", args=args)
    return network_files.nest(network_files.flatten(params))
