"""The groups of structures are those that a search over the map finds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.boards import hexes
from jaxgames.terra_mystica.engine import groups, reachability
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_ENDS,
    COLUMNS,
    LAND_CELLS,
    NEIGHBOURS,
    NUM_BRIDGES,
    NUM_CELLS,
    NUM_LAND,
    ROWS,
)

DRAWS = 64


def _drawn(count: int):
    """Returns `[DRAWS, count]` different land hexes in order, and three bridges for each draw."""
    rng = np.random.default_rng(count)
    lands = [np.sort(rng.permutation(NUM_LAND)[:count]) for _ in range(DRAWS)]
    return np.array(lands), rng.integers(0, NUM_BRIDGES + 1, (DRAWS, 3)).astype(np.uint8)


def _sets(lands: np.ndarray) -> np.ndarray:
    return np.stack([hexes.from_cells(LAND_CELLS[row], ROWS, COLUMNS) for row in lands])


def _expected(lands: np.ndarray, bridges: np.ndarray) -> list[int]:
    """Returns the group of each structure as bits, found by a search."""
    beside = (NEIGHBOURS[:, :, None] >> np.arange(COLUMNS, dtype=np.uint16)) & 1
    near = beside.reshape(NUM_CELLS, NUM_CELLS)[np.ix_(LAND_CELLS, LAND_CELLS)].astype(bool)
    for bridge in bridges:
        if bridge:
            one, other = BRIDGE_ENDS[bridge - 1]
            near[one, other] = near[other, one] = True
    found = []
    for start in range(len(lands)):
        group, front = {start}, [start]
        while front:
            here = front.pop()
            reached = {n for n in range(len(lands)) if near[lands[here], lands[n]]} - group
            group |= reached
            front += reached
        found.append(sum(1 << number for number in group))
    return found


@jax.jit
@jax.vmap
def _found(own, bridges):
    structures = groups.listed(own)
    joined = jax.vmap(lambda cell: groups.members(structures, hexes.neighbours(cell)))(structures)
    joined |= groups.by_bridges(structures, bridges)
    return structures, groups.groups(structures, joined)


@pytest.mark.parametrize("count", [0, 1, 9, groups.MAX_STRUCTURES])
def test_groups_are_those_of_a_search(count: int):
    lands, bridges = _drawn(count)
    structures, found = map(np.asarray, _found(_sets(lands), bridges))
    assert not structures[:, count:].any()
    assert not found[:, count:].any()
    for row, at, cells, own_groups in zip(lands, bridges, structures, found, strict=True):
        listed = jax.vmap(reachability.to_hexes)(jnp.asarray(cells[:count]))
        assert np.argwhere(np.asarray(listed)).tolist() == [[n, h] for n, h in enumerate(row)]
        assert own_groups[:count].tolist() == _expected(row, at)


def test_a_chain_of_all_structures_is_one_group():
    last = groups.MAX_STRUCTURES - 1
    numbers = np.arange(groups.MAX_STRUCTURES)
    beside = abs(numbers[:, None] - numbers) == 1
    chain = (beside * (1 << numbers)).sum(axis=1).astype(np.uint32)
    structures = jnp.ones((groups.MAX_STRUCTURES, ROWS), jnp.uint16)
    found = np.asarray(groups.groups(structures, jnp.asarray(chain)))
    assert (found == (2 << last) - 1).all()


def test_a_set_of_structures_is_a_set_of_cells():
    lands, _ = _drawn(9)
    own = _sets(lands)[0]
    structures = groups.listed(jnp.asarray(own))
    chosen = jnp.uint32(0b1010_0110)
    cells = groups.cells_of(structures, chosen)
    assert int(groups.members(structures, cells)) == int(chosen)
    assert np.asarray(groups.earlier(chosen))[:4].tolist() == [0, 0, 0b10, 0b110]
