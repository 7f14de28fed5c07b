"""The curriculum: a learner that wins often enough gets an opponent that looks one ply further."""

import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Int8, Int32

from papers.onitama_report.config import OpponentConfig
from papers.onitama_report.ddpg import rings


class Curriculum(struct.PyTreeNode):
    """The progress of each learner."""

    depth: Int8[Array, "learners"]  # plies that the opponent of a new game looks ahead
    has_won: Bool[Array, "learners window"]  # newest games against it, in a ring
    position: Int32[Array, "learners"]  # where the next game goes


def start(config: OpponentConfig, learners: int) -> Curriculum:
    """Returns the curriculum before the first game."""
    return Curriculum(
        depth=jnp.full(learners, config.first_depth, jnp.int8),
        has_won=jnp.zeros((learners, config.window), bool),
        position=jnp.zeros(learners, jnp.int32),
    )


def record(
    config: OpponentConfig,
    curriculum: Curriculum,
    has_ended: Bool[Array, "learners lanes"],
    has_won: Bool[Array, "learners lanes"],
    depth: Int8[Array, "learners lanes"],
) -> Curriculum:
    """Returns the curriculum after games that ended together, in the order of their lanes.

    A game against an earlier opponent, begun before the last rise, does not count.
    """
    learners = jnp.arange(curriculum.depth.shape[0])
    counts = has_ended & (depth == curriculum.depth[:, None])
    entry, position = rings.places(curriculum.position, counts, config.window)
    newest = curriculum.has_won.at[learners[:, None], entry].set(has_won, mode="drop")

    rises = (newest.sum(axis=1) >= config.wins) & (curriculum.depth < config.last_depth)
    return Curriculum(
        depth=curriculum.depth + rises.astype(jnp.int8),
        has_won=newest & ~rises[:, None],
        position=position,
    )
