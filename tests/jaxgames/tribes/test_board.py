"""Sets of tiles: what is counted around each tile."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes.engine import grid


@pytest.mark.parametrize("side", [11, 14, 16])
def test_tiles_of_a_set_are_counted_within_a_radius_of_each_tile(side):
    board, rng = grid.board_of(side), np.random.default_rng(side)
    chosen = rng.random(board.tiles) < 0.4
    radius = rng.integers(1, 4, board.tiles).astype(np.int32)
    rows = grid.pack(board, jnp.asarray(chosen))
    counts = grid.count_around(board, rows, jnp.asarray(radius), most=3)
    apart = grid.distance(board, np.arange(board.tiles)[:, None], np.arange(board.tiles))
    expected = ((apart <= radius[:, None]) & chosen).sum(axis=1)
    np.testing.assert_array_equal(counts, expected)
    np.testing.assert_array_equal(
        grid.count_around(board, rows, 1, most=1), ((apart <= 1) & chosen).sum(axis=1)
    )
