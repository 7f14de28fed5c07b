"""The ring of samples."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from train import replay

COUNT, CAPACITY = 4, 12


def samples(iteration):
    """Returns samples that carry their serial number, from 1, in two leaves."""
    number = 1 + COUNT * iteration + jnp.arange(COUNT)
    return {"number": number, "pair": jnp.stack([number, -number], axis=1).astype(jnp.float16)}


def ring_after(iterations, capacity=CAPACITY):
    one = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), samples(0))
    ring = replay.empty(one, capacity)
    add = jax.jit(replay.add)
    for iteration in range(iterations):
        ring = add(ring, samples(iteration))
    return ring


draw = jax.jit(replay.sample, static_argnums=1)


@pytest.mark.parametrize(
    ("iterations", "wanted", "size"),
    [
        (0, [0] * 12, 0),
        (1, [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0], 4),
        (3, list(range(1, 13)), 12),
        (4, [13, 14, 15, 16, 5, 6, 7, 8, 9, 10, 11, 12], 12),
        (6, list(range(13, 25)), 12),
        (7, [25, 26, 27, 28, *range(17, 25)], 12),
    ],
)
def test_newest_samples_replace_the_oldest(iterations, wanted, size):
    ring = ring_after(iterations)
    np.testing.assert_array_equal(ring.samples["number"], wanted)
    np.testing.assert_array_equal(ring.samples["pair"], np.stack([wanted, np.negative(wanted)], 1))
    np.testing.assert_array_equal(ring.size, [size])
    assert ring.samples["pair"].dtype == jnp.float16


def test_only_filled_entries_are_drawn_all_of_them_about_equally_often():
    for iterations, filled in ((1, range(1, 5)), (4, range(5, 17))):
        drawn = draw(ring_after(iterations), 6000, jax.random.key(iterations))
        number, times = np.unique(np.asarray(drawn["number"]), return_counts=True)
        np.testing.assert_array_equal(number, filled)
        np.testing.assert_allclose(times * len(number) / 6000, 1, atol=0.25)
        np.testing.assert_array_equal(drawn["pair"][:, 0], drawn["number"])
        np.testing.assert_array_equal(drawn["pair"][:, 1], -drawn["number"])


def test_capacity_that_is_no_multiple_of_the_samples_is_refused():
    with pytest.raises(ValueError, match="replay capacity 10 is not a multiple of 4 samples"):
        ring_after(1, capacity=10)
    with pytest.raises(ValueError, match="replay capacity 2 is not a multiple of 4 samples"):
        ring_after(1, capacity=2)
