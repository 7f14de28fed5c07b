"""Action numbers. An action takes one step, or two: first a tile, then a sub-action on the tile.

In the first phase (`Stage.SOURCE`), for a board of T tiles:

| numbers | meaning |
| --- | --- |
| 0 to T - 1 | act on this tile, or with the unit on it |
| T to T + 23 | research a technology |
| T + 24, T + 25 | first, second option of the city that levels up |
| T + 26 | end the turn |

In the second (`Stage.SUB_ACTION`):

| numbers | meaning |
| --- | --- |
| 0-167 | MOVE the unit by `(m // 13 - 6, m % 13 - 6)`; `m` is `n` below 84, else `n + 1` |
| 168-215 | ATTACK or CONVERT at an offset of at most 3 rows and columns, in the same order |
| 216-222 | CAPTURE, DISBAND, EXAMINE, HEAL_OTHERS, MAKE_VETERAN, RECOVER, UPGRADE |
| 223-241 | BUILD, in the order of the buildings |
| 242-247 | BURN_FOREST, CLEAR_FOREST, DESTROY, GROW_FOREST, GATHER, BUILD_ROAD |
| 248-255 | SPAWN, in the order of the units |
"""

import numpy as np

from jaxgames.tribes.tables.buildings import NUM_BUILDINGS
from jaxgames.tribes.tables.sub_actions import TileSubAction, UnitSubAction
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES
from jaxgames.tribes.tables.units import NUM_SPAWNED

MOVE_REACH, ATTACK_REACH = 6, 3


def _offsets(reach: int) -> np.ndarray:
    side = range(-reach, reach + 1)
    return np.array([(dx, dy) for dx in side for dy in side if (dx, dy) != (0, 0)], np.int32)


MOVE_OFFSETS, ATTACK_OFFSETS = _offsets(MOVE_REACH), _offsets(ATTACK_REACH)
NUM_MOVES, NUM_ATTACKS = len(MOVE_OFFSETS), len(ATTACK_OFFSETS)


FIRST_MOVE = 0
FIRST_ATTACK = FIRST_MOVE + NUM_MOVES
FIRST_UNIT_SUB_ACTION = FIRST_ATTACK + NUM_ATTACKS
FIRST_BUILD = FIRST_UNIT_SUB_ACTION + len(UnitSubAction)
FIRST_TILE_SUB_ACTION = FIRST_BUILD + NUM_BUILDINGS
FIRST_SPAWN = FIRST_TILE_SUB_ACTION + len(TileSubAction)
NUM_SUB_ACTIONS = FIRST_SPAWN + NUM_SPAWNED

NUM_LEVEL_UPS = 2
# Actions of the whole tribe, counted from the number of tiles on.
FIRST_RESEARCH = 0
FIRST_LEVEL_UP = NUM_TECHNOLOGIES
END_TURN = FIRST_LEVEL_UP + NUM_LEVEL_UPS
NUM_GLOBAL = END_TURN + 1

_WORD = 32


def num_actions(tiles: int) -> int:
    """Returns the number of actions of the larger phase, rounded up to a multiple of 32."""
    most = max(tiles + NUM_GLOBAL, NUM_SUB_ACTIONS)
    return -(-most // _WORD) * _WORD
