"""Kinds of units: what they may do in a turn, and what they need. Their figures are parameters.

Source: the game's document, sections 4 and 9.1.
"""

import enum

import numpy as np

from jaxgames.tribes.tables.technologies import Technology


class UnitKind(enum.IntEnum):
    """What a unit is."""

    WARRIOR = 0
    RIDER = 1
    DEFENDER = 2
    SWORDSMAN = 3
    ARCHER = 4
    CATAPULT = 5
    KNIGHT = 6
    MIND_BENDER = 7
    BOAT = 8
    SHIP = 9
    BATTLESHIP = 10
    SUPERUNIT = 11


NUM_UNIT_KINDS = len(UnitKind)
NUM_SPAWNED = 8  # the kinds that a city trains come first
WATER_UNITS = (UnitKind.BOAT, UnitKind.SHIP, UnitKind.BATTLESHIP)
RANGED = (UnitKind.ARCHER, UnitKind.CATAPULT, *WATER_UNITS)
# Kinds that advance to the tile of a unit that they have killed beside them.
ADVANCING = (
    UnitKind.WARRIOR,
    UnitKind.RIDER,
    UnitKind.DEFENDER,
    UnitKind.SWORDSMAN,
    UnitKind.KNIGHT,
    UnitKind.SUPERUNIT,
)
# Kinds without the bonus of defence in a city without walls.
UNFORTIFIED = (UnitKind.CATAPULT, UnitKind.MIND_BENDER, *WATER_UNITS, UnitKind.SUPERUNIT)

TRAINED_WITH = {
    UnitKind.RIDER: Technology.RIDING,
    UnitKind.DEFENDER: Technology.SHIELDS,
    UnitKind.SWORDSMAN: Technology.SMITHERY,
    UnitKind.ARCHER: Technology.ARCHERY,
    UnitKind.CATAPULT: Technology.MATHEMATICS,
    UnitKind.KNIGHT: Technology.CHIVALRY,
    UnitKind.MIND_BENDER: Technology.PHILOSOPHY,
}
UPGRADED_WITH = {
    UnitKind.BOAT: Technology.SAILING,
    UnitKind.SHIP: Technology.NAVIGATION,
}


class Status(enum.IntEnum):
    """What a unit has done in its turn."""

    FRESH = 0
    MOVED = 1
    ATTACKED = 2
    MOVED_AND_ATTACKED = 3
    PUSHED = 4
    FINISHED = 5


NUM_STATUSES = len(Status)
NEVER = -1

# For each class of units: the status after moving, by the status before.
_MOVING = {
    "single": {Status.FRESH: Status.FINISHED},
    "dash": {Status.FRESH: Status.MOVED},
    "escape": {
        Status.FRESH: Status.MOVED,
        Status.ATTACKED: Status.FINISHED,
        Status.MOVED_AND_ATTACKED: Status.FINISHED,
    },
}
_ATTACKING = {
    "single": {Status.FRESH: Status.FINISHED},
    "dash": {Status.FRESH: Status.FINISHED, Status.MOVED: Status.FINISHED},
    "escape": {Status.FRESH: Status.ATTACKED, Status.MOVED: Status.MOVED_AND_ATTACKED},
    "persist": {
        Status.FRESH: Status.FINISHED,
        Status.MOVED: Status.FINISHED,
        Status.ATTACKED: Status.FINISHED,
    },
}
# Class of each kind: of moving, of attacking.
CLASSES = {
    UnitKind.WARRIOR: ("dash", "dash"),
    UnitKind.RIDER: ("escape", "escape"),
    UnitKind.DEFENDER: ("single", "single"),
    UnitKind.SWORDSMAN: ("dash", "dash"),
    UnitKind.ARCHER: ("dash", "dash"),
    UnitKind.CATAPULT: ("single", "single"),
    UnitKind.KNIGHT: ("dash", "persist"),
    UnitKind.MIND_BENDER: ("single", "single"),
    UnitKind.BOAT: ("dash", "dash"),
    UnitKind.SHIP: ("dash", "dash"),
    UnitKind.BATTLESHIP: ("dash", "dash"),
    UnitKind.SUPERUNIT: ("single", "dash"),
}


def _transitions(number: int, classes: dict[str, dict[Status, Status]]) -> np.ndarray:
    return np.array(
        [
            [classes[CLASSES[kind][number]].get(status, NEVER) for status in Status]
            for kind in UnitKind
        ],
        np.int8,
    )


AFTER_MOVE = _transitions(0, _MOVING)  # [kind, status] -> status, or NEVER
AFTER_ATTACK = _transitions(1, _ATTACKING)
