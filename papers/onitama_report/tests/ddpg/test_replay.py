"""The rings against plain queues."""

import collections

import jax
import jax.numpy as jnp
import numpy as np

from papers.onitama_report.ddpg import replay
from papers.onitama_report.ddpg.games import Transition

LEARNERS, CAPACITY, NEW = 3, 7, 5


def transitions(numbers):
    """Returns transitions that are told apart by their action and the position."""
    numbers = jnp.asarray(numbers)
    zeros = jnp.zeros(numbers.shape, jnp.int8)
    return Transition(
        {"square": numbers * 2}, numbers.astype(jnp.int16), zeros, {"square": numbers}, zeros > 0
    )


def test_rings_hold_the_newest_of_each_learner_first_in_first_out():
    entry = jax.tree.map(lambda x: jax.ShapeDtypeStruct((), x.dtype), transitions(0))
    rings = replay.empty(entry, LEARNERS, CAPACITY)
    queues = [collections.deque(maxlen=CAPACITY) for _ in range(LEARNERS)]
    rng = np.random.default_rng(3)
    add = jax.jit(replay.add)
    for number in range(30):
        values = 1 + number * LEARNERS * NEW + np.arange(LEARNERS * NEW).reshape(LEARNERS, NEW)
        mask = rng.random((LEARNERS, NEW)) < [[0.1], [0.5], [1.0]]
        rings = add(rings, transitions(values), jnp.asarray(mask))
        for queue, row, kept in zip(queues, values, mask, strict=True):
            queue.extend(row[kept].tolist())
        assert rings.size.tolist() == [len(queue) for queue in queues]
        for learner, queue in enumerate(queues):
            held = np.asarray(rings.transitions.action[learner])
            start = int(rings.position[learner]) if len(queue) == CAPACITY else 0
            assert np.roll(held, -start)[: len(queue)].tolist() == list(queue)
            np.testing.assert_array_equal(rings.transitions.game["square"][learner], 2 * held)


def test_samples_are_the_learner_s_own_and_come_equally_often():
    entry = jax.tree.map(lambda x: jax.ShapeDtypeStruct((), x.dtype), transitions(0))
    values = 100 * np.arange(LEARNERS)[:, None] + np.arange(NEW)
    mask = np.arange(NEW) < [[2], [5], [3]]
    rings = replay.add(replay.empty(entry, LEARNERS, CAPACITY), transitions(values), mask)
    keys = jax.random.split(jax.random.key(0), 2)
    found = replay.sample(rings, jnp.array([2, 0]), 3000, keys)
    for row, (learner, filled) in zip(found.action, ((2, 3), (0, 2)), strict=True):
        drawn, counts = np.unique(row, return_counts=True)
        assert drawn.tolist() == [100 * learner + i for i in range(filled)]
        assert abs(counts - 3000 / filled).max() < 5 * np.sqrt(3000 / filled)
    np.testing.assert_array_equal(found.game["square"], 2 * found.action)
