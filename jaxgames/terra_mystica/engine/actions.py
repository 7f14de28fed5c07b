"""Action numbers: 1,077 small decisions, each with one meaning in all states.

| numbers | kind | meaning |
| --- | --- | --- |
| 0-538 | TERRAFORM | `7 hex + colour` |
| 539-615 | BUILD | dwelling on a hex |
| 616-923 | UPGRADE | `4 hex + kind`: trading post, temple, stronghold, sanctuary |
| 924-952 | BRIDGE | place of the list of bridges |
| 953-988 | CONNECT | river hex that mermaids skip |
| 989-1000 | SEND | `3 cult + (0, 1, 2)`: priest for 3, 2 or 1 steps |
| 1001-1002 | ADVANCE_SHIP, ADVANCE_DIG | |
| 1003-1008 | POWER | power actions ACT1 to ACT6 |
| 1009-1011 | CARD_SPADE, CARD_CULT, FAVOR_CULT | special actions BON1, BON2, FAV6 |
| 1012-1013 | BUY_BRIDGE, SPECIAL | special actions ACTE and of the stronghold |
| 1014-1017 | CULT | step on a cult |
| 1018-1029 | FAVOR | favor tile |
| 1030-1037 | TOWN | town tile |
| 1038-1048 | PASS | take a bonus card; the last: no card |
| 1049-1050 | TAKE_POWER, DECLINE_POWER | |
| 1051-1060 | CONVERT | see `CONVERSIONS` |
| 1061 | END | end of the turn, or giving up the rest of a choice |
| 1062-1075 | FACTION | choice of a faction |
| 1076 | DIG | buy a spade before the hex is named |
"""

import enum
from typing import NamedTuple

import numpy as np

from jaxgames.terra_mystica.tables.factions import NUM_FACTIONS
from jaxgames.terra_mystica.tables.terrain import NUM_BRIDGES, NUM_COLOURS, NUM_LAND, NUM_RIVER
from jaxgames.terra_mystica.tables.tiles import (
    NUM_CARDS,
    NUM_CULTS,
    NUM_FAVORS,
    NUM_POWER_ACTIONS,
    NUM_TOWNS,
)


class Kind(enum.IntEnum):
    """Kinds of actions, in the order of their numbers."""

    TERRAFORM = 0
    BUILD = 1
    UPGRADE = 2
    BRIDGE = 3
    CONNECT = 4
    SEND = 5
    ADVANCE_SHIP = 6
    ADVANCE_DIG = 7
    POWER = 8
    CARD_SPADE = 9
    CARD_CULT = 10
    FAVOR_CULT = 11
    BUY_BRIDGE = 12
    SPECIAL = 13
    CULT = 14
    FAVOR = 15
    TOWN = 16
    PASS = 17
    TAKE_POWER = 18
    DECLINE_POWER = 19
    CONVERT = 20
    END = 21
    FACTION = 22
    DIG = 23


NUM_UPGRADES = 4
NUM_SENDS = 3  # 3, 2 or 1 steps
NO_CARD_PASS = NUM_CARDS  # argument of PASS without a card


class Conversion(NamedTuple):
    """A conversion: what it costs and gives, as (coins, workers, priests, power, points)."""

    name: str
    price: tuple[int, int, int, int, int]
    gain: tuple[int, int, int, int, int]


# Burning is not among the prices: it moves tokens of bowl II.
CONVERSIONS = (
    Conversion("burn", (0, 0, 0, 0, 0), (0, 0, 0, 0, 0)),
    Conversion("1pw to 1c", (0, 0, 0, 1, 0), (1, 0, 0, 0, 0)),
    Conversion("3pw to 1w", (0, 0, 0, 3, 0), (0, 1, 0, 0, 0)),
    Conversion("5pw to 1p", (0, 0, 0, 5, 0), (0, 0, 1, 0, 0)),
    Conversion("1p to 1w", (0, 0, 1, 0, 0), (0, 1, 0, 0, 0)),
    Conversion("1p to 1c", (0, 0, 1, 0, 0), (1, 0, 0, 0, 0)),
    Conversion("1w to 1c", (0, 1, 0, 0, 0), (1, 0, 0, 0, 0)),
    Conversion("1vp to 1c", (0, 0, 0, 0, 1), (1, 0, 0, 0, 0)),
    Conversion("2c to 1vp", (2, 0, 0, 0, 0), (0, 0, 0, 0, 1)),
    Conversion("1w to 1p", (0, 1, 0, 0, 0), (0, 0, 1, 0, 0)),
)
BURN, VP_TO_COIN, COINS_TO_VP, WORKER_TO_PRIEST = 0, 7, 8, 9
CONVERSION_PRICES = np.array([conversion.price for conversion in CONVERSIONS], np.int32)
CONVERSION_GAINS = np.array([conversion.gain for conversion in CONVERSIONS], np.int32)

COUNTS = dict.fromkeys(Kind, 1) | {
    Kind.TERRAFORM: NUM_LAND * NUM_COLOURS,
    Kind.BUILD: NUM_LAND,
    Kind.UPGRADE: NUM_LAND * NUM_UPGRADES,
    Kind.BRIDGE: NUM_BRIDGES,
    Kind.CONNECT: NUM_RIVER,
    Kind.SEND: NUM_CULTS * NUM_SENDS,
    Kind.POWER: NUM_POWER_ACTIONS,
    Kind.CULT: NUM_CULTS,
    Kind.FAVOR: NUM_FAVORS,
    Kind.TOWN: NUM_TOWNS,
    Kind.PASS: NUM_CARDS + 1,
    Kind.CONVERT: len(CONVERSIONS),
    Kind.FACTION: NUM_FACTIONS,
}
"""Number of actions of each kind."""

_SIZES = np.array([COUNTS[kind] for kind in Kind], np.int32)
STARTS = {kind: int(_SIZES[:kind].sum()) for kind in Kind}
"""First number of each kind."""
NUM_ACTIONS = int(_SIZES.sum())

KIND_OF = np.repeat(np.arange(len(Kind), dtype=np.int32), _SIZES)  # [1077]
ARGUMENT_OF = np.arange(NUM_ACTIONS, dtype=np.int32) - np.repeat(
    np.cumsum(_SIZES) - _SIZES, _SIZES
)  # [1077] number within the kind


def encode(kind: Kind, argument: int = 0) -> int:
    """Returns the number of an action.

    Args:
        kind: kind of the action.
        argument: its number within the kind, as in the table above.

    Raises:
        ValueError: if the kind has no such argument.
    """
    if not 0 <= argument < COUNTS[kind]:
        raise ValueError(f"{kind.name} has arguments 0 to {COUNTS[kind] - 1}, not {argument}")
    return STARTS[kind] + argument


def decode(action: int) -> tuple[Kind, int]:
    """Returns kind and argument of an action number; the inverse of `encode`.

    Raises:
        ValueError: if there is no such action.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"actions are 0 to {NUM_ACTIONS - 1}, got {action}")
    return Kind(int(KIND_OF[action])), int(ARGUMENT_OF[action])
