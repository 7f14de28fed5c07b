"""Operations on single rows and bits of arrays, without scatters, shared by all games."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt32


def set_row(array: Array, index: Int32[Array, ""], value: Any, when: Any = True) -> Array:
    """Returns `array` with one row replaced if `when` holds: by a select, without a scatter."""
    chosen = (jnp.arange(array.shape[0]) == index) & when
    chosen = chosen.reshape(chosen.shape + (1,) * (array.ndim - 1))
    return jnp.where(chosen, jnp.asarray(value).astype(array.dtype), array)


def set_cell(
    array: Array,
    row: Int32[Array, ""],
    column: Int32[Array, ""],
    value: Any,
    when: Any = True,
) -> Array:
    """Returns a matrix with one cell replaced if `when` holds: by a select, without a scatter."""
    rows, columns = (jnp.arange(size) for size in array.shape)
    chosen = (rows == row)[:, None] & (columns == column) & when
    return jnp.where(chosen, jnp.asarray(value).astype(array.dtype), array)


def add_at(array: Array, index: Int32[Array, ""], amount: Any, when: Any = True) -> Array:
    """Returns `array` with `amount` added to one entry if `when` holds."""
    chosen = (jnp.arange(array.shape[0]) == index) & when
    return array + jnp.where(chosen, jnp.asarray(amount), 0).astype(array.dtype)


def as_int(array: Array, index: Int32[Array, ""]) -> Int32[Array, ""]:
    """Returns one entry as `int32`."""
    return array[index].astype(jnp.int32)


def has_bit(word: UInt32[Array, "*any"], number: Any) -> Bool[Array, "*any"]:
    """Returns a mask of the words in which a bit is set, for bits 0 to 31."""
    return ((word >> jnp.asarray(number).astype(jnp.uint32)) & 1).astype(bool)


def as_bits(mask: Bool[Array, "*any n"]) -> UInt32[Array, "*any"]:
    """Returns up to 32 booleans as the bits of a word."""
    weights = np.uint32(1) << np.arange(mask.shape[-1], dtype=np.uint32)
    return jnp.where(mask, weights, jnp.uint32(0)).sum(axis=-1, dtype=jnp.uint32)
