"""Which hexes are near which: own and foreign structures, bridges, ships, tunnels and carpets."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt8, UInt16

from jaxgames.boards import bits, hexes
from jaxgames.boards.hexes import Cells
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow
from jaxgames.terra_mystica.state import Board
from jaxgames.terra_mystica.tables.factions import COLUMNS
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_ENDS,
    LAND,
    LAND_CELLS,
    LAND_COLUMN,
    LAND_ROW,
    NEIGHBOURS,
    RIVER,
    ROWS,
)
from jaxgames.terra_mystica.tables.tiles import CARD_SHIP

MAX_SHIP = int(COLUMNS.max_ship.max()) + int(CARD_SHIP.max())
MAX_RANGE = int(COLUMNS.max_range.max())
CELLS = LAND | RIVER


def occupied(board: Board) -> Cells:
    """Returns the hexes with a structure."""
    return hexes.union(board.structures)


def own_structures(board: Board, colour: Number) -> Cells:
    """Returns the hexes with a structure of the seat of a colour."""
    return occupied(board) & board.terrain[colour]


def count_structures(board: Board, colour: Number) -> Int32[Array, "5"]:
    """Returns how many structures of each kind the seat of a colour has."""
    return hexes.count(board.structures & board.terrain[colour])


def land(hex_number: Number) -> Cells:
    """Returns the set of one land hex, by its number."""
    row, column = jnp.asarray(LAND_ROW)[hex_number], jnp.asarray(LAND_COLUMN)[hex_number]
    return hexes.single(row, column, ROWS)


def contains_land(cells: UInt16[Array, "*sets 9"], hex_number: Number) -> Bool[Array, "*sets"]:
    """Returns whether each set has a land hex."""
    row, column = jnp.asarray(LAND_ROW)[hex_number], jnp.asarray(LAND_COLUMN)[hex_number]
    return (cells[..., row] >> column.astype(jnp.uint16)) & 1 != 0


def beside(hex_number: Number) -> Cells:
    """Returns the cells that share a side with a land hex."""
    return jnp.asarray(NEIGHBOURS[LAND_CELLS])[hex_number]


def across(cells: Cells, bridges: UInt8[Array, "bridges"]) -> Cells:
    """Returns the hexes at the other end of each bridge that ends in `cells`.

    Args:
        cells: hexes from which the bridges are crossed.
        bridges: place of each bridge + 1; 0 for none.
    """
    ends = jnp.asarray(BRIDGE_ENDS)[jnp.maximum(bridges.astype(jnp.int32) - 1, 0)]
    row, column = jnp.asarray(LAND_ROW)[ends], jnp.asarray(LAND_COLUMN)[ends]  # [bridges, 2]
    crosses = hexes.contains(cells, row, column)[:, ::-1] & (bridges > 0)[:, None]
    bits = jnp.where(crosses, jnp.uint16(1) << column.astype(jnp.uint16), jnp.uint16(0))
    by_row = jnp.where(row[..., None] == jnp.arange(ROWS), bits[..., None], jnp.uint16(0))
    return hexes.union(by_row.reshape(-1, ROWS))


def adjacent(board: Board, hex_number: Number) -> Cells:
    """Returns the hexes directly adjacent to a hex: by a side, or by anybody's bridge."""
    return beside(hex_number) | across(land(hex_number), board.bridges.reshape(-1))


def shipping(cells: Cells, level: Number) -> Cells:
    """Returns the river hexes within a ship level of `cells`."""
    river = jnp.zeros_like(cells)
    for distance in range(1, MAX_SHIP + 1):
        grown = river | (hexes.neighbours(cells if distance == 1 else river) & RIVER)
        river = bits.computed_once(jnp.where(distance <= level, grown, river))
    return river


def within(cells: Cells, distance: Number) -> Cells:
    """Returns the cells at most `distance` steps from `cells`; at most `MAX_RANGE + 1` steps."""
    for step in range(1, MAX_RANGE + 2):
        grown = cells | (hexes.neighbours(cells) & CELLS)
        cells = bits.computed_once(jnp.where(step <= distance, grown, cells))
    return cells


class Reach(NamedTuple):
    """Free hexes that a seat can get at."""

    direct: Cells  # adjacent, or by ship
    tunnelled: Cells  # only by tunnel or carpet, for its price


def ship_level(player: PlayerRow) -> Number:
    """Returns the ship level with the bonus card."""
    bonus = jnp.asarray(CARD_SHIP)[jnp.maximum(player.card - 1, 0)] * (player.card > 0)
    return jnp.where(player.board.max_ship > 0, player.ship + bonus, 0)


def reach(board: Board, player: PlayerRow, bridges: UInt8[Array, "3"], ship: Number) -> Reach:
    """Returns the hexes without a structure that a seat can terraform or build on.

    Args:
        board: the map.
        player: the seat.
        bridges: its bridges. Bridges of other seats end at a structure of theirs and add nothing.
        ship: its ship level.
    """
    own = own_structures(board, player.board.colour)
    free = LAND & ~occupied(board)
    direct = hexes.neighbours(own | shipping(own, ship)) | across(own, bridges)
    tunnelled = jnp.where(player.range > 0, within(own, player.range + 1), jnp.uint16(0))
    return Reach(direct & free, tunnelled & free & ~direct)


def to_hexes(cells: UInt16[Array, "*sets 9"]) -> Bool[Array, "*sets 77"]:
    """Returns which land hexes belong to each set."""
    return (cells[..., LAND_ROW] >> LAND_COLUMN.astype("uint16")) & 1 != 0
