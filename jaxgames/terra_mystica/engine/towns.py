"""Towns: which groups of structures found one, and mermaids' river hexes."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt8, UInt16, UInt32

from jaxgames.batching.arrays import as_bits
from jaxgames.batching.sparse_vmap import where_needed
from jaxgames.boards import bits, hexes
from jaxgames.boards.hexes import Cells
from jaxgames.internal import device_kind
from jaxgames.terra_mystica.engine import groups, reachability
from jaxgames.terra_mystica.engine.groups import Members, Structures
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow
from jaxgames.terra_mystica.state import Board, PlayerStates
from jaxgames.terra_mystica.tables.factions import POWER_VALUE, Structure
from jaxgames.terra_mystica.tables.terrain import NUM_RIVER, RIVER_COLUMN, RIVER_ROW
from jaxgames.terra_mystica.tables.tiles import NUM_BASE_TOWNS, TOWN_COPIES, TOWN_POWER, TOWN_SIZE


class TownGround(NamedTuple):
    """What connects the structures of one seat."""

    own: Cells  # its structures
    bridges: UInt8[Array, "3"]  # its bridges
    skipped: Cells  # river hexes that join the land hexes around them


def ground_of(board: Board, mover: PlayerRow, seat: Number) -> TownGround:
    """Returns what connects the structures of a seat."""
    skipped = jnp.where(mover.board.skips_river > 0, board.skipped, jnp.uint16(0))
    own = reachability.own_structures(board, mover.board.colour)
    return TownGround(own, board.bridges[seat], skipped)


def tiles_left(players: PlayerStates, mini_towns: bool) -> Array:
    """Returns `[8]` int32: copies of each town tile that nobody holds; 0 for tiles not in play."""
    in_play = np.where(np.arange(len(TOWN_COPIES)) < NUM_BASE_TOWNS, TOWN_COPIES, 0)
    copies = TOWN_COPIES if mini_towns else in_play
    return jnp.asarray(copies) - players.towns.astype(jnp.int32).sum(axis=0)


class Groups(NamedTuple):
    """The structures of a seat, and the groups of joined ones that may be towns."""

    structures: Structures
    near: UInt16[Array, "17 9"]  # cells beside each structure
    joined: UInt32[Array, "17"]  # group of each structure
    kinds: UInt32[Array, "5"]  # structures of each kind
    in_town: UInt32[Array, ""]  # structures that belong to a town


def groups_of(board: Board, ground: TownGround) -> Groups:
    """Returns the groups of a seat: joined by a side, a bridge, or a skipped river hex."""
    structures = groups.listed(ground.own)
    near = bits.computed_once(jax.vmap(hexes.neighbours)(structures))
    over_river = near & ground.skipped
    joined = jax.vmap(lambda cells: groups.members(structures | over_river, cells))(near)
    joined |= groups.by_bridges(structures, ground.bridges)
    return Groups(
        structures=structures,
        near=near,
        joined=groups.groups(structures, joined),
        kinds=groups.members(structures, board.structures),
        in_town=groups.members(structures, board.in_town),
    )


def counts_of(found: Groups, group: Members) -> Int32[Array, "*any 5"]:
    """Returns how many structures of each kind a group has."""
    return bits.count(group[..., None] & found.kinds)


def is_town(found: Groups, group: Members, needed_power: Number) -> Bool[Array, "*any"]:
    """Returns whether a group founds a town.

    It must be large and strong enough, and no structure of it may be in a town yet.
    """
    return (group & found.in_town == 0) & _suffices(counts_of(found, group), needed_power)


def _suffices(counts: Int32[Array, "*any 5"], needed_power: Number) -> Bool[Array, "*any"]:
    size = counts.sum(axis=-1) + counts[..., Structure.SANCTUARY]
    power = (counts * POWER_VALUE).sum(axis=-1)
    return (size >= TOWN_SIZE) & (power >= needed_power)


def needed_power(has_town_favor: Bool[Array, ""]) -> Number:
    """Returns the power that a town of a seat needs."""
    return TOWN_POWER - has_town_favor.astype(jnp.int32)


def found(
    board: Board, ground: TownGround, seeds: Cells, power: Number, tiles: Number
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
    nothing = (board.in_town, jnp.int32(0))
    needed = ~hexes.is_empty(seeds)
    if device_kind.is_cpu():  # an accelerator computes it for all
        # Few seats have a town already, or enough structures for the first one.
        has_town = ~hexes.is_empty(ground.own & board.in_town)
        counts = hexes.count(board.structures & ground.own & ~board.in_town)
        needed &= has_town | _suffices(counts, power)
    return where_needed(needed, _found, nothing, board, ground, seeds, power, tiles, share=1 / 16)


def _found(
    board: Board, ground: TownGround, seeds: Cells, power: Number, tiles: Number
) -> tuple[Cells, Number]:
    own = groups_of(board, ground)
    seeded = groups.members(own.structures, seeds)
    # A group counts once, with its first seed. The groups become towns in the order of these.
    is_first = groups.is_in(seeded) & (own.joined & groups.earlier(seeded) == 0)
    may_be = is_first & is_town(own, own.joined, power)
    is_new = may_be & (bits.count(groups.earlier(as_bits(may_be))) < tiles)
    joins = is_new | (is_first & (own.joined & own.in_town != 0))
    added = groups.joined_to_any(as_bits(joins), own.joined)
    in_town = board.in_town | groups.cells_of(own.structures, added)
    return in_town, is_new.sum()


def connectable(
    board: Board, ground: TownGround, power: Number, is_asked: Bool[Array, ""]
) -> Bool[Array, "36"]:
    """Returns the river hexes that mermaids can skip to found a town now; none unless asked."""
    # Mermaids take part in few games, and often have too few structures outside towns for a town.
    counts = hexes.count(board.structures & ground.own & ~board.in_town)
    needed = is_asked & _suffices(counts, power)
    none = jnp.zeros((NUM_RIVER,), bool)
    return where_needed(needed, _connectable, none, board, ground, power, share=1 / 32)


def _connectable(board: Board, ground: TownGround, power: Number) -> Bool[Array, "36"]:
    found = groups_of(board, ground)
    around = (found.near[:, RIVER_ROW] >> RIVER_COLUMN.astype(np.uint16)) & 1 != 0  # [17, 36]
    beside = as_bits(around.T)
    group = groups.joined_to_any(beside, found.joined)
    return (beside != 0) & is_town(found, group, power)
