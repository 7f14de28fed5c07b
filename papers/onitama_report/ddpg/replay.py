"""The memory of the learners: for each a ring of its newest transitions, first in, first out.

A turn in which a learner does not move leaves no transition, so the rings fill unequally fast.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from papers.onitama_report.ddpg import rings
from papers.onitama_report.ddpg.games import Transition


class Replay(struct.PyTreeNode):
    """The rings of all learners."""

    transitions: Transition  # leading axes: learners, capacity
    position: Int32[Array, "learners"]  # where the next transition goes
    size: Int32[Array, "learners"]  # number of filled entries


def empty(transition: Transition, learners: int, capacity: int) -> Replay:
    """Returns empty rings for transitions of these shapes (without leading axis)."""
    zeros = jax.tree.map(lambda x: jnp.zeros((learners, capacity, *x.shape), x.dtype), transition)
    return Replay(zeros, jnp.zeros(learners, jnp.int32), jnp.zeros(learners, jnp.int32))


def add(replay: Replay, new: Transition, mask: Bool[Array, "learners N"]) -> Replay:
    """Overwrites each learner's oldest transitions with those of `new` in `mask`, in their order.

    Args:
        replay: the rings; their capacity is at least N.
        new: leading axes learners, N.
        mask: which of them exist.
    """
    learners, capacity = jax.tree.leaves(replay.transitions)[0].shape[:2]
    entry, position = rings.places(replay.position, mask, capacity)
    rows = jnp.arange(learners)[:, None]
    count = mask.sum(axis=1, dtype=jnp.int32)
    return Replay(
        transitions=jax.tree.map(
            lambda ring, x: ring.at[rows, entry].set(x, mode="drop"), replay.transitions, new
        ),
        position=position,
        size=jnp.minimum(replay.size + count, capacity),
    )


def sample(
    replay: Replay, learners: Int32[Array, "S"], batch_size: int, keys: PRNGKeyArray
) -> Transition:
    """Returns `batch_size` transitions of each of some learners, drawn with replacement.

    Their leading axes are `S` and the batch; there is one key for each learner.
    """
    sizes = jnp.maximum(replay.size[learners], 1)
    entry = jax.vmap(lambda key, size: jax.random.randint(key, (batch_size,), 0, size))(keys, sizes)
    return jax.tree.map(lambda ring: ring[learners[:, None], entry], replay.transitions)
