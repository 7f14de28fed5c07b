"""The 24 technologies: a forest of five trees, three tiers deep.

Source: the game's document, section 3.
"""

import enum

import numpy as np


class Technology(enum.IntEnum):
    """A technology; its number is its bit in the set that a tribe knows."""

    CLIMBING = 0
    FISHING = 1
    HUNTING = 2
    ORGANIZATION = 3
    RIDING = 4
    ARCHERY = 5
    FARMING = 6
    FORESTRY = 7
    FREE_SPIRIT = 8
    MEDITATION = 9
    MINING = 10
    ROADS = 11
    SAILING = 12
    SHIELDS = 13
    WHALING = 14
    AQUATISM = 15
    CHIVALRY = 16
    CONSTRUCTION = 17
    MATHEMATICS = 18
    NAVIGATION = 19
    SMITHERY = 20
    SPIRITUALISM = 21
    TRADE = 22
    PHILOSOPHY = 23


NUM_TECHNOLOGIES = len(Technology)
NUM_TIERS = 3
ALL_TECHNOLOGIES = (1 << NUM_TECHNOLOGIES) - 1

PARENTS = {
    Technology.ARCHERY: Technology.HUNTING,
    Technology.FARMING: Technology.ORGANIZATION,
    Technology.FORESTRY: Technology.HUNTING,
    Technology.FREE_SPIRIT: Technology.RIDING,
    Technology.MEDITATION: Technology.CLIMBING,
    Technology.MINING: Technology.CLIMBING,
    Technology.ROADS: Technology.RIDING,
    Technology.SAILING: Technology.FISHING,
    Technology.SHIELDS: Technology.ORGANIZATION,
    Technology.WHALING: Technology.FISHING,
    Technology.AQUATISM: Technology.WHALING,
    Technology.CHIVALRY: Technology.FREE_SPIRIT,
    Technology.CONSTRUCTION: Technology.FARMING,
    Technology.MATHEMATICS: Technology.FORESTRY,
    Technology.NAVIGATION: Technology.SAILING,
    Technology.SMITHERY: Technology.MINING,
    Technology.SPIRITUALISM: Technology.ARCHERY,
    Technology.TRADE: Technology.ROADS,
    Technology.PHILOSOPHY: Technology.MEDITATION,
}


def _tier(technology: Technology) -> int:
    return 1 + _tier(PARENTS[technology]) if technology in PARENTS else 1


TIER = np.array([_tier(technology) for technology in Technology], np.int32)
# The bit of the parent of each technology; none has no parent.
PARENT_BIT = np.array(
    [1 << PARENTS[technology] if technology in PARENTS else 0 for technology in Technology],
    np.uint32,
)
