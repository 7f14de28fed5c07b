"""Words for actions. A tile is a column, `a` at the left, and a row, 1 at the top: `c4`.

In the first phase of an action:

| text | meaning |
| --- | --- |
| `c4` | act on this tile, or with the unit on it |
| `research riding` | a technology |
| `level_up workshop` | what the city that levels up chooses |
| `end_turn` | |

In the second, on the tile chosen:

| text | meaning |
| --- | --- |
| `move d5`, `attack d5`, `convert d5` | the unit goes there, or acts on the unit there |
| `capture`, `disband`, `examine`, `heal_others`, | by the unit |
| `make_veteran`, `recover`, `upgrade` | |
| `build farm` | a building |
| `burn_forest`, `clear_forest`, `destroy`, `grow_forest`, `gather`, `build_road` | of the tile |
| `spawn rider` | a unit that the city trains |
"""

import re
import string

import numpy as np

from jaxgames.tribes.engine import leveling
from jaxgames.tribes.engine.actions import (
    ATTACK_OFFSETS,
    END_TURN,
    FIRST_ATTACK,
    FIRST_BUILD,
    FIRST_LEVEL_UP,
    FIRST_RESEARCH,
    FIRST_SPAWN,
    FIRST_TILE_SUB_ACTION,
    FIRST_UNIT_SUB_ACTION,
    MOVE_OFFSETS,
    NUM_LEVEL_UPS,
)
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.sub_actions import TileSubAction, UnitSubAction
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.tribes import LAST_CHOICE_LEVEL, LevelUp
from jaxgames.tribes.tables.units import UnitKind

FORM = "c4, move d5, build farm or end_turn"
_TILE = r"[a-p]\d{1,2}"
TILE = re.compile(_TILE)
PATTERN = re.compile(
    rf"{_TILE}|(move|attack|convert) {_TILE}|(research|level_up|build|spawn) [a-z_]+|end_turn|"
    + "|".join(sub_action.name.lower() for sub_action in (*UnitSubAction, *TileSubAction))
)


def tile_name(tile: int, side: int) -> str:
    """Returns column and row of a tile of a board."""
    row, column = divmod(tile, side)
    return f"{string.ascii_lowercase[column]}{row + 1}"


def command(game: TribesState, action: int) -> str:
    """Returns the words for a legal action.

    Args:
        game: one game, of NumPy values.
        action: its number.
    """
    if game.phase == Stage.SUB_ACTION:
        return _sub_action(game, action)
    num_tiles = len(game.tiles.terrain)
    if action < num_tiles:
        return tile_name(action, len(game.tiles.network))
    number = action - num_tiles
    if number == END_TURN:
        return "end_turn"
    if number < FIRST_LEVEL_UP:
        return f"research {Technology(number - FIRST_RESEARCH).name.lower()}"
    level = min(int(game.cities.level[leveling.city_to_level(game)[0]]), LAST_CHOICE_LEVEL)
    option = LevelUp(NUM_LEVEL_UPS * (level - 1) + number - FIRST_LEVEL_UP)
    return f"level_up {option.name.lower()}"


def _sub_action(game: TribesState, action: int) -> str:
    tile, side = int(game.selected), len(game.tiles.network)
    if action < FIRST_ATTACK:
        return f"move {_there(tile, MOVE_OFFSETS[action], side)}"
    if action < FIRST_UNIT_SUB_ACTION:
        word = "convert" if game.units.kind[tile] == UnitKind.MIND_BENDER else "attack"
        return f"{word} {_there(tile, ATTACK_OFFSETS[action - FIRST_ATTACK], side)}"
    if action < FIRST_BUILD:
        return UnitSubAction(action - FIRST_UNIT_SUB_ACTION).name.lower()
    if action < FIRST_TILE_SUB_ACTION:
        return f"build {BuildingKind(action - FIRST_BUILD).name.lower()}"
    if action < FIRST_SPAWN:
        return TileSubAction(action - FIRST_TILE_SUB_ACTION).name.lower()
    return f"spawn {UnitKind(action - FIRST_SPAWN).name.lower()}"


def _there(tile: int, offset: np.ndarray, side: int) -> str:
    return tile_name(tile + int(offset @ (side, 1)), side)
