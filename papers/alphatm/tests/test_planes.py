"""The paper's planes: what stands where in them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.terra_mystica.tables.terrain import LAND_COLUMN, LAND_NAMES, LAND_ROW
from papers.alphatm.game import planes
from papers.alphatm.tests.positions import RULES, position

GAME = position(
    {"br": ["C5:D6"], "tw": ["TW2", "TW2"], "fav": ["FAV3", "FAV12"], "D": ["E10", "C5", "D6"]},
    {"SA": ["E2"]},
    terrain={"E10": "S", "D6": "S"},
    actions=["ACT5"],
)
observe = jax.jit(planes.planes, static_argnums=(2, 3))


@functools.cache
def seen(viewer=0, favors=10, scaled=False):
    return np.asarray(observe(GAME, jnp.int32(viewer), favors, scaled))


def cells(name: str):
    """Returns row and columns of the two cells of a hex."""
    land = LAND_NAMES.index(name)
    row, column = LAND_ROW[land], LAND_COLUMN[land]
    first = 2 * column + row % 2
    return row, slice(first, first + 2)


def at(name: str, first: int, last: int, viewer=0):
    """Returns the planes that are set on both cells of a hex, counted from the first."""
    both = seen(viewer)[cells(name)][:, first : last + 1]
    assert (both[0] == both[1]).all()
    return np.flatnonzero(both[0]).tolist()


def everywhere(first: int, last: int, viewer=0):
    """Returns the values of planes that are the same on all cells."""
    values = seen(viewer)[..., first : last + 1]
    assert (values == values[0, 0]).all()
    return values[0, 0].astype(int).tolist()


def test_there_are_48_planes_for_each_player_and_110():
    assert seen().shape == (9, 26, 48 * 2 + 110)
    assert seen(favors=12).shape == (9, 26, 50 * 2 + 110)
    shape = jax.eval_shape(RULES.observe, GAME, jnp.int32(0))
    assert (shape.shape, shape.dtype) == (seen().shape, jnp.float32)


@pytest.mark.parametrize(
    ("name", "terrain"),
    [("A1", 0), ("C1", 1), ("A4", 2), ("C3", 3), ("A2", 4), ("A6", 5), ("B1", 6), ("E10", 4)],
)
def test_terrain(name, terrain):
    assert at(name, 0, 7) == [terrain]


def test_every_cell_has_one_terrain_and_padding_is_water():
    assert (seen()[..., :8].sum(axis=-1) == 1).all()
    assert (seen()[1::2][:, [0, 25], 7] == 1).all()
    assert seen()[..., :7].sum() == 2 * 77


def test_structures_in_the_order_of_the_paper():
    assert [at(name, 8, 12) for name in ("C5", "E7", "E2", "A1")] == [[0], [1], [2], []]


def test_common_planes():
    assert everywhere(13, 18) == [0, 0, 0, 0, 1, 0]
    rounds = np.array(everywhere(19, 66)).reshape(6, 8)
    assert (rounds.argmax(axis=1) + 1).tolist() == [2, 6, 3, 4, 5, 8]
    assert rounds.sum() == 6
    assert everywhere(67, 74) == [0, 0, 1, 0, 0, 0, 0, 0]
    assert everywhere(75, 86) == [1, 1, 0, 1, 3, 2, 3, 3, 3, 3, 3, 2]
    assert everywhere(87, 95) == [1, 1, 1, 0, 1, 0, 0, 0, 1]


def test_numbers_of_the_seats_viewer_first():
    # Three dwellings give the engineers two workers, a trading post two coins and a power, BON1 two
    # coins, FAV3 and FAV12 nothing.
    engineers = [
        6, 1, 5, 3, 5, 3, 2, 0, 2, 4, 1, 0, 3, 1, 0, 0, 0, 30, 2, 0, 4, 1, 2
    ]  # fmt: skip
    # The halflings: a dwelling, a trading post, a sanctuary, BON2.
    halflings = [
        7, 2, 9, 4, 4, 4, 2, 0, 0, 0, 2, 3, 1, 1, 1, 0, 0, 25, 2, 1, 6, 1, 3
    ]  # fmt: skip
    assert everywhere(96, 118) == everywhere(119, 141, viewer=1) == engineers
    assert everywhere(119, 141) == everywhere(96, 118, viewer=1) == halflings


def test_bridges_stand_on_the_river_that_they_cross():
    # C5 and D6 have r11 and r17 in common: the tenth hexes of row C and of the shifted row D.
    crossed = [[2, 18], [2, 19], [3, 19], [3, 20]]
    assert np.argwhere(seen()[..., 142]).tolist() == crossed
    assert not seen()[..., 143].any()
    assert (seen(1)[..., 143] == seen()[..., 142]).all()


def test_tiles_of_the_seats():
    engineers = [1] + [0] * 8 + [1] + [0] * 8 + [1] + [0, 2, 0, 0, 0]
    halflings = [0, 1] + [0] * 7 + [0, 0, 0, 1] + [0] * 6 + [0] * 5
    assert everywhere(144, 167) == engineers
    assert everywhere(168, 191) == halflings
    assert np.flatnonzero(everywhere(192, 205)).tolist() == [6]
    assert np.flatnonzero(everywhere(192, 205, viewer=1)).tolist() == [9]


def test_twelve_favor_planes_show_all_kinds():
    values = seen(favors=12)[0, 0]
    assert np.flatnonzero(values[144 + 9 : 144 + 9 + 12]).tolist() == [2, 11]


def test_scaled_numbers_are_divided_by_their_units():
    ratio = seen()[0, 0, 96:119] / np.array(list(planes.NUMBERS.values()))
    np.testing.assert_allclose(seen(scaled=True)[0, 0, 96:119], ratio, rtol=1e-6)
    assert (seen(scaled=True)[..., :96] == seen()[..., :96]).all()
