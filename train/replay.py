"""A ring of training samples on each device."""

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Int32, PRNGKeyArray

from train.targets import Samples


class Replay(struct.PyTreeNode):
    """The newest `capacity` samples of one device."""

    samples: Samples  # leading axis: capacity
    position: Int32[Array, "1"]  # where the next samples go
    size: Int32[Array, "1"]  # number of filled entries


def empty(sample: Any, capacity: int) -> Replay:
    """Returns an empty ring for samples shaped like `sample` (shapes without leading axis)."""
    zeros = jax.tree.map(lambda x: jnp.zeros((capacity, *x.shape), x.dtype), sample)
    return Replay(zeros, jnp.zeros((1,), jnp.int32), jnp.zeros((1,), jnp.int32))


def add(replay: Replay, samples: Samples) -> Replay:
    """Overwrites the oldest samples; the capacity must be a multiple of the number added.

    Raises:
        ValueError: (while tracing) if it is not, since a write past the end would not wrap.
    """
    count = jax.tree.leaves(samples)[0].shape[0]
    capacity = jax.tree.leaves(replay.samples)[0].shape[0]
    if capacity % count:
        raise ValueError(f"replay capacity {capacity} is not a multiple of {count} samples")
    position = replay.position[0]
    written = jax.tree.map(
        lambda ring, new: jax.lax.dynamic_update_slice_in_dim(ring, new, position, axis=0),
        replay.samples,
        samples,
    )
    return Replay(
        samples=written,
        position=(replay.position + count) % capacity,
        size=jnp.minimum(replay.size + count, capacity),
    )


def sample(replay: Replay, batch_size: int, key: PRNGKeyArray) -> Samples:
    """Returns `batch_size` samples, drawn uniformly with replacement."""
    index = jax.random.randint(key, (batch_size,), 0, jnp.maximum(replay.size[0], 1))
    return jax.tree.map(lambda ring: ring[index], replay.samples)
