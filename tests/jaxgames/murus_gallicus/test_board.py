"""Sets of cells, checked cell by cell against coordinates."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.murus_gallicus import board, moves
from jaxgames.murus_gallicus.board import FILES, NUM_CELLS, RANKS, Bitboard, Direction

RANDOM = np.random.default_rng(0).random((64, NUM_CELLS)) < 0.4


def to_board(mask: np.ndarray) -> Bitboard:
    number = sum(1 << cell for cell in np.flatnonzero(mask).tolist())
    low = number & board.HALF_BITS
    return Bitboard(jnp.uint32(low), jnp.uint32(number >> board.HALF))


BATCH = jax.tree.map(lambda *words: jnp.stack(words), *[to_board(mask) for mask in RANDOM])


def masks(sets: Bitboard) -> np.ndarray:
    """Returns the cells of many sets, read bit by bit; a stray bit is an error."""
    words = np.stack([np.asarray(sets.near), np.asarray(sets.far)], axis=-1)
    assert not (words >> board.HALF).any()
    return ((words[..., None] >> np.arange(board.HALF)) & 1).astype(bool).reshape(-1, NUM_CELLS)


def grid(cells: np.ndarray) -> np.ndarray:
    return cells.reshape(-1, RANKS, FILES)


def test_cells_are_those_of_the_bits():
    np.testing.assert_array_equal(masks(BATCH), RANDOM)
    np.testing.assert_array_equal(BATCH.cells(), RANDOM)


def test_turned_set_is_the_board_seen_from_the_other_side():
    np.testing.assert_array_equal(masks(jax.vmap(Bitboard.turned)(BATCH)), RANDOM[:, ::-1])


def test_reflected_set_has_its_files_exchanged():
    reflected = grid(masks(jax.vmap(Bitboard.reflected)(BATCH)))
    np.testing.assert_array_equal(reflected, grid(RANDOM)[:, :, ::-1])


@pytest.mark.parametrize("direction", Direction)
def test_leading_here_looks_one_two_and_three_cells_ahead(direction):
    dx, dy = board.STEPS[direction].tolist()
    padded = np.pad(grid(RANDOM), ((0, 0), (3, 3), (3, 3)))
    for distance in (1, 2, 3):
        rank, file = 3 + dy * distance, 3 + dx * distance
        ahead = padded[:, rank : rank + RANKS, file : file + FILES]
        found = jax.vmap(lambda s, d=distance: s.leading_here(direction, d))(BATCH)
        np.testing.assert_array_equal(grid(masks(found)), ahead)


def test_all_directions_at_once_give_what_each_gives_alone():
    every = jax.vmap(lambda s: s.leading_here(np.arange(8), 2))(BATCH)
    assert every.near.shape == (64, 8)
    for direction in Direction:
        alone = jax.vmap(lambda s, d=direction: s.leading_here(d, 2))(BATCH)
        np.testing.assert_array_equal(every.near[:, direction], alone.near)
        np.testing.assert_array_equal(every.far[:, direction], alone.far)


def test_targets_are_off_the_board_exactly_beyond_its_edges():
    for cell in range(NUM_CELLS):
        rank, file = divmod(cell, FILES)
        for direction in Direction:
            dx, dy = board.STEPS[direction].tolist()
            for distance in range(4):
                x, y = file + distance * dx, rank + distance * dy
                expected = 8 * y + x if 0 <= x < FILES and 0 <= y < RANKS else -1
                assert board.TARGETS[cell, direction, distance] == expected


def test_single_cell_is_empty_off_the_board():
    cells = jnp.arange(-30, 90)
    sets = masks(jax.vmap(board.single)(cells))
    np.testing.assert_array_equal(sets.sum(1), (cells >= 0) & (cells < NUM_CELLS))
    np.testing.assert_array_equal(sets[30:86], np.eye(NUM_CELLS, dtype=bool))


def test_operators_work_cell_by_cell():
    left, right = (
        jax.tree.map(lambda word, s=s: word[s], BATCH) for s in (slice(32), slice(32, 64))
    )
    a, b = RANDOM[:32], RANDOM[32:]
    for found, expected in ((left & right, a & b), (left | right, a | b), (left ^ right, a ^ b)):
        np.testing.assert_array_equal(masks(found), expected)
    np.testing.assert_array_equal(masks(~left), ~a)
    np.testing.assert_array_equal(jax.vmap(Bitboard.count)(left), a.sum(1))
    np.testing.assert_array_equal(left.reaches_far_row(), a[:, -FILES:].any(1))
    kept = jax.vmap(Bitboard.only_if)(left, jnp.arange(32) % 2 == 0)
    np.testing.assert_array_equal(kept.any(), a.any(1) & (np.arange(32) % 2 == 0))


def test_plane_numbers_follow_the_directions():
    names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
    assert [direction.name for direction in Direction] == names
    assert moves.NUM_BOARD_ACTIONS == 896
    assert board.OFFSETS.tolist() == [8, 9, 1, -7, -8, -9, -1, 7]
