"""Reading and writing one node in each lane of an array of trees.

On most devices these are a gather and a scatter. A TPU makes both one row after the other, wants
the axes of an array in another order for each, and copies it in between. So where every lane takes
part, a TPU compares all node numbers with the one that is meant: as long as a tree is small, it
reads and writes all of it in less time.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import layout
from jaxtyping import Array, Int32

from jaxgames.batching import lookups
from jaxgames.boards import bits
from jaxgames.internal import device_kind

TPU_LANES = 128  # of one row of its registers
MOST_REWRITTEN = 128  # numbers of a lane; a GPU writes them in less time than it starts a kernel


def of_each(array: Array, index: Int32[Array, "B ..."]) -> Array:
    """Returns entries of the second axis of an array, by an index or more for each lane.

    Args:
        array: of all lanes, `[B, N, ...]`.
        index: from 0 to `N - 1`; any other gives an arbitrary number.
    """
    if is_compared(array):
        return _chosen(array, index)
    return jax.vmap(lambda row, place: row.at[place].get(mode="clip"))(array, index)


def along_last(rows: Array, index: Int32[Array, "B ..."]) -> Array:
    """Returns the numbers at one place of each row, or with one more axis at several."""
    if rows.ndim == 2 and is_compared(rows):
        return _chosen(rows, index)

    def of_lane(row: Array, place: Array) -> Array:
        if place.ndim == row.ndim:
            return jnp.take_along_axis(row, place, axis=-1)
        return jnp.take_along_axis(row, place[..., None], axis=-1)[..., 0]

    return jax.vmap(of_lane)(rows, index)


def of_table(table: np.ndarray, index: Int32[Array, "B"]) -> Array:
    """Returns one entry of a table for each lane."""
    return jax.vmap(lookups.selected(lambda place: jnp.asarray(table)[place]))(index)


def _chosen(array: Array, index: Int32[Array, "B ..."]) -> Array:
    """Returns entries of the second axis as the sums of all entries, all but one of them zero."""
    places, kept = index.shape[1:], array.shape[2:]
    is_here = index[..., None] == jnp.arange(array.shape[1], dtype=jnp.int32)
    is_here = is_here.reshape(is_here.shape + (1,) * len(kept))
    array = array.reshape(len(array), *(1,) * len(places), *array.shape[1:])
    axis = 1 + len(places)
    if array.dtype == bool:
        return (is_here & array).any(axis=axis)
    zero = jnp.zeros((), array.dtype)
    return jnp.where(is_here, array, zero).sum(axis=axis, dtype=array.dtype)


def read_before(values: Any, lanes: Int32[Array, "W"]) -> Any:
    """Returns values that depend on a tree, the integers ready before the tree is written.

    With a single lane, a CPU would compute them again in the write of another value. An array that
    is read where it is written is copied as a whole: a search of 2^14 nodes took twice as long.
    """
    if len(lanes) > 1:
        return values
    return jax.tree.map(
        lambda x: bits.computed_once(x) if jnp.issubdtype(x.dtype, jnp.integer) else x, values
    )


def put(array: Array, lanes: Int32[Array, "W"], node: Int32[Array, "W"], rows: Array) -> Array:
    """Returns the array with one row written in each lane; a lane beyond the array writes none."""
    rows = rows if rows.dtype == array.dtype else rows.astype(array.dtype)
    return array.at[lanes, node].set(rows, mode="drop", unique_indices=True)


def put_in_each(
    array: Array, lanes: Int32[Array, "B"], node: Int32[Array, "B"], rows: Array
) -> Array:
    """Returns what `put` does where `lanes` are all lanes in their order, or beyond the array."""
    is_large = math.prod(array.shape[1:]) > MOST_REWRITTEN
    if _is_opaque(array) or (is_large and not is_compared(array)):
        return put(array, lanes, node, rows)
    rows = rows if rows.dtype == array.dtype else rows.astype(array.dtype)
    is_here = (lanes < len(array))[:, None] & (jnp.arange(array.shape[1]) == node[:, None])
    is_here = is_here.reshape(is_here.shape + (1,) * (array.ndim - 2))
    return lanes_last(jnp.where(is_here, rows[:, None], array))


def lanes_last(array: Array) -> Array:
    """Returns the array, in the memory of a TPU with its lanes as the last axis if they are many.

    A TPU fills up the last axis to 128 entries, and the last but one to 8 to 32.
    """
    if not device_kind.is_tpu() or len(array) < TPU_LANES:
        return array
    order = (*range(1, array.ndim), 0)
    return layout.with_layout_constraint(array, layout.Layout(major_to_minor=order))


def is_compared(array: Array) -> bool:
    """Returns whether all entries of a lane are looked at to read or write one."""
    is_small = math.prod(array.shape[1:]) <= lookups.MOST_COMPARISONS
    return device_kind.is_tpu() and is_small and not _is_opaque(array)


def _is_opaque(array: Array) -> bool:
    """Returns whether an array holds no numbers, as the keys that a model may keep of a state."""
    return jnp.issubdtype(array.dtype, jax.dtypes.extended)
