"""Reads and writes of arrays that hold rows of all lanes, and numbers that are computed once.

With one lane, XLA would take a read of a row as a slice, repeat it in all operations that depend on
it, and copy the whole array for those that come after a write. So the row is computed once.
"""

from typing import TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, Shaped

from jaxgames.boards import bits

ValuesT = TypeVar("ValuesT")  # structures of arrays
FEW_LANES = 64
"""With so many lanes or fewer, a step of the loop serves all of them at once."""


def read(array: Shaped[Array, "rows *any"], row: Int32[Array, "W"]) -> Shaped[Array, "W *any"]:
    """Returns rows of an array."""
    return once(array[row])


def written(
    array: Shaped[Array, "rows *any"],
    row: Int32[Array, "W"],
    values: Shaped[Array, "W *any"],
    is_written: Bool[Array, "W"],
) -> Shaped[Array, "rows *any"]:
    """Returns the array with new rows where `is_written`; rows that are written all differ."""
    if len(row) > 1:
        row = jnp.where(is_written, row, len(array))
        return array.at[row].set(values, mode="drop")
    # A slice, since a scatter cannot be a part of a larger kernel (`one_kernel`).
    first = [row[0]] + [0] * (array.ndim - 1)
    is_new = is_written.reshape(-1, *[1] * (array.ndim - 1))
    values = bits.computed_once(jnp.where(is_new, values, read(array, row)))
    return jax.lax.dynamic_update_slice(array, values, first)


def once(values: ValuesT) -> ValuesT:
    """Returns numbers of each lane, computed once if they are those of one lane.

    Args:
        values: a structure of integers and booleans with a leading axis of lanes.
    """
    is_single = jax.tree.leaves(values)[0].shape[0] == 1
    return bits.computed_once(values) if is_single else values
