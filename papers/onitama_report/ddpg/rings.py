"""Rings: arrays of fixed length whose newest entries take the place of the oldest."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32


def places(
    position: Int32[Array, "rings"], mask: Bool[Array, "rings N"], capacity: int
) -> tuple[Int32[Array, "rings N"], Int32[Array, "rings"]]:
    """Returns where the next entries of some rings go, and the positions after them.

    Args:
        position: where the next entry of each ring goes.
        mask: which of N entries exist; the place of others is `capacity`, where writes are dropped.
        capacity: of each ring.
    """
    entry = (position[:, None] + jnp.cumsum(mask, axis=1) - 1) % capacity
    count = mask.sum(axis=1, dtype=jnp.int32)
    return jnp.where(mask, entry, capacity), (position + count) % capacity
