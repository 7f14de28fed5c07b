"""The legal actions of the tribe to move: the candidate actions that have a path if they need one.

Source: the game's document, section 12.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, UInt16, UInt32

from jaxgames.batching.arrays import has_bit
from jaxgames.batching.sparse_vmap import where_items_needed, where_needed
from jaxgames.internal import device_kind
from jaxgames.tribes.engine import grid, pathfinding
from jaxgames.tribes.engine.actions import (
    ATTACK_OFFSETS,
    NUM_LEVEL_UPS,
    NUM_MOVES,
    num_actions,
)
from jaxgames.tribes.engine.candidate_moves import CandidateMoves, candidates_of
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.grid import TileMask
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.sub_actions import NUM_TILE_SUB_ACTIONS, UnitSubAction
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES
from jaxgames.tribes.tables.units import NUM_SPAWNED

_Search = tuple[TileMask, Bool[Array, "168"], TileMask]  # units that leave, moves, units to look at


def sources(config: GameConfig, state: TribesState, candidates: CandidateMoves) -> TileMask:
    """Returns the tiles with a legal sub-action; has no meaning once a tile is chosen."""
    known, in_doubt = _near_sources(config, state, candidates)
    no_moves = jnp.zeros((NUM_MOVES,), bool)
    return _look_further(config, state, candidates, known, no_moves, in_doubt)[0]


def _near_sources(
    config: GameConfig, state: TribesState, candidates: CandidateMoves
) -> tuple[TileMask, TileMask]:
    """Returns the tiles that surely have a sub-action, and units that need a search for a path.

    A unit can always reach a free tile beside it that it may step on. The search for a path is
    needed only for a unit that is enclosed by its own tribe and can take more than one step: its
    movement is more than one step, or it starts on a road.
    """
    simple = (candidates.on_tile | candidates.spawns | candidates.by_unit) != 0
    known = simple | candidates.attacks
    may_move = candidates.moves & ~known & (state.phase == Stage.SOURCE)
    kind, board, ground = state.units.kind, config.board, candidates.ground
    near = pathfinding.of_free_tiles(ground, kind, functools.partial(grid.beside, board))
    through = grid.beside(board, (ground.for_land | ground.for_water) & ground.taken)
    steps = jnp.asarray(config.p.unit_movement)[jnp.maximum(kind, 0).astype(jnp.int32)]
    in_doubt = may_move & ~near & through & ((steps > 1) | ground.road_start)
    return known | (may_move & near), in_doubt


def _look_further(
    config: GameConfig,
    state: TribesState,
    candidates: CandidateMoves,
    leaves: TileMask,
    moves: Bool[Array, "168"],
    waiting: TileMask,
) -> tuple[TileMask, Bool[Array, "168"]]:
    """Returns `leaves` with the waiting units that can move, and the moves of the last of them.

    Without a waiting unit, `moves` stays as it is.
    """
    return where_needed(
        waiting.any(),
        functools.partial(_search, config),
        (leaves, moves),
        leaves,
        moves,
        waiting,
        pathfinding.packed(candidates.ground),
        state.units.kind,
    )


def _search(
    config: GameConfig,
    leaves: TileMask,
    moves: Bool[Array, "168"],
    waiting: TileMask,
    ground: UInt16[Array, "T"],
    kinds: Int8[Array, "T"],
) -> tuple[TileMask, Bool[Array, "168"]]:
    def goes_on(carry: _Search) -> Condition:
        return carry[2].any()

    def look(carry: _Search) -> _Search:
        leaves, _, waiting = carry
        tile = jnp.argmax(waiting).astype(jnp.int32)
        goals = pathfinding.destinations(config, tile, ground, kinds)
        is_it = jnp.arange(leaves.shape[0]) == tile
        return leaves | (is_it & goals.any()), goals, waiting & ~is_it

    return jax.lax.while_loop(goes_on, look, (leaves, moves, waiting))[:2]


def sub_actions(
    config: GameConfig, state: TribesState, candidates: CandidateMoves, tile: Number
) -> Bool[Array, "256"]:
    """Returns the legal sub-actions on a tile, as if no city had to level up."""
    beside, in_doubt = _near_moves(config, state, candidates, tile)
    moves = where_needed(
        in_doubt,
        functools.partial(pathfinding.destinations, config),
        beside,
        tile,
        pathfinding.packed(candidates.ground),
        state.units.kind,
    )
    return _sub_actions(config, candidates, tile, state.units.kind[tile], moves)


def _near_moves(
    config: GameConfig, state: TribesState, candidates: CandidateMoves, tile: Number
) -> tuple[Bool[Array, "168"], Condition]:
    """Returns the moves by one step from a tile, and whether a search may find others."""
    ground, may_move = pathfinding.packed(candidates.ground), candidates.moves[tile]
    beside, is_all = pathfinding.one_step(config, tile, ground, state.units.kind)
    return beside & may_move, may_move & ~is_all


def _sub_actions(
    config: GameConfig,
    candidates: CandidateMoves,
    tile: Number,
    kind: Number,
    moves: Bool[Array, "168"],
) -> Bool[Array, "256"]:
    """Returns the legal sub-actions on a tile, for a kind of unit there with given moves."""
    targets = targets_from(config, candidates.targets, tile, kind)
    parts = {
        "move": moves,
        "attack": targets & candidates.attacks[tile],
        "unit": _as_mask(candidates.by_unit[tile], len(UnitSubAction)),
        "tile": _as_mask(candidates.on_tile[tile], NUM_TILE_SUB_ACTIONS),
        "spawn": _as_mask(candidates.spawns[tile], NUM_SPAWNED),
    }
    return jnp.concatenate(list(parts.values()))


def _as_mask(word: UInt32[Array, ""], size: int) -> Bool[Array, "size"]:
    return has_bit(word, np.arange(size))


def targets_from(
    config: GameConfig, targets: TileMask, tile: Number, kind: Number
) -> Bool[Array, "48"]:
    """Returns the targets within the range of a kind of unit on a tile."""
    side = config.board.side
    x, y = tile // side + ATTACK_OFFSETS[:, 0], tile % side + ATTACK_OFFSETS[:, 1]
    inside = (x >= 0) & (x < side) & (y >= 0) & (y < side)
    reach = jnp.asarray(config.p.unit_range)[jnp.maximum(kind, 0)]
    near = np.abs(ATTACK_OFFSETS).max(axis=1) <= reach
    there = targets[jnp.where(inside, x * side + y, 0)]
    return inside & near & there


def globals_(candidates: CandidateMoves) -> Bool[Array, "27"]:
    """Returns the legal actions of the whole tribe."""
    return jnp.concatenate(
        [
            _as_mask(candidates.technologies, NUM_TECHNOLOGIES) & ~candidates.levels,
            jnp.repeat(candidates.levels, NUM_LEVEL_UPS),
            ~candidates.levels[None],
        ]
    )


def legal_actions(config: GameConfig, state: TribesState) -> Bool[Array, "actions"]:
    """Returns the mask of legal actions of the current phase."""
    candidates = candidates_of(config, state)
    return actions_among(config, state, candidates, globals_(candidates))


def actions_among(
    config: GameConfig, state: TribesState, candidates: CandidateMoves, of_tribe: Bool[Array, "27"]
) -> Bool[Array, "actions"]:
    """Returns the mask of legal actions, from those of the tiles and of the whole tribe."""
    size = num_actions(config.board.tiles)
    tile = jnp.clip(state.selected.astype(jnp.int32), 0, config.board.tiles - 1)
    tiles, second = _in_either_phase(config, state, candidates, tile)
    first = jnp.concatenate([tiles & ~candidates.levels, of_tribe])
    mask = jnp.where(state.phase == Stage.SOURCE, _padded(first, size), _padded(second, size))
    return mask & ~state.over


def _in_either_phase(
    config: GameConfig, state: TribesState, candidates: CandidateMoves, tile: Number
) -> tuple[TileMask, Bool[Array, "256"]]:
    """Returns the tiles with a legal sub-action, and the legal sub-actions on a chosen tile.

    Only the one for the current phase has a meaning.
    """
    if not device_kind.is_cpu():  # searches for all chosen tiles at once, without a loop
        tiles = sources(config, state, candidates)
        return tiles, sub_actions(config, state, candidates, tile)
    # One search for both phases takes half the time to compile.
    leaves, in_doubt = _near_sources(config, state, candidates)
    beside, searches = _near_moves(config, state, candidates, tile)
    is_chosen = (np.arange(config.board.tiles) == tile) & searches
    waiting = jnp.where(state.phase == Stage.SOURCE, in_doubt, is_chosen)
    tiles, moves = _look_further(config, state, candidates, leaves, beside, waiting)
    return tiles, _sub_actions(config, candidates, tile, state.units.kind[tile], moves)


def _padded(mask: Bool[Array, "some"], size: int) -> Bool[Array, "size"]:
    return jnp.pad(mask, (0, size - mask.shape[0]))


def legal_pairs(
    config: GameConfig, state: TribesState
) -> tuple[Bool[Array, "T 256"], Bool[Array, "27"]]:
    """Returns all legal pairs of a tile and a sub-action, and the legal actions of the whole tribe.

    This is the whole legal set in one view, whatever the phase.
    """
    candidates = candidates_of(config, state)
    kinds, ground = state.units.kind, pathfinding.packed(candidates.ground)
    tiles = jnp.arange(config.board.tiles, dtype=jnp.int32)
    one_step = functools.partial(pathfinding.one_step, config, ground=ground, kinds=kinds)
    beside, is_all = jax.vmap(one_step)(tiles)
    moves = where_items_needed(
        candidates.moves & ~is_all,
        functools.partial(pathfinding.destinations, config),
        beside & candidates.moves[:, None],
        ground,
        kinds,
        share=1 / 64,
    )
    of_tile = functools.partial(_sub_actions, config, candidates)
    pairs = jax.vmap(of_tile)(tiles, kinds, moves)
    return pairs & ~candidates.levels & ~state.over, globals_(candidates) & ~state.over
