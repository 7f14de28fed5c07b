"""Checkpoints of a run: everything that changes, so that a resumed run continues bit for bit.

A checkpoint has three items: `params` alone, for agents that only play; `state`, the rest; and
`meta`, plain values about the run. Writing goes on in the background while the training continues.
Once a checkpoint is complete, its iteration and the checksums of its files are written into it.
They are compared before the checkpoint is read.
"""

import logging
import pathlib
import threading
from typing import Any, NamedTuple

import jax
import orbax.checkpoint as ocp
from jax.experimental import multihost_utils

from jaxgames.internal import folder_checksums
from jaxgames.internal.messages import first_difference
from train import parallel

FOLDER = "checkpoints"
"""In the folder of a run."""
_ITEMS = ("params", "state", "meta")
_log = logging.getLogger(__name__)


class Restored(NamedTuple):
    """A checkpoint read back."""

    iteration: int
    params: Any
    state: Any
    meta: dict[str, Any]


class Checkpoints:
    """The checkpoints in one folder; in a run of several processes all call every method."""

    @staticmethod
    def exist(run: pathlib.Path) -> bool:
        """Returns whether the folder of a run has a checkpoint that was written to its end."""
        return any(path.name.isdigit() for path in (run / FOLDER).glob("*"))

    def __init__(self, directory: pathlib.Path, keep: int):
        """Opens the folder, made if missing; `keep` newest checkpoints stay in it."""
        self._directory = directory.resolve()
        options = ocp.CheckpointManagerOptions(
            max_to_keep=keep,
            create=True,
            cleanup_tmp_directories=True,  # unfinished files of a killed process
        )
        self._manager = ocp.CheckpointManager(self._directory, options=options, item_names=_ITEMS)
        self._sealing: threading.Thread | None = None
        self._sealing_error: OSError | None = None

    def save(self, iteration: int, params: Any, state: Any, meta: dict[str, Any]) -> None:
        """Saves a checkpoint, unless the iteration has one; `meta` must be fit for JSON.

        The arrays are copied before the call returns, so they may be donated at once.
        """
        self.wait()
        if iteration in self._manager.all_steps():
            return
        state = _stored(state)
        content = {"meta": meta, "arrays": _array_types(params, state)}
        items = ocp.args.Composite(
            params=ocp.args.StandardSave(params),
            state=ocp.args.StandardSave(state),
            meta=ocp.args.JsonSave(content),
        )
        self._manager.save(iteration, args=items)
        if parallel.is_main_process():
            self._sealing = threading.Thread(target=self._seal, args=(iteration,))
            self._sealing.start()

    def restore_latest(self, params: Any, state: Any, meta: dict[str, Any]) -> Restored | None:
        """Returns the newest checkpoint that can be read, or None if there is none at all.

        A damaged checkpoint is set aside under another name, with a warning, and the one before it
        is read.

        Args:
            params: arrays or `jax.ShapeDtypeStruct` with the shapes and types of the parameters;
                the restored arrays get their shardings.
            state: the same for the state.
            meta: the plain values of this run, for the message about a mismatch.

        Raises:
            ValueError: if a checkpoint holds other arrays than these, naming the first that
                differs; or if there are checkpoints, but all are damaged.
        """
        whole, state = state, _stored(state)
        damaged: list[pathlib.Path] = []
        for iteration in sorted(self._manager.all_steps(), reverse=True):
            path = self._directory / str(iteration)
            if self._is_changed(path, iteration):
                damaged.append(path)
                continue
            content = self._read_meta(iteration)
            if content is not None:
                _check_arrays(path, content, _array_types(params, state), meta)
                restored = self._read_arrays(iteration, params, state)
                # One process may meet a damaged part that no other one reads.
                if not parallel.any_process(restored is None) and restored is not None:
                    self._set_aside(damaged, path)
                    return restored._replace(
                        state=_completed(restored.state, whole), meta=content["meta"]
                    )
            damaged.append(path)
        if damaged:
            names = ", ".join(str(path) for path in damaged)
            raise ValueError(f"no checkpoint can be read; damaged: {names}")
        return None

    def wait(self) -> None:
        """Waits until every save is on disk, with its checksums.

        Raises:
            Exception: whatever stopped the last save.
        """
        if self._sealing is not None:
            self._sealing.join()
            self._sealing = None
        self._manager.wait_until_finished()
        if self._sealing_error is not None:
            error, self._sealing_error = self._sealing_error, None
            raise error

    def close(self) -> None:
        """Waits for every save and lets go of the folder."""
        try:
            self.wait()
        finally:
            self._manager.close()

    def __enter__(self) -> "Checkpoints":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _seal(self, iteration: int) -> None:
        """Writes the checksums of a checkpoint once it is complete; runs in the background."""
        try:
            self._manager.wait_until_finished()
        except BaseException as error:  # `wait` raises it where it can be answered
            _log.debug("checkpoint %d", iteration, exc_info=error)
            return
        try:
            folder_checksums.write(self._directory / str(iteration), iteration)
        except OSError as error:
            self._sealing_error = error

    def _is_changed(self, path: pathlib.Path, iteration: int) -> bool:
        """Returns whether a checkpoint differs from its checksums, and says how.

        One without checksums is of an older version, or of a process that was killed before it
        could write them.
        """
        problem = None
        if parallel.is_main_process():
            if folder_checksums.exist(path):
                problem = folder_checksums.problem(path, iteration)
            else:
                _log.warning("checkpoint %s has no checksums, it is read unchecked", path)
        if problem is not None:
            _log.warning("checkpoint %s is not as it was written: %s", path, problem)
        return parallel.any_process(problem is not None)

    def _read_meta(self, iteration: int) -> dict[str, Any] | None:
        args = ocp.args.Composite(meta=ocp.args.JsonRestore())
        try:
            content = self._manager.restore(iteration, args=args)["meta"]
        except (OSError, ValueError, KeyError) as error:
            _log.debug("checkpoint %d", iteration, exc_info=error)
            return None
        is_whole = isinstance(content, dict) and all(
            isinstance(content.get(name), dict) for name in ("meta", "arrays")
        )
        return content if is_whole else None

    def _read_arrays(self, iteration: int, params: Any, state: Any) -> Restored | None:
        args = ocp.args.Composite(
            params=ocp.args.StandardRestore(_specs(params)),
            state=ocp.args.StandardRestore(_specs(state)),
        )
        try:
            items = self._manager.restore(iteration, args=args)
        # Orbax answers a damaged file with many types of error, `Exception` itself among them.
        except Exception as error:
            _log.debug("checkpoint %d", iteration, exc_info=error)
            return None
        found = Restored(iteration, items["params"], items["state"], meta={})
        # If its list of types is lost, orbax returns typed keys as integers without an error.
        is_whole = _array_types(found.params, found.state) == _array_types(params, state)
        return found if is_whole else None

    def _set_aside(self, damaged: list[pathlib.Path], good: pathlib.Path) -> None:
        """Renames damaged checkpoints, since their iterations are going to be saved again."""
        for path in damaged:
            _log.warning("checkpoint %s is damaged: going back to %s", path, good)
        if damaged and parallel.is_main_process():
            for path in damaged:
                copies = len(list(path.parent.glob(f"damaged-{path.name}*")))
                path.rename(path.with_name(f"damaged-{path.name}-{copies}"))
        if damaged:
            multihost_utils.sync_global_devices("damaged checkpoints are set aside")
            self._manager.reload()


def _stored(state: Any) -> Any:
    """Returns a state without its arrays of no elements, of which orbax stores none.

    The memory of a player that remembers nothing is such an array.
    """
    return jax.tree.map(lambda leaf: leaf if leaf.size else None, state)


def _completed(stored: Any, whole: Any) -> Any:
    """Returns what was stored, with the arrays of no elements that `whole` has."""
    leaves, structure = jax.tree.flatten(whole)
    restored = iter(jax.tree.leaves(stored))
    completed = [next(restored) if leaf.size else leaf for leaf in leaves]
    return jax.tree.unflatten(structure, completed)


def _specs(tree: Any) -> Any:
    """Returns shapes, types and shardings, in the form that orbax takes."""
    return jax.tree.map(ocp.utils.to_shape_dtype_struct, tree)


def _array_types(params: Any, state: Any) -> dict[str, str]:
    """Returns `path -> "float32[3,4]"` of all arrays."""
    leaves = jax.tree.leaves_with_path({"params": params, "state": state})
    return {
        jax.tree_util.keystr(path, simple=True, separator="."): (
            f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]"
        )
        for path, leaf in leaves
    }


def _check_arrays(
    path: pathlib.Path, content: dict[str, Any], wanted: dict[str, str], meta: dict[str, Any]
) -> None:
    if (difference := first_difference(content["arrays"], wanted)) is not None:
        raise ValueError(
            f"checkpoint {path} does not fit: {difference}; it was saved by {content['meta']}, "
            f"this is {meta}"
        )
