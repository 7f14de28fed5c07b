"""The state of a game: tiles, units, cities, tribes, turn.

`T` is the number of tiles, `N` the side of the board, `C` the number of city slots, and `P` the
number of tribes. Tile `(x, y)` in row `x` and column `y` is number `N x + y`. A tile holds one unit
at most, so units are kept by tile. Every village and capital of a level has a city slot from the
start. Where the order of a list of the reference matters, its items have order numbers here;
`counter` counts all items that ever joined a list.

Maximum HP, the population that a level needs, the number of units of a city, the borders' owner and
the like follow from these fields and are computed where needed.
"""

import enum
from typing import ClassVar

from flax import struct
from jaxtyping import Array, Bool, Int8, Int16, Int32, UInt8, UInt16, UInt32

NOBODY = -1  # no tribe
NO_CITY = -1
NO_UNIT = -1
NO_TILE = -1

# City slots by side of the board: the generator makes up to 9, 16 and 25 cities (section 20.1).
CITY_SLOTS = {11: 12, 14: 18, 16: 26}


class Stage(enum.IntEnum):
    """Which half of an action is due."""

    SOURCE = 0  # choose a tile, or an action of the whole tribe
    SUB_ACTION = 1  # choose what to do there


class Tiles(struct.PyTreeNode):
    """The board."""

    terrain: Int8[Array, "T"]
    resource: Int8[Array, "T"]  # -1: none
    building: Int8[Array, "T"]  # -1: none
    built: Int16[Array, "T"]  # order number of the building
    temple_level: Int8[Array, "T"]
    temple_countdown: Int8[Array, "T"]  # turns until the temple grows
    owner: Int8[Array, "T"]  # slot of the city whose borders hold the tile; -1: none
    network: UInt16[Array, "N"]  # rows of bits: city centres, ports, roads


class Units(struct.PyTreeNode):
    """The unit on each tile. Without a unit, all fields but `kind` and `tribe` are zero."""

    kind: Int8[Array, "T"]  # -1: no unit
    cargo: Int8[Array, "T"]  # land unit aboard a water unit; else the unit itself
    tribe: Int8[Array, "T"]  # -1: no unit
    hp: Int8[Array, "T"]
    kills: UInt8[Array, "T"]
    veteran: Bool[Array, "T"]
    status: Int8[Array, "T"]
    home: Int8[Array, "T"]  # slot of the city that supports it; -1: none
    joined: Int16[Array, "T"]  # order number in its city, or among units without a city


class Cities(struct.PyTreeNode):
    """Cities and uncaptured villages."""

    tile: Int16[Array, "C"]  # -1: this slot is not used
    tribe: Int8[Array, "C"]  # -1: a village
    level: Int8[Array, "C"]
    population: Int16[Array, "C"]
    production: Int16[Array, "C"]  # stars a turn besides the stars for the level
    walls: Bool[Array, "C"]
    radius: Int8[Array, "C"]  # of the borders
    capital_of: Int8[Array, "C"]  # tribe whose capital it was at the start; -1: of none
    worth: Int32[Array, "C"]  # score that a tribe gets when it captures the city
    joined: Int16[Array, "C"]  # order number among the cities of its tribe


class TribeStates(struct.PyTreeNode):
    """What each tribe has."""

    tribe_ids: Int8[Array, "P"]  # row of the table of tribes
    stars: Int16[Array, "P"]
    score: Int32[Array, "P"]
    technologies: UInt32[Array, "P"]  # bits
    kills: Int16[Array, "P"]
    peace: Int16[Array, "P"]  # own turns since the last attack, with meditation known
    monuments: Int8[Array, "P 7"]  # `MonumentState`
    connected: UInt32[Array, "P"]  # bit for each city connected to the capital
    met: UInt8[Array, "P"]  # bit for each tribe met
    visible: UInt16[Array, "P N"]  # rows of bits: tiles ever revealed; all without fog
    result: Int8[Array, "P"]  # `Result`


class TribesState(struct.PyTreeNode):
    """A position."""

    printed: ClassVar[str] = "jaxgames.tribes.text.text_board:summary"

    tiles: Tiles
    units: Units
    cities: Cities
    tribes: TribeStates
    tick: Int16[Array, ""]
    active: Int8[Array, ""]  # tribe whose turn it is
    phase: Int8[Array, ""]
    selected: Int16[Array, ""]  # tile chosen in the first half of an action; 0 otherwise
    counter: Int16[Array, ""]  # next order number
    ranking: Int8[Array, "P"]  # place of each tribe once the game is over, 0 the best
    over: Bool[Array, ""]
