"""The base map: its counts are those that the published map gives."""

import jax
import numpy as np
import pytest

from jaxgames.boards import hexes
from jaxgames.terra_mystica.engine import reachability
from jaxgames.terra_mystica.tables import terrain
from jaxgames.terra_mystica.tables.terrain import (
    COLUMNS,
    LAND_CELLS,
    LAND_NAMES,
    NEIGHBOURS,
    NUM_CELLS,
    RIVER_CELLS,
    ROWS,
    START_COLOURS,
)


def _matrix() -> np.ndarray:
    """Returns `[117, 117]` bool: which cells share a side."""
    bits = (NEIGHBOURS[:, :, None] >> np.arange(COLUMNS, dtype=np.uint16)) & 1
    return bits.reshape(NUM_CELLS, NUM_CELLS).astype(bool)


def _distances(passable: np.ndarray, sides_count: bool = True) -> np.ndarray:
    """Returns `[77, 77]` steps between land hexes over `passable` cells only; 99 if none.

    Hexes that share a side are one step apart only if `sides_count`.
    """
    near = _matrix()
    distance = np.full((len(LAND_CELLS), NUM_CELLS), 99)
    for row, cell in zip(distance, LAND_CELLS, strict=True):
        front, step = np.zeros(NUM_CELLS, bool), 0
        front[cell] = True
        row[cell] = 0
        while front.any():
            step += 1
            reached = near[front].any(axis=0) & (row == 99)
            if step == 1 and not sides_count:
                reached &= passable
            row[reached] = step
            front = reached & passable
    return distance[:, LAND_CELLS]


def _pairs(distance: np.ndarray, value: int) -> int:
    return int((distance == value)[np.triu_indices(len(LAND_CELLS), 1)].sum())


def test_every_colour_has_eleven_hexes_and_there_are_36_of_river():
    assert np.bincount(START_COLOURS).tolist() == [11] * 7
    assert len(RIVER_CELLS) == 36


def test_adjacent_pairs_are_as_many_as_on_the_published_map():
    near = np.triu(_matrix(), 1)
    assert near[np.ix_(LAND_CELLS, LAND_CELLS)].sum() == 130
    assert near[np.ix_(RIVER_CELLS, RIVER_CELLS)].sum() == 39
    assert (near | near.T)[np.ix_(LAND_CELLS, RIVER_CELLS)].sum() == 127
    assert (near | near.T)[np.ix_(LAND_CELLS, RIVER_CELLS)].any(axis=1).sum() == 56


def test_river_and_crow_distances_are_those_of_the_published_map():
    river = np.isin(np.arange(NUM_CELLS), RIVER_CELLS)
    by_ship = _distances(river, sides_count=False)
    # A path of n river hexes has n + 1 steps.
    assert [_pairs(by_ship, n + 1) for n in range(1, 7)] == [138, 104, 102, 105, 111, 106]
    every = np.isin(np.arange(NUM_CELLS), [*LAND_CELLS, *RIVER_CELLS])
    assert [_pairs(_distances(every), n) for n in range(1, 6)] == [130, 210, 272, 337, 336]


def test_bridges_join_hexes_whose_common_neighbours_are_river():
    near = _matrix()
    found = set()
    for i, a in enumerate(LAND_CELLS):
        for j, b in enumerate(LAND_CELLS):
            between = np.flatnonzero(near[a] & near[b])
            # At the rim one of the two cells between them is off the map.
            is_rim = {a // COLUMNS, b // COLUMNS} <= {0, ROWS - 1} or len(between) == 1
            is_apart = i < j and not near[a, b] and len(between) > 0
            if is_apart and np.isin(between, RIVER_CELLS).all() and (len(between) == 2 or is_rim):
                found.add(f"{LAND_NAMES[i]}-{LAND_NAMES[j]}")
    straight = {name for name in found if _is_straight(name)}
    assert straight == set(terrain.BRIDGE_NAMES)
    assert len(terrain.BRIDGE_NAMES) == 29


def _is_straight(name: str) -> bool:
    """Returns whether two hexes with one neighbour in common do not lie in one line through it."""
    ends = [LAND_CELLS[LAND_NAMES.index(end)] for end in name.split("-")]
    near = _matrix()
    between = np.flatnonzero(near[ends[0]] & near[ends[1]])
    if len(between) == 2:
        return True
    return _centre(ends[0]) + _centre(ends[1]) != 2 * _centre(between[0])


def _centre(cell: int) -> complex:
    row, column = divmod(int(cell), COLUMNS)
    return complex(2 * column + row % 2, 3 * row)


@pytest.mark.parametrize("distance", [0, 1, 2, 3, 6])
def test_ships_reach_what_lies_within_their_river_distance(distance: int):
    expected = _distances(np.isin(np.arange(NUM_CELLS), RIVER_CELLS))
    sets = np.stack([hexes.from_cells([cell], ROWS, COLUMNS) for cell in LAND_CELLS])

    @jax.vmap
    def reached(cells):
        river = reachability.shipping(cells, distance)
        return reachability.to_hexes(hexes.neighbours(cells | river))

    near = np.asarray(jax.jit(reached)(sets))
    off_diagonal = ~np.eye(len(LAND_CELLS), dtype=bool)
    assert (near == (expected <= distance + 1))[off_diagonal].all()


@pytest.mark.parametrize("distance", [0, 2, 3, 5])
def test_tunnels_and_carpets_reach_what_lies_within_their_crow_distance(distance: int):
    every = np.isin(np.arange(NUM_CELLS), [*LAND_CELLS, *RIVER_CELLS])
    sets = np.stack([hexes.from_cells([cell], ROWS, COLUMNS) for cell in LAND_CELLS])
    reached = jax.jit(
        jax.vmap(lambda cells: reachability.to_hexes(reachability.within(cells, distance)))
    )
    assert (np.asarray(reached(sets)) == (_distances(every) <= distance)).all()
