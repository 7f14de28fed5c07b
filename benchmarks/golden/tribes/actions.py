"""Actions of the golden games of Tribes: from `[type, a, b, c]` to our numbers, and back.

Source: the game's document, section 12. Our choice is a tile and a sub-action there, or an action
of the whole tribe; then its tile is `GLOBAL`.
"""

import enum
import itertools
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxgames.tribes.engine import actions
from jaxgames.tribes.engine.actions import (
    ATTACK_OFFSETS,
    ATTACK_REACH,
    FIRST_ATTACK,
    FIRST_BUILD,
    FIRST_LEVEL_UP,
    FIRST_MOVE,
    FIRST_RESEARCH,
    FIRST_SPAWN,
    FIRST_TILE_SUB_ACTION,
    FIRST_UNIT_SUB_ACTION,
    MOVE_OFFSETS,
    MOVE_REACH,
    NUM_LEVEL_UPS,
    NUM_SUB_ACTIONS,
)
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.sub_actions import (
    TileSubAction,
    UnitSubAction,
)
from jaxgames.tribes.tables.tribes import LAST_CHOICE_LEVEL
from jaxgames.tribes.tables.units import UnitKind

GLOBAL = -1
_NONE = -1
_COLUMNS = 4  # of a golden action
_HERE, _THERE, _CITY = 0, 1, 2  # the tile, the target of the unit there, the tile's city


class Type(enum.IntEnum):
    """The first number of a golden action."""

    BUILD = 0
    BURN_FOREST = 1
    CLEAR_FOREST = 2
    DESTROY = 3
    GROW_FOREST = 4
    LEVEL_UP = 5
    GATHER = 6
    SPAWN = 7
    BUILD_ROAD = 8
    END_TURN = 9
    RESEARCH = 10
    ATTACK = 11
    CAPTURE = 12
    CONVERT = 13
    DISBAND = 14
    EXAMINE = 15
    HEAL_OTHERS = 16
    MAKE_VETERAN = 17
    MOVE = 18
    RECOVER = 19
    UPGRADE_BOAT = 21
    UPGRADE_SHIP = 22


class Choice(NamedTuple):
    """An action as the rules here number it."""

    tile: int  # or `GLOBAL`
    number: int  # of the sub-action, or of the action of the whole tribe


def encode(action: Sequence[int], side: int) -> Choice:
    """Returns our choice for a golden action."""
    code, a, b, c = action
    kind = Type(code)
    if kind is Type.BUILD:
        return Choice(b, FIRST_BUILD + c)
    if kind is Type.SPAWN:
        return Choice(a, FIRST_SPAWN + c)
    if kind is Type.LEVEL_UP:
        return Choice(GLOBAL, FIRST_LEVEL_UP + c % NUM_LEVEL_UPS)
    if kind is Type.RESEARCH:
        return Choice(GLOBAL, FIRST_RESEARCH + c)
    if kind is Type.END_TURN:
        return Choice(GLOBAL, actions.END_TURN)
    if kind is Type.MOVE:
        return Choice(a, FIRST_MOVE + _offset_number(a, b, side, MOVE_REACH))
    if kind in (Type.ATTACK, Type.CONVERT):
        return Choice(a, FIRST_ATTACK + _offset_number(a, b, side, ATTACK_REACH))
    if kind.name in TileSubAction.__members__:
        return Choice(b, FIRST_TILE_SUB_ACTION + TileSubAction[kind.name])
    if kind in (Type.UPGRADE_BOAT, Type.UPGRADE_SHIP):
        return Choice(a, FIRST_UNIT_SUB_ACTION + UnitSubAction.UPGRADE)
    return Choice(a, FIRST_UNIT_SUB_ACTION + UnitSubAction[kind.name])


def _offset_number(start: int, end: int, side: int, reach: int) -> int:
    """Returns the number of the step between two tiles; no number stands for staying."""
    dx, dy = end // side - start // side, end % side - start % side
    width = 2 * reach + 1
    number = (dx + reach) * width + dy + reach
    return number - (number > width * width // 2)


def decode(
    states: TribesState, pairs: np.ndarray, of_tribe: np.ndarray
) -> list[list[tuple[int, ...]]]:
    """Returns the sorted golden actions of all legal choices, for each position.

    Args:
        states: `[B]` positions.
        pairs: `[B, T, 256]` legal sub-actions on each tile.
        of_tribe: `[B, 27]` legal actions of the whole tribe.
    """
    game, tile, sub_action = np.nonzero(pairs)
    rows = [_sub_actions(states, game, tile, sub_action), _of_tribe(states, *np.nonzero(of_tribe))]
    games = np.concatenate([game, np.nonzero(of_tribe)[0]])
    table = np.concatenate(rows)
    order = np.lexsort((*table.T[::-1], games))
    bounds = np.searchsorted(games[order], np.arange(len(pairs) + 1))
    listed = list(map(tuple, table[order].tolist()))
    return [listed[start:end] for start, end in itertools.pairwise(bounds)]


def legal_hash(listed: Sequence[Sequence[int]]) -> int:
    """Returns the hash of a sorted list of golden actions, as records have it."""
    return zlib.crc32(";".join(",".join(map(str, action)) for action in listed).encode())


def _table() -> np.ndarray:
    """Returns `[256, 4]`, by sub-action: type, how `a` and `b` follow from the tile, and `c`."""
    table = np.zeros((NUM_SUB_ACTIONS, _COLUMNS), np.int32)
    table[FIRST_MOVE:FIRST_ATTACK] = Type.MOVE, _HERE, _THERE, _NONE
    table[FIRST_ATTACK:FIRST_UNIT_SUB_ACTION] = Type.ATTACK, _HERE, _THERE, _NONE
    for sub_action in UnitSubAction:
        name = "UPGRADE_BOAT" if sub_action is UnitSubAction.UPGRADE else sub_action.name
        table[FIRST_UNIT_SUB_ACTION + sub_action] = Type[name], _HERE, _NONE, _NONE
    table[FIRST_BUILD:FIRST_TILE_SUB_ACTION] = Type.BUILD, _CITY, _HERE, _NONE
    table[FIRST_BUILD:FIRST_TILE_SUB_ACTION, 3] = np.arange(FIRST_TILE_SUB_ACTION - FIRST_BUILD)
    for other in TileSubAction:
        city = _NONE if other is TileSubAction.BUILD_ROAD else _CITY
        table[FIRST_TILE_SUB_ACTION + other] = Type[other.name], city, _HERE, _NONE
    table[FIRST_SPAWN:] = Type.SPAWN, _HERE, _NONE, _NONE
    table[FIRST_SPAWN:, 3] = np.arange(NUM_SUB_ACTIONS - FIRST_SPAWN)
    return table


_TABLE = _table()
_OFFSETS = np.zeros((NUM_SUB_ACTIONS, 2), np.int32)
_OFFSETS[FIRST_MOVE:FIRST_ATTACK] = MOVE_OFFSETS
_OFFSETS[FIRST_ATTACK:FIRST_UNIT_SUB_ACTION] = ATTACK_OFFSETS


def _sub_actions(
    states: TribesState, game: np.ndarray, tile: np.ndarray, sub_action: np.ndarray
) -> np.ndarray:
    """Returns `[n, 4]` golden actions of sub-actions on tiles."""
    side = states.tiles.network.shape[-1]
    result = _TABLE[sub_action]
    owner = states.tiles.owner[game, tile]
    places = {
        _HERE: tile,
        _THERE: tile + _OFFSETS[sub_action] @ np.array([side, 1]),
        _CITY: np.where(owner >= 0, states.cities.tile[game, owner], _NONE),
    }
    for column in (1, 2):
        rules = result[:, column].copy()
        for rule, place in places.items():
            result[:, column] = np.where(rules == rule, place, result[:, column])
    kind = states.units.kind[game, tile]
    is_conversion = (result[:, 0] == Type.ATTACK) & (kind == UnitKind.MIND_BENDER)
    is_of_ship = (result[:, 0] == Type.UPGRADE_BOAT) & (kind == UnitKind.SHIP)
    result[is_conversion, 0], result[is_of_ship, 0] = Type.CONVERT, Type.UPGRADE_SHIP
    gathered = states.tiles.resource[game, tile]
    result[:, 3] = np.where(result[:, 0] == Type.GATHER, gathered, result[:, 3])
    return result


def _of_tribe(states: TribesState, game: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Returns the `[n, 4]` golden actions of actions of the whole tribe."""
    cities = states.cities
    is_grown = (cities.tribe == states.active[:, None]) & (cities.population > cities.level)
    order = np.where(is_grown, cities.joined, np.iinfo(np.int16).max)
    first = order.argmin(axis=-1)[game]
    option = number - FIRST_LEVEL_UP
    level = np.minimum(cities.level[game, first], LAST_CHOICE_LEVEL).astype(np.int32)
    result = np.full((len(game), _COLUMNS), _NONE, np.int32)
    result[:, 0] = Type.RESEARCH
    result[:, 3] = number - FIRST_RESEARCH
    is_option = (option >= 0) & (option < NUM_LEVEL_UPS)
    columns = (
        np.full_like(option, Type.LEVEL_UP),
        cities.tile[game, first],
        np.full_like(option, _NONE),
        NUM_LEVEL_UPS * (level - 1) + option,
    )
    result = np.where(is_option[:, None], np.stack(columns, axis=-1), result)
    result[number == actions.END_TURN] = Type.END_TURN, _NONE, _NONE, _NONE
    return result


def text_of(action: Sequence[int]) -> str:
    """Returns a golden action in words."""
    return f"{Type(action[0]).name.lower()} {','.join(map(str, action[1:]))}"
