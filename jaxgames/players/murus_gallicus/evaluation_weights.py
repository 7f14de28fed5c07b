"""Piece-square tables and weights of the evaluation of Murus Gallicus, as data.

Source: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020),
and their program. The paper has six tables, one for each side and material. The tables of the Gauls
are the Roman tables turned, so three tables in the frame of a side are enough. The paper does not
print the tables. The numbers here are this project's own, with the shape of the program's numbers.
"""

from typing import NamedTuple

import numpy as np

from jaxgames.murus_gallicus.board import NUM_CELLS

NUM_MATERIALS = 3  # wall, tower, catapult: the order of the tables


class LinearWeights(NamedTuple):
    """The eight weights; numbers, or arrays with equal leading axes.

    A feature is the amount of the own side less the amount of the enemy. Only the ratios of the
    weights matter to a search, so seven of them are independent.
    """

    w_wall: int  # sum of the table's entries on walls
    w_tower: int  # the same for towers
    w_cat: int  # and catapults
    w_tw: int  # walls beyond the number of towers, counted against their owner
    w_cw: int  # walls beyond the number of catapults, likewise
    w_mob: int  # legal actions, had the side the turn
    w_mid: int  # catapults on the middle row, rank 4
    w_tdiff: int  # towers


_FEATURES = {"w_tw": 400, "w_cw": 100, "w_mob": 250, "w_mid": 1000, "w_tdiff": 2000}
WEIGHTS = {
    # First milestone: a single table, whose entry counts once for each stone of a stack. Counted
    # once for each stack, a tower turned into walls would look good, and depth 1 would lose to
    # random play.
    "ms1": LinearWeights(1, 2, 3, 0, 0, 0, 0, 0),
    "ms2": LinearWeights(50, 1000, 750, **_FEATURES),  # second milestone, before any learning
    "evolved": LinearWeights(456, 362, 673, **_FEATURES),  # best of the paper's first evolution
    "ms3": LinearWeights(228, 583, 787, **_FEATURES),  # the paper's later, final result
}
"""Named weights. Evolution in the paper trained the first three numbers of each."""


def _table(*quarter_rows: tuple[int, int, int, int]) -> np.ndarray:
    """Returns `[56]` int16 from files a-d of ranks 1 to 6; files e-h mirror them.

    A stack on rank 7 has won or is about to win, so its entry is 0.
    """
    left = np.array([*quarter_rows, (0, 0, 0, 0)], np.int16)
    return np.concatenate([left, left[:, ::-1]], axis=1).reshape(NUM_CELLS)


WALL_TABLE = _table(
    (-10, -2, -2, -2),
    (-2, 0, 0, 0),
    (-2, 0, 0, 1),
    (-2, 1, 1, 1),
    (-2, 1, 2, 2),
    (-2, 2, 4, 4),
)
TOWER_TABLE = _table(
    (-2, -2, -2, -2),
    (10, 20, 25, 20),
    (30, 35, 50, 50),
    (35, 40, 60, 100),
    (50, 60, 90, 150),
    (20, 20, 20, 20),
)
CATAPULT_TABLE = _table(
    (-2, -2, -2, -2),
    (0, 0, 5, 5),
    (0, 10, 35, 40),
    (0, 20, 80, 150),
    (0, 10, 30, 40),
    (0, 0, 0, 0),
)
TABLES = {
    "ms1": np.stack([TOWER_TABLE] * NUM_MATERIALS),  # one table for all material
    "ms2": np.stack([WALL_TABLE, TOWER_TABLE, CATAPULT_TABLE]),
}
"""Named tables, `[3, 56]` int16: the worth of a wall, tower or catapult on each cell."""

FAR_ROW = 5000  # worth of a stack on the far row, where it does not win at once
DEFENCE_RANKS = (3, 4)  # the wall of defenders stands on c, d, e, f of one of these
DEFENCE_FILES = 0b00111100  # c, d, e, f
