"""Batches of positions on the host, computed on the device in chunks of one shape.

A batch is a pytree of NumPy arrays with a common leading axis. Programs are compiled once for a
chunk of fixed size, however many positions there are.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

Batch = Any  # a pytree of arrays with a common leading axis


def size(batch: Batch) -> int:
    """Returns the number of positions of a batch."""
    return len(jax.tree.leaves(batch)[0])


def take(batch: Batch, index: Any) -> Batch:
    """Returns the positions selected by an index, a slice or a boolean mask."""
    return jax.tree.map(lambda leaf: leaf[index], batch)


def slices(count: int, chunk: int) -> Iterator[slice]:
    """Yields the slices of at most `chunk` items that cover `count` items."""
    for start in range(0, count, chunk):
        yield slice(start, min(start + chunk, count))


def map_chunks(function: Callable[..., Batch], chunk: int, *arguments: Batch) -> Batch:
    """Returns `function(*arguments)`, called with batches of exactly `chunk` positions.

    The last chunk is filled up with copies of its last position, whose results are dropped.

    Raises:
        ValueError: if the arguments hold no position.
    """
    parts = []
    count = size(arguments)
    if count == 0:
        raise ValueError("expected at least one position, got none")
    for part in slices(count, chunk):
        index = np.minimum(np.arange(part.start, part.start + chunk), part.stop - 1)
        result = jax.device_get(function(*take(arguments, index)))
        parts.append(take(result, slice(part.stop - part.start)))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
