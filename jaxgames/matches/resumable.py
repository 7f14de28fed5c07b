"""Long computations that are kept in a file from time to time, so that a stop costs little."""

import dataclasses
import hashlib
import logging
import pathlib
import time
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from jaxgames.batching.key_words import as_numpy
from jaxgames.internal import array_files, files, jax_settings

FORMAT = 1
_OLDER = {"devices": 1, **jax_settings.RECORDED}  # of files that lack these
_log = logging.getLogger(__name__)
ProgressT = TypeVar("ProgressT")


@dataclasses.dataclass
class Checkpoint:
    """Where a computation is kept, and how often.

    The file stays when the computation is done, so that its result is not lost before it is kept
    somewhere else. Call `discard` after that.
    """

    path: pathlib.Path
    option: str = "saved"
    """Name of the file in messages."""
    seconds: float = 60.0
    """Time between two writings; a computation that takes less is never written."""
    report: Callable[[int, int], None] | None = None
    """Called after each part of the work with the number of parts done and of all parts."""
    spent: float = 0.0
    """Seconds that earlier runs had computed when they wrote the file; known once it was read."""

    def discard(self) -> None:
        """Removes the file, if there is one."""
        self.path.unlink(missing_ok=True)


def run(
    start: Callable[[], ProgressT],
    advance: Callable[[ProgressT, int], ProgressT],
    is_done: Callable[[ProgressT], Bool[Array, "parts"]],
    checkpoint: Checkpoint,
    identity: dict[str, Any],
) -> ProgressT:
    """Computes to the end, starting from the state in the file if there is one.

    Args:
        start: returns the beginning: a pytree of arrays.
        advance: computes so many steps more, or to the end. However the steps are divided, the end
            must be the same. The argument may be donated.
        is_done: says which parts are at their end.
        checkpoint: where the computation is kept.
        identity: what must be the same for a file to be of this computation, beside the settings
            of JAX that decide results; fit for JSON.

    Raises:
        ValueError: if the file is not of this computation, or damaged.
    """
    first = saved = time.monotonic()
    is_kept, steps = checkpoint.path.exists(), 1
    progress = _load(checkpoint, identity, jax.eval_shape(start)) if is_kept else start()
    done = np.asarray(is_done(progress))
    while not done.all():
        began = time.monotonic()
        progress = advance(progress, steps)
        done = np.asarray(is_done(progress))
        now = time.monotonic()
        if now - saved >= checkpoint.seconds or (done.all() and is_kept):
            _save(checkpoint, identity, progress, now - first)
            is_kept, saved = True, now
        if checkpoint.report is not None:
            checkpoint.report(int(done.sum()), len(done))
        # Two to four calls for each writing: a signal is answered between them.
        if now - began < checkpoint.seconds / 4:
            steps *= 2
        elif now - began > checkpoint.seconds / 2:
            steps = max(1, steps // 2)
    return progress


def check(checkpoint: Checkpoint, identity: dict[str, Any]) -> None:
    """Checks that the file of a checkpoint, if there is one, is of a computation.

    Raises:
        ValueError: if it is of another computation, or damaged.
    """
    if checkpoint.path.exists():
        _read(checkpoint, identity)


def kept_devices(checkpoint: Checkpoint) -> int | None:
    """Returns the number of devices of a kept match; None if there is no file that says it."""
    try:
        number = array_files.read(checkpoint.path)[1].get("devices", 1)
    except (OSError, ValueError, AttributeError):
        return None  # a damaged file is reported when it is read as a whole
    return number if type(number) is int and number > 0 else None


def fingerprint(tree: Any) -> str:
    """Returns a hash of the names, shapes, types and values of a pytree of arrays."""
    digest = hashlib.sha256()
    for path, leaf in jax.tree.leaves_with_path(tree):
        values = as_numpy(leaf)
        digest.update(f"{jax.tree_util.keystr(path)} {values.dtype} {values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()[:16]


def _save(checkpoint: Checkpoint, identity: dict[str, Any], progress: Any, seconds: float) -> None:
    arrays = {jax.tree_util.keystr(p): as_numpy(x) for p, x in jax.tree.leaves_with_path(progress)}
    about = {
        "format": FORMAT,
        **identity,
        **jax_settings.current(),
        "xla_flags": jax_settings.xla_flags(),
        "seconds": round(checkpoint.spent + seconds, 1),
    }
    array_files.write(checkpoint.path, arrays, about, compressed=True)


def _read(
    checkpoint: Checkpoint, identity: dict[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, Any], float]:
    """Returns the arrays of a file, what it says of itself, and the seconds spent on it."""
    path = checkpoint.path
    try:
        arrays, found = array_files.read(path)
        spent = float(found["seconds"])
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise ValueError(
            f"{checkpoint.option}: {path} is no file of games that were stopped, or damaged: "
            f"{error}"
        ) from error
    here = {"format": FORMAT, **identity, **jax_settings.current()}
    files.check_identity(checkpoint.option, path, found, here, _OLDER)
    return arrays, found, spent


def _load(checkpoint: Checkpoint, identity: dict[str, Any], like: Any) -> Any:
    """Returns the content of a file as a pytree with the structure of `like`."""
    arrays, found, spent = _read(checkpoint, identity)
    if change := jax_settings.xla_flags_changed(found.get("xla_flags")):
        _log.warning("%s goes on with a change that may alter results: %s", checkpoint.path, change)
    leaves, structure = jax.tree.flatten_with_path(like)
    names = [jax.tree_util.keystr(place) for place, _ in leaves]
    if sorted(names) != sorted(arrays):
        raise _of_other_program(checkpoint)
    checkpoint.spent = spent
    return jax.tree.unflatten(
        structure,
        [_as(checkpoint, arrays[n], leaf) for n, (_, leaf) in zip(names, leaves, strict=True)],
    )


def _as(checkpoint: Checkpoint, values: np.ndarray, leaf: jax.ShapeDtypeStruct) -> Array:
    """Returns an array of a file with the type of a leaf."""
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    wanted = jax.eval_shape(jax.random.key_data, leaf) if is_key else leaf
    if (values.shape, values.dtype) != (wanted.shape, wanted.dtype):
        raise _of_other_program(checkpoint)
    found = jnp.asarray(values)
    return jax.random.wrap_key_data(found) if is_key else found


def _of_other_program(checkpoint: Checkpoint) -> ValueError:
    return ValueError(
        f"{checkpoint.option}: {checkpoint.path} was written by another version of the program; "
        "remove it to begin anew"
    )
