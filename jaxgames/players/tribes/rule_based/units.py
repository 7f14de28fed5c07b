"""Scores of the actions of one unit: moves, attacks, and actions in place.

A scan over the board goes row by row. The first tile to which a rule applies decides the score.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int32

from jaxgames.players.tribes.rule_based.view import TribeView, distances, shifted
from jaxgames.tribes.engine.actions import ATTACK_OFFSETS, MOVE_OFFSETS
from jaxgames.tribes.engine.config import GameConfig, Number
from jaxgames.tribes.engine.grid import Grid
from jaxgames.tribes.engine.queries import max_hp
from jaxgames.tribes.state import NO_TILE, NOBODY
from jaxgames.tribes.tables.sub_actions import UnitSubAction
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import NUM_UNIT_KINDS, RANGED, UnitKind

MAX_HEALING = 5
# The lowest score. Such an action is never chosen, since ending the turn scores more.
NEVER = -2
# Score of converting each kind of unit.
_CONVERTED = np.zeros(NUM_UNIT_KINDS, np.int32)
_CONVERTED[
    [
        UnitKind.BATTLESHIP,
        UnitKind.SUPERUNIT,
        UnitKind.SWORDSMAN,
        UnitKind.KNIGHT,
        UnitKind.CATAPULT,
    ]
] = 5
_CONVERTED[[UnitKind.MIND_BENDER, UnitKind.BOAT, UnitKind.SHIP, UnitKind.WARRIOR]] = 4
_IS_RANGED = np.isin(np.arange(NUM_UNIT_KINDS), RANGED)


def scores_of(config: GameConfig, view: TribeView, tile: Number) -> Int32[Array, "223"]:
    """Returns the scores of all moves, attacks and `UnitSubAction` of the own unit on a tile.

    The scores are in the order of the action numbers.
    """
    parts = moves(config, view, tile), attacks(config, view, tile), in_place(config, view, tile)
    return jnp.concatenate(parts)


def moves(config: GameConfig, view: TribeView, tile: Number) -> Int32[Array, "168"]:
    """Returns the scores of the moves: towards weaker enemies, away from stronger ones.

    Without such enemies, moves towards a village or foreign city score, if one of its tiles is
    within the unit's range. All other moves score 3: in the reference, a tile in sight
    scores 3, and every tile that can be entered has a tile in sight beside it.
    """
    board, cities, tiles = config.board, view.state.cities, view.state.tiles
    number = board.tiles
    goal, _ = shifted(board, tile, MOVE_OFFSETS)
    before = jnp.asarray(distances(board.side))[tile]
    after = _distances(board, np.arange(number), goal)
    weaker = view.enemies & (view.defence < view.attack[tile]) & (view.hp[tile] >= view.hp)
    threat = view.enemies & ~weaker & (before <= view.reach)
    near = (before <= view.reach[tile]) & (before > 0)
    village = (tiles.terrain == Terrain.VILLAGE) & near

    # The least key decides: enemies in board order, then cities and villages in board order.
    by_enemy = 2 * np.arange(number, dtype=np.int16)
    by_place = by_enemy + 2 * number
    none = 4 * number
    if_nearer = jnp.where(weaker, by_enemy, jnp.where(village, by_place + 1, none))
    if_farther = jnp.where(threat, by_enemy + 1, none)
    key = jnp.where(
        after < before[:, None],
        if_nearer[:, None],
        jnp.where(after > before[:, None], if_farther[:, None], none),
    ).min(axis=0)

    # A foreign city has the key of its first tile within range; the distance is to its centre.
    is_foreign = (cities.tile != NO_TILE) & (cities.tribe != NOBODY) & (cities.tribe != view.tribe)
    of_city = (tiles.owner == np.arange(len(is_foreign))[:, None]) & is_foreign[:, None]
    border = jnp.where(of_city & near, by_place, none).min(axis=1)
    centre = jnp.maximum(cities.tile, 0).astype(jnp.int32)
    nearer = _distances(board, centre, goal) < before[centre][:, None]
    key = jnp.minimum(key, jnp.where(nearer, border[:, None], none).min(axis=0))

    is_enemy, is_odd = key < 2 * number, key % 2 == 1
    score = jnp.where(is_enemy, jnp.where(is_odd, 4, 3), jnp.where(is_odd, 5, 4))
    return jnp.where(key == none, 3, score)


def _distances(
    board: Grid, one: Int32[Array, "m"] | np.ndarray, other: Int32[Array, "n"]
) -> Int8[Array, "m n"]:
    """Returns the number of steps from each tile of `one` to each tile of `other`."""
    row, column = board.row.astype(np.int8), board.column.astype(np.int8)
    rows = jnp.asarray(row)[one][:, None] - jnp.asarray(row)[other]
    columns = jnp.asarray(column)[one][:, None] - jnp.asarray(column)[other]
    return jnp.maximum(abs(rows), abs(columns))


def attacks(config: GameConfig, view: TribeView, tile: Number) -> Int32[Array, "48"]:
    """Returns the scores of the attacks of a unit, or of the conversions of a mind bender."""
    target, _ = shifted(config.board, tile, ATTACK_OFFSETS)
    kind = jnp.maximum(view.state.units.kind, 0)
    is_healthy = view.hp[tile] >= view.hp[target]
    is_stronger = view.attack[tile] > view.defence[target]
    by_hand = jnp.where(is_healthy, jnp.where(is_stronger, 5, 1), jnp.where(is_stronger, 1, 0))
    hits_back = np.abs(ATTACK_OFFSETS).max(axis=1) <= view.reach[target]
    is_risky = hits_back & (view.attack[target] > view.defence[tile])
    from_afar = jnp.where(hits_back, jnp.where(is_stronger & is_healthy, 4, 0), 5)
    from_afar = jnp.where(is_risky, 0, from_afar)
    score = jnp.where(jnp.asarray(_IS_RANGED)[kind[tile]], from_afar, by_hand)
    converted = jnp.asarray(_CONVERTED)[kind[target]]
    return jnp.where(kind[tile] == UnitKind.MIND_BENDER, converted, score)


def in_place(config: GameConfig, view: TribeView, tile: Number) -> Int32[Array, "7"]:
    """Returns the scores of each `UnitSubAction`."""
    is_rich = (view.income > 3) & (view.stars > 6)
    scores = {
        UnitSubAction.CAPTURE: jnp.int32(5),
        UnitSubAction.DISBAND: jnp.int32(NEVER),
        UnitSubAction.EXAMINE: jnp.int32(5),
        UnitSubAction.HEAL_OTHERS: _healing(config, view, tile),
        UnitSubAction.MAKE_VETERAN: jnp.int32(5),
        UnitSubAction.RECOVER: _recovery(config, view, tile),
        UnitSubAction.UPGRADE: jnp.where(is_rich, 3, 0),
    }
    return jnp.stack([scores[sub_action] for sub_action in UnitSubAction])


def _recovery(config: GameConfig, view: TribeView, tile: Number) -> Number:
    """Returns 4 for a unit in no danger; else a score by the first enemy in reach of it."""
    reached = view.enemies & (jnp.asarray(distances(config.board.side))[tile] <= view.reach)
    enemy = jnp.argmax(reached)
    return jnp.where(reached.any(), jnp.where(view.hp[enemy] < view.hp[tile], 3, 1), 4)


def _healing(config: GameConfig, view: TribeView, tile: Number) -> Number:
    """Returns the number of pairs of a harmed own unit and a healthier enemy in the unit's range.

    The distance of the enemy is measured from the mind bender.
    """
    units = view.state.units
    away = jnp.asarray(distances(config.board.side))[tile]
    beside = jnp.asarray(config.board.neighbours)[tile]
    harmed = (beside >= 0) & ((units.tribe == view.tribe) & (units.hp < max_hp(units, config.p)))[
        beside
    ]
    reached = view.enemies & (away <= view.reach[beside][:, None])
    pairs = harmed[:, None] & reached & (view.hp > view.hp[beside][:, None])
    return jnp.minimum(pairs.sum(), MAX_HEALING)
