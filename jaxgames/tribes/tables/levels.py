"""Figures of level generation: chances of terrains and resources, and their changes by tribe.

Source: the game's document, section 16.2.
"""

import dataclasses
import enum
import math
from typing import NamedTuple

import numpy as np

from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Tribe


@dataclasses.dataclass(frozen=True)
class Coast:
    """How land is told from sea.

    Raises:
        ValueError: for a share outside of 0 to 1, a negative number of passes, or another type.
    """

    land_share: float = 0.5
    """Share of the tiles that are land before they are smoothed."""
    smoothing: int = 3
    """Number of passes that gather the land."""
    relief: float = 4
    """The larger, the more land the passes make."""

    def __post_init__(self) -> None:
        """Checks the values."""
        for name in ("land_share", "relief"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise ValueError(f"{name} must be a number, got {value!r}")
        if not 0 <= self.land_share <= 1:
            raise ValueError(f"land_share must be 0 to 1, got {self.land_share}")
        if not math.isfinite(self.relief):
            raise ValueError(f"relief must be finite, got {self.relief}")
        smoothing = self.smoothing
        if not isinstance(smoothing, int) or isinstance(smoothing, bool) or smoothing < 0:
            raise ValueError(f"smoothing must be 0 passes or more, got {smoothing!r}")

    @property
    def most_water(self) -> float:
        """Largest share of water, in a tile and its neighbours, with which a pass makes it land."""
        return (self.land_share + self.relief) / 9

    def first_land(self, tiles: int) -> int:
        """Returns the number of tiles of a board that are land before they are smoothed."""
        return math.ceil(tiles * self.land_share)


USUAL_COAST = Coast()


def check_coast(coast: Coast) -> None:
    """Checks that a value is a `Coast`.

    Raises:
        ValueError: if it is not a `Coast`.
    """
    if not isinstance(coast, Coast):
        raise ValueError(f"coast must be a Coast, got {coast!r}")


MARGIN = 2  # tiles between a capital and the edge of the board


class Zone(enum.IntEnum):
    """How near a tile is to the next capital or village. The numbers decide where ruins may be."""

    BARREN = -1  # no place for a village, and none near
    OPEN = 0  # a village may still be founded
    OUTER = 1  # two steps away
    INNER = 2  # one step away
    CENTRE = 3


def _by_tribe(usual: float, **changes: float) -> np.ndarray:
    """Returns the chance for each tribe; `changes` are factors of tribes."""
    factors = [changes.get(tribe.name.lower(), 1) for tribe in Tribe]
    return usual * np.array(factors)


FOREST_CHANCE = _by_tribe(0.4, oumaji=0.1)
MOUNTAIN_CHANCE = _by_tribe(0.15, xin_xi=1.5)
_FRUIT = _by_tribe(0.5, bardur=1.5)
_CROPS = _by_tribe(0.5, bardur=0.1)


class Growth(NamedTuple):
    """A resource that may appear."""

    terrain: Terrain
    resource: Resource
    chance: np.ndarray  # of each tribe, in the inner zone


RARITY = {Zone.INNER: 1, Zone.OUTER: 3}  # divides the chances; no resource grows in other zones
# On plains, the second resource is tried where the first does not appear.
GROWTHS = (
    Growth(Terrain.PLAIN, Resource.FRUIT, _FRUIT * (1 - _CROPS / 2)),
    Growth(Terrain.PLAIN, Resource.CROPS, _CROPS * (1 - _FRUIT / 2)),
    Growth(Terrain.FOREST, Resource.ANIMAL, _by_tribe(0.5, bardur=2)),
    Growth(Terrain.SHALLOW_WATER, Resource.FISH, _by_tribe(0.5)),
    Growth(Terrain.DEEP_WATER, Resource.WHALES, _by_tribe(0.4)),
    Growth(Terrain.MOUNTAIN, Resource.ORE, _by_tribe(0.5)),
)

TILES_PER_RUINS = 40
RUINS_PER_DEEP_RUINS = 3


class Gift(NamedTuple):
    """A resource that a capital has beside it at least `NUM_GIFTS` times."""

    terrain: Terrain  # that the tile gets
    resource: Resource


GIFTS = {
    Tribe.IMPERIUS: Gift(Terrain.PLAIN, Resource.FRUIT),
    Tribe.BARDUR: Gift(Terrain.FOREST, Resource.ANIMAL),
}
NUM_GIFTS = 2


def num_ruins(side: int) -> tuple[int, int]:
    """Returns the number of ruins of a level, and the number that may lie in deep water."""
    ruins = int(side * side / TILES_PER_RUINS + 0.5)
    return ruins, int(ruins / RUINS_PER_DEEP_RUINS + 0.5)
