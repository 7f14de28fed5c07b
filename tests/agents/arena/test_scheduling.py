"""Which games of a match a player decides."""

import jax.numpy as jnp
import numpy as np

from agents.arena import scheduling


def test_games_that_have_come_least_far_go_first_and_one_that_is_over_fills_the_batch():
    waits = jnp.array([False, True, True, False, True])
    how_far = jnp.array([0, 5, 9, 0, 3]), jnp.array([0, 1, 1, 0, 1])
    nothing = jnp.zeros(5, bool)
    lanes, asked = scheduling.furthest_behind(waits, how_far, nothing, 2)
    np.testing.assert_array_equal(lanes, [4, 1])
    assert asked.all()
    lanes, asked = scheduling.furthest_behind(waits, how_far, nothing, 5)
    np.testing.assert_array_equal(lanes, [4, 1, 2, 4, 4])
    np.testing.assert_array_equal(asked, [True, True, True, False, False])
    lanes, asked = scheduling.furthest_behind(waits, how_far, nothing.at[3].set(True), 5)
    np.testing.assert_array_equal(lanes, [4, 1, 2, 3, 3])
    np.testing.assert_array_equal(asked, [True, True, True, False, False])
