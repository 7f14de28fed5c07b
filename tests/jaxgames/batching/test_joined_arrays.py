"""Joined arrays come apart as they were, whatever their dtypes, sizes and leading axes."""

import jax.numpy as jnp
import numpy as np

from jaxgames.batching.joined_arrays import JoinedArrays
from jaxgames.internal import device_kind

LARGE = (4, 9)
ROWS = [
    ((), jnp.int32),
    ((3,), jnp.int32),
    ((2, 2), jnp.int8),
    (LARGE, jnp.int32),
    ((), bool),
    *[((), jnp.int32)] * (device_kind.MOST_CONCATENATED + 1),
    ((5,), jnp.int8),
    ((1, 32), bool),
]


def numbered(leading):
    """Returns arrays of the rows with drawn numbers."""
    rng = np.random.default_rng(0)
    return [
        jnp.asarray(rng.integers(0, 100 if dtype is not bool else 2, (*leading, *shape)), dtype)
        for shape, dtype in ROWS
    ]


def test_joined_arrays_come_apart_as_they_were_also_with_other_leading_axes():
    joined = JoinedArrays(numbered((6,)), axes=1)
    for leading in ((6,), (2, 3), ()):
        arrays = numbered(leading)
        found = joined.split(joined.join(arrays))
        for before, after in zip(arrays, found, strict=True):
            assert before.dtype == after.dtype
            np.testing.assert_array_equal(before, after)


def test_small_arrays_of_a_dtype_are_joined_as_many_as_one_concatenation_takes():
    joined = JoinedArrays(numbered((6,)), axes=1).join(numbered((6,)))
    assert {array.dtype for array in joined} == {jnp.dtype(dtype) for _, dtype in ROWS}
    # Numbers of int32: two joined arrays and the large one. Of int8 and bool: one each.
    assert len(joined) == 5
    assert any(array.shape == (6, *LARGE) for array in joined)
