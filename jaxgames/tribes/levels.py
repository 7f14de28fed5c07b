"""Levels: the board before the first turn."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int8


class Level(NamedTuple):
    """A board with its capitals. Seats are numbered in the order of the capitals."""

    side: int
    terrain: Int8[np.ndarray, "T"]  # `Terrain`; of capitals: CITY
    resource: Int8[np.ndarray, "T"]  # `Resource`, -1: none
    capitals: tuple[tuple[int, int], ...]  # (tile, row of the table of tribes), in reading order
