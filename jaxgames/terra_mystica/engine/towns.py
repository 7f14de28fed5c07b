"""Towns: which groups of structures found one, and mermaids' river hexes."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt8, UInt16

from jaxgames.boards import hexes
from jaxgames.boards.hexes import Cells
from jaxgames.sparse_vmap import where_needed
from jaxgames.terra_mystica.engine import reachability
from jaxgames.terra_mystica.engine.seats import Number, Player
from jaxgames.terra_mystica.state import Board, Players
from jaxgames.terra_mystica.tables.factions import POWER_VALUE, Structure
from jaxgames.terra_mystica.tables.terrain import (
    LAND,
    NEIGHBOURS,
    NUM_RIVER,
    RIVER_CELLS,
)
from jaxgames.terra_mystica.tables.tiles import NUM_BASE_TOWNS, TOWN_COPIES, TOWN_POWER, TOWN_SIZE


class Ground(NamedTuple):
    """What connects the structures of one seat."""

    own: Cells  # its structures
    bridges: UInt8[Array, "3"]  # its bridges
    skipped: Cells  # river hexes that join the land hexes around them


def ground_of(board: Board, mover: Player, seat: Number) -> Ground:
    """Returns what connects the structures of a seat."""
    skipped = jnp.where(mover.board.skips_river > 0, board.skipped, jnp.uint16(0))
    own = reachability.own_structures(board, mover.board.colour)
    return Ground(own, board.bridges[seat], skipped)


def tiles_left(players: Players, mini_towns: bool) -> Array:
    """Returns `[8]` int32: copies of each town tile that nobody holds; 0 for tiles not in play."""
    in_play = np.where(np.arange(len(TOWN_COPIES)) < NUM_BASE_TOWNS, TOWN_COPIES, 0)
    copies = TOWN_COPIES if mini_towns else in_play
    return jnp.asarray(copies) - players.towns.astype(jnp.int32).sum(axis=0)


def grow(ground: Ground, seed: Cells) -> Cells:
    """Returns the connected group of structures that contains `seed`.

    Each step adds the neighbours of the group, so the 17 structures of a seat need at most 16
    steps.
    """

    def spread(group: Cells) -> Cells:
        near = hexes.neighbours(group)
        over_river = hexes.neighbours(near & ground.skipped)
        return (near | over_river | reachability.across(group, ground.bridges)) & ground.own

    return hexes.grow(seed, spread)


def is_town(board: Board, group: Cells, needed_power: Number) -> Bool[Array, ""]:
    """Returns whether a connected group founds a town.

    It must be large and strong enough, and no structure of it may be in a town yet.
    """
    return hexes.is_empty(group & board.in_town) & _suffices(board, group, needed_power)


def _suffices(board: Board, group: Cells, needed_power: Number) -> Bool[Array, ""]:
    counts = hexes.count(board.structures & group)
    size = counts.sum() + counts[Structure.SANCTUARY]
    power = (counts * POWER_VALUE).sum()
    return (size >= TOWN_SIZE) & (power >= needed_power)


def needed_power(has_town_favor: Bool[Array, ""]) -> Number:
    """Returns the power that a town of a seat needs."""
    return TOWN_POWER - has_town_favor.astype(jnp.int32)


def found(
    board: Board, ground: Ground, seeds: Cells, power: Number, tiles: Number
) -> tuple[UInt16[Array, "9"], Number]:
    """Founds the towns of all groups that contain a seed.

    Groups that touch a town become part of it.

    Args:
        board: the map.
        ground: what connects the seat's structures.
        seeds: structures whose groups may have become towns.
        power: power that a town needs.
        tiles: town tiles left; no more towns are founded.

    Returns:
        The structures in towns, and the number of new towns.
    """
    # About every sixth action is one that can found a town.
    nothing = (board.in_town, jnp.int32(0))
    needed = ~hexes.is_empty(seeds)
    return where_needed(needed, _found, nothing, board, ground, seeds, power, tiles, share=1 / 6)


def _found(
    board: Board, ground: Ground, seeds: Cells, power: Number, tiles: Number
) -> tuple[Cells, Number]:

    def has_seed(carry: tuple[Cells, Cells, Number]) -> Bool[Array, ""]:
        return ~hexes.is_empty(carry[0])

    def step(carry: tuple[Cells, Cells, Number]) -> tuple[Cells, Cells, Number]:
        left, in_town, number = carry
        group = grow(ground, hexes.first(left))
        is_new = is_town(board, group, power) & (number < tiles)
        joins = is_new | ~hexes.is_empty(group & in_town)
        return left & ~group, in_town | jnp.where(joins, group, 0), number + is_new

    start = (seeds, board.in_town, jnp.int32(0))
    return jax.lax.while_loop(has_seed, step, start)[1:]


def connectable(
    board: Board, ground: Ground, power: Number, is_asked: Bool[Array, ""]
) -> Bool[Array, "36"]:
    """Returns the river hexes that mermaids can skip to found a town now; none unless asked."""
    # Mermaids take part in few games, and often have too few structures outside towns for a town.
    needed = is_asked & _suffices(board, ground.own & ~board.in_town, power)
    none = jnp.zeros((NUM_RIVER,), bool)
    return where_needed(needed, _connectable, none, board, ground, power, share=1 / 32)


def _connectable(board: Board, ground: Ground, power: Number) -> Bool[Array, "36"]:

    def founds(cell: Cells, around: Cells) -> Bool[Array, ""]:
        joined = ground._replace(skipped=ground.skipped | cell)
        seed = hexes.first(around & ground.own)
        return is_town(board, grow(joined, seed), power)

    around = jnp.asarray(NEIGHBOURS[RIVER_CELLS]) & LAND
    return jax.vmap(founds)(jnp.asarray(_RIVER_SETS), around) & ~hexes.is_empty(around & ground.own)


_RIVER_SETS = np.stack([hexes.from_cells([cell], 9, 13) for cell in RIVER_CELLS])
