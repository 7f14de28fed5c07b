"""The legal actions of the tribe to move: its options, and the ways of its units.

Source: the game's document, section 12.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, UInt16, UInt32

from jaxgames.sparse_vmap import where_items_needed, where_needed
from jaxgames.tribes.engine import board as boards
from jaxgames.tribes.engine import pathfinding
from jaxgames.tribes.engine.action_table import NUM_TILE_DEEDS
from jaxgames.tribes.engine.actions import (
    ATTACK_OFFSETS,
    NUM_LEVEL_UPS,
    UnitDeed,
    num_actions,
)
from jaxgames.tribes.engine.board import TileMask
from jaxgames.tribes.engine.candidate_moves import Options, options_of
from jaxgames.tribes.engine.config import (
    Condition,
    Number,
    Setting,
    bit,
)
from jaxgames.tribes.engine.pathfinding import Ground
from jaxgames.tribes.state import Phase, TribesState
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES
from jaxgames.tribes.tables.units import NUM_SPAWNED


def sources(setting: Setting, state: TribesState, options: Options) -> TileMask:
    """Returns the tiles with at least one legal deed; where one is chosen already, any mask."""
    simple = (options.on_tile | options.spawns | options.by_unit) != 0
    known = simple | options.attacks
    open_ = options.moves & ~known & (state.phase == Phase.SOURCE)
    return known | _can_leave(setting, state, options.ground, open_)


def _can_leave(
    setting: Setting, state: TribesState, ground: Ground, may_move: TileMask
) -> TileMask:
    """Returns which of some units can move somewhere.

    A free tile beside a unit can always be reached if it may be stepped on. Only a unit that is
    closed in by its own tribe must look further, if a step does not take all that it has: where it
    has more than one, or begins on a road.
    """
    kind, board = state.units.kind, setting.board
    near = pathfinding.of_free_tiles(ground, kind, functools.partial(boards.beside, board))
    leaves = may_move & near
    through = boards.beside(board, (ground.for_land | ground.for_water) & ground.taken)
    steps = jnp.asarray(setting.p.unit_movement)[jnp.maximum(kind, 0).astype(jnp.int32)]
    in_doubt = may_move & ~near & through & ((steps > 1) | ground.road_start)
    return where_needed(
        in_doubt.any(),
        functools.partial(_look_further, setting),
        leaves,
        leaves,
        in_doubt,
        pathfinding.packed(ground),
        kind,
    )


def _look_further(
    setting: Setting,
    leaves: TileMask,
    in_doubt: TileMask,
    ground: UInt16[Array, "T"],
    kinds: Int8[Array, "T"],
) -> TileMask:
    def goes_on(carry: tuple[TileMask, TileMask]) -> Condition:
        return carry[1].any()

    def look(carry: tuple[TileMask, TileMask]) -> tuple[TileMask, TileMask]:
        leaves, waiting = carry
        tile = jnp.argmax(waiting).astype(jnp.int32)
        goals = pathfinding.destinations(setting, tile, ground, kinds)
        is_it = jnp.arange(leaves.shape[0]) == tile
        return leaves | (is_it & goals.any()), waiting & ~is_it

    return jax.lax.while_loop(goes_on, look, (leaves, in_doubt))[0]


def deeds(
    setting: Setting, state: TribesState, options: Options, tile: Number
) -> Bool[Array, "256"]:
    """Returns the legal deeds on a tile; a city that must level up is not looked at."""
    ground, kinds, may_move = (
        pathfinding.packed(options.ground),
        state.units.kind,
        options.moves[tile],
    )
    beside, is_all = pathfinding.one_step(setting, tile, ground, kinds)
    moves = where_needed(
        may_move & ~is_all,
        functools.partial(pathfinding.destinations, setting),
        beside & may_move,
        tile,
        ground,
        kinds,
    )
    return _deeds(setting, options, tile, state.units.kind[tile], moves)


def _deeds(
    setting: Setting, options: Options, tile: Number, kind: Number, moves: Bool[Array, "168"]
) -> Bool[Array, "256"]:
    """Returns the legal deeds on a tile, those of the kind of unit there among them."""
    targets = targets_from(setting, options.targets, tile, kind)
    parts = {
        "move": moves,
        "attack": targets & options.attacks[tile],
        "unit": _as_mask(options.by_unit[tile], len(UnitDeed)),
        "tile": _as_mask(options.on_tile[tile], NUM_TILE_DEEDS),
        "spawn": _as_mask(options.spawns[tile], NUM_SPAWNED),
    }
    return jnp.concatenate(list(parts.values()))


def _as_mask(word: UInt32[Array, ""], size: int) -> Bool[Array, "size"]:
    return bit(word, np.arange(size))


def targets_from(
    setting: Setting, targets: TileMask, tile: Number, kind: Number
) -> Bool[Array, "48"]:
    """Returns the targets within the range of a kind of unit on a tile."""
    side = setting.board.side
    x, y = tile // side + ATTACK_OFFSETS[:, 0], tile % side + ATTACK_OFFSETS[:, 1]
    inside = (x >= 0) & (x < side) & (y >= 0) & (y < side)
    reach = jnp.asarray(setting.p.unit_range)[jnp.maximum(kind, 0)]
    near = np.abs(ATTACK_OFFSETS).max(axis=1) <= reach
    there = targets[jnp.where(inside, x * side + y, 0)]
    return inside & near & there


def globals_(options: Options) -> Bool[Array, "27"]:
    """Returns the legal actions of the whole tribe."""
    return jnp.concatenate(
        [
            _as_mask(options.technologies, NUM_TECHNOLOGIES) & ~options.levels,
            jnp.repeat(options.levels, NUM_LEVEL_UPS),
            ~options.levels[None],
        ]
    )


def legal_actions(setting: Setting, state: TribesState) -> Bool[Array, "actions"]:
    """Returns the mask of legal actions of the phase that is due."""
    options = options_of(setting, state)
    size = num_actions(setting.board.tiles)
    chooses_tile = state.phase == Phase.SOURCE
    tile = jnp.clip(state.selected.astype(jnp.int32), 0, setting.board.tiles - 1)
    first = jnp.concatenate([sources(setting, state, options) & ~options.levels, globals_(options)])
    second = deeds(setting, state, options, tile)
    mask = jnp.where(chooses_tile, _padded(first, size), _padded(second, size))
    return mask & ~state.over


def _padded(mask: Bool[Array, "some"], size: int) -> Bool[Array, "size"]:
    return jnp.pad(mask, (0, size - mask.shape[0]))


def legal_pairs(
    setting: Setting, state: TribesState
) -> tuple[Bool[Array, "T 256"], Bool[Array, "27"]]:
    """Returns all legal pairs of a tile and a deed, and the legal actions of the whole tribe.

    This is the whole legal set in one view, whatever the phase.
    """
    options = options_of(setting, state)
    kinds, ground = state.units.kind, pathfinding.packed(options.ground)
    tiles = jnp.arange(setting.board.tiles, dtype=jnp.int32)
    one_step = functools.partial(pathfinding.one_step, setting, ground=ground, kinds=kinds)
    beside, is_all = jax.vmap(one_step)(tiles)
    moves = where_items_needed(
        options.moves & ~is_all,
        functools.partial(pathfinding.destinations, setting),
        beside & options.moves[:, None],
        ground,
        kinds,
        share=1 / 64,
    )
    of_tile = functools.partial(_deeds, setting, options)
    pairs = jax.vmap(of_tile)(tiles, kinds, moves)
    return pairs & ~options.levels & ~state.over, globals_(options) & ~state.over
