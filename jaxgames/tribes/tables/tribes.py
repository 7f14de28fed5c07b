"""The tribes that can be played, and the options of a city that levels up.

Source: the game's document, sections 6 and 7.
"""

import enum

import numpy as np

from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.units import UnitKind


class Tribe(enum.IntEnum):
    """A tribe; each is played by one seat at most."""

    XIN_XI = 0
    IMPERIUS = 1
    BARDUR = 2
    OUMAJI = 3


NUM_TRIBES = len(Tribe)
TRIBE_NAMES = tuple(tribe.name.lower() for tribe in Tribe)
TITLES = {
    Tribe.XIN_XI: "Xin-Xi",
    Tribe.IMPERIUS: "Imperius",
    Tribe.BARDUR: "Bardur",
    Tribe.OUMAJI: "Oumaji",
}

FIRST_TECHNOLOGY = np.array(
    [Technology.CLIMBING, Technology.ORGANIZATION, Technology.HUNTING, Technology.RIDING], np.int32
)
FIRST_UNIT = np.array(
    [UnitKind.WARRIOR, UnitKind.WARRIOR, UnitKind.WARRIOR, UnitKind.RIDER], np.int32
)


class LevelUp(enum.IntEnum):
    """Options of a city that levels up: two at each level, the last two from level 4 on."""

    WORKSHOP = 0
    EXPLORER = 1
    CITY_WALL = 2
    RESOURCES = 3
    POP_GROWTH = 4
    BORDER_GROWTH = 5
    PARK = 6
    SUPERUNIT = 7


LAST_CHOICE_LEVEL = 4  # from it on, the options stay the same


class Outcome(enum.IntEnum):
    """What ruins may hold."""

    SUPERUNIT = 0
    RESEARCH = 1
    POP_GROWTH = 2
    EXPLORER = 3
    RESOURCES = 4


NUM_OUTCOMES = len(Outcome)


class Result(enum.IntEnum):
    """How a tribe stands."""

    WIN = 0
    LOSS = 1
    PLAYING = 2
