"""Tiles around a tile, in the orders in which level generation looks at them.

Source: the game's document, section 16.2: `ring` at distance 1, and `cross`.
"""

import numpy as np
from jaxtyping import Bool, Int32

from jaxgames.tribes.engine.grid import Grid

# Directions as in `Grid.around`:  0 1 2
#                                   3 4 5
#                                   6 7 8
_RING = (0, 1, 8, 7, 6, 3, 2, 5)
_CROSS = (3, 5, 1, 7)


def ring(board: Grid) -> Int32[np.ndarray, "T 8"]:
    """Returns the neighbours of each tile, -1 off the board."""
    return board.around[:, _RING]


def cross(board: Grid) -> Int32[np.ndarray, "T 4"]:
    """Returns the tiles to the left, to the right, above and below each tile, -1 off the board."""
    return board.around[:, _CROSS]


def shade_of_ruins(board: Grid, zone: int) -> Bool[np.ndarray, "T"]:
    """Returns the tiles where no more ruins may lie after ruins were placed in a zone.

    The reference means to spread ruins, but takes the zone for the number of a tile. It always
    blocks the tiles around row 0 and column `zone`, which is in the first corner or beside it.
    """
    away = np.maximum(board.row, abs(board.column - zone))
    return np.asarray(away == 1)
