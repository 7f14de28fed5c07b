"""The 2,143 outputs, and the actions of the full game that they begin with.

| outputs | meaning |
| --- | --- |
| 0-2105 | `234 row + 18 column + plane` of a hex, see below |
| 2106-2117 | priest: `3 cult + (0, 1, 2)` for 3, 2 or 1 steps |
| 2118, 2119 | advance shipping, digging |
| 2120-2125 | power actions ACT1 to ACT6 |
| 2126 | special action of the bonus card, whichever the seat holds: a spade or a cult step |
| 2127, 2128 | special action of a favor tile (FAV6), of the faction (ACTE) |
| 2129-2137 | pass and take bonus card BON1 to BON9; in the set-up, take the first card |
| 2138-2142 | town tile TW1 to TW5 |

Planes of a hex: 0-6 terraform to a terrain and build nothing; 7-13 the same, then build a dwelling
(nothing is terraformed where the hex has the terrain already); 14-17 upgrade to trading post, to
stronghold, to temple, to sanctuary. Terrains stand in the order plains, swamp, lake, forest,
mountain, wasteland, desert.

**Paper:** it gives the size as 9 x 13 x 18 + 4 x 3 + 25, as 4 x 3 + 20 + 5, and the size of the
main head as 9 x 13 x 18 + 32. These agree if the 25 include the 5 town tiles. Of planes 7-13 only
the faction's own terrain is ever legal. In the last round no card is taken: passing is output 2129
alone.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, Shaped

from jaxgames.terra_mystica.engine import actions
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.tables.terrain import LAND_CELLS, NUM_CELLS, NUM_LAND, Colour
from jaxgames.terra_mystica.tables.tiles import NUM_BASE_CARDS, NUM_BASE_TOWNS, NUM_POWER_ACTIONS

TERRAINS = np.array(
    [
        Colour.BROWN,
        Colour.BLACK,
        Colour.BLUE,
        Colour.GREEN,
        Colour.GRAY,
        Colour.RED,
        Colour.YELLOW,
    ]
)
"""Our colour of each terrain of the paper."""
NUM_TERRAINS = len(TERRAINS)
UPGRADES = np.array([0, 2, 1, 3])
"""Our upgrade (trading post, temple, stronghold, sanctuary) of each of the paper's."""
PLANES_PER_HEX = 2 * NUM_TERRAINS + len(UPGRADES)
BUILD_PLANE, UPGRADE_PLANE = NUM_TERRAINS, 2 * NUM_TERRAINS

SEND = NUM_CELLS * PLANES_PER_HEX
ADVANCE = SEND + actions.COUNTS[Kind.SEND]
POWER = ADVANCE + 2
CARD_SPECIAL = POWER + NUM_POWER_ACTIONS
FAVOR_SPECIAL = CARD_SPECIAL + 1
FACTION_SPECIAL = FAVOR_SPECIAL + 1
PASS = FACTION_SPECIAL + 1
TOWN = PASS + NUM_BASE_CARDS
NUM_OUTPUTS = TOWN + NUM_BASE_TOWNS


def hex_output(land: int, plane: int) -> int:
    """Returns the output of a plane of a land hex."""
    return int(LAND_CELLS[land]) * PLANES_PER_HEX + plane


def _land_of_cells() -> np.ndarray:
    """Returns `[117]` int32: the land hex of each cell of the map; 77 for other cells."""
    land = np.full(NUM_CELLS, NUM_LAND, np.int32)
    land[LAND_CELLS] = np.arange(NUM_LAND)
    return land


_LAND_OF_CELLS = _land_of_cells()
LAND_OF = np.append(
    np.repeat(_LAND_OF_CELLS, PLANES_PER_HEX) % NUM_LAND, np.zeros(NUM_OUTPUTS - SEND, np.int32)
).astype(np.int32)
"""`[2143]` land hex of each output; 0 for outputs without one."""


def _plane_of_outputs() -> np.ndarray:
    """Returns `[2143]` int32: the plane of each output; -1 for outputs of no hex."""
    plane = np.tile(np.arange(PLANES_PER_HEX), NUM_CELLS)
    return np.append(plane, np.full(NUM_OUTPUTS - SEND, -1)).astype(np.int32)


def _first_actions() -> np.ndarray:
    """Returns `[2143]` int32: the action of the full game that each output begins with.

    This is the usual action; `default_policy.first_action` handles the exceptions. Outputs of cells
    that are not land have 0; they are never legal.
    """
    by_hex = np.zeros((NUM_CELLS, PLANES_PER_HEX), np.int32)
    land = np.arange(NUM_LAND)[:, None]
    terraform = actions.STARTS[Kind.TERRAFORM] + NUM_TERRAINS * land + TERRAINS
    upgrade = actions.STARTS[Kind.UPGRADE] + actions.NUM_UPGRADES * land + UPGRADES
    by_hex[LAND_CELLS] = np.concatenate([terraform, terraform, upgrade], axis=1)
    others = (
        (Kind.SEND, actions.COUNTS[Kind.SEND]),
        (Kind.ADVANCE_SHIP, 1),
        (Kind.ADVANCE_DIG, 1),
        (Kind.POWER, NUM_POWER_ACTIONS),
        (Kind.CARD_SPADE, 1),
        (Kind.FAVOR_CULT, 1),
        (Kind.BUY_BRIDGE, 1),
        (Kind.PASS, NUM_BASE_CARDS),
        (Kind.TOWN, NUM_BASE_TOWNS),
    )
    rest = [actions.STARTS[kind] + np.arange(count) for kind, count in others]
    return np.concatenate([by_hex.reshape(-1), *rest]).astype(np.int32)


PLANE_OF = _plane_of_outputs()
FIRST_ACTIONS = _first_actions()


def from_parts(by_hex: Shaped[Array, "77 18"], rest: Shaped[Array, "37"]) -> Shaped[Array, "2143"]:
    """Returns a value for each output: zero for hexes that are not land.

    Args:
        by_hex: values of the planes of each land hex.
        rest: values of the outputs from `SEND` on.
    """
    none = jnp.zeros((1, PLANES_PER_HEX), by_hex.dtype)
    cells = jnp.concatenate([by_hex, none])[_LAND_OF_CELLS]
    return jnp.concatenate([cells.reshape(-1), rest])


def builds(output: Int32[Array, ""]) -> Bool[Array, ""]:
    """Returns whether an output builds a dwelling."""
    plane = jnp.asarray(PLANE_OF)[output]
    return (plane >= BUILD_PLANE) & (plane < UPGRADE_PLANE)
