"""Where a unit can go: a plain search on floating numbers, to compare the rules with.

Source: the game's document, section 9.2.
"""

import heapq
import itertools
import math
from collections.abc import Iterator

from jaxgames.tribes.state import NO_CITY, NO_UNIT, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.parameters import DEFAULTS
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import WATER_UNITS, UnitKind
from tests.jaxgames.tribes.positions import mask

_WATER = (Terrain.SHALLOW_WATER, Terrain.DEEP_WATER)
_NEEDED = {
    Terrain.MOUNTAIN: Technology.CLIMBING,
    Terrain.SHALLOW_WATER: Technology.SAILING,
    Terrain.DEEP_WATER: Technology.NAVIGATION,
}


class Walk:
    """The ways of one unit of the tribe to move."""

    def __init__(self, state: TribesState, start: int, corrected_rules: bool = False) -> None:
        self.state, self.start, self.corrected_rules = state, start, corrected_rules
        self.tribe, self.side = int(state.active), len(state.tiles.network)
        self.kind = UnitKind(int(state.units.kind[start]))
        self.movement = int(DEFAULTS.unit_movement[self.kind])
        self.network = mask(state.tiles.network)
        self.seen = mask(state.tribes.visible[self.tribe])

    def destinations(self) -> set[int]:
        """Returns the tiles where the unit can go."""
        least = {self.start: 0.0}
        waiting = [(0.0, self.start)]
        while waiting:
            cost, here = heapq.heappop(waiting)
            if cost > least[here] or cost == self.movement:
                continue
            for there in self._beside(here):
                total = cost + self._step(here, there, cost)
                watched = self._is_watched(there)
                limit = total if watched or total == math.inf else math.floor(total)
                if limit <= self.movement and total < least.get(there, math.inf):
                    least[there] = total
                    heapq.heappush(waiting, (total, there))
        return {tile for tile in least if self.state.units.kind[tile] == NO_UNIT}

    def _beside(self, tile: int) -> Iterator[int]:
        x, y = divmod(tile, self.side)
        for dx, dy in itertools.product((-1, 0, 1), repeat=2):
            inside = 0 <= x + dx < self.side and 0 <= y + dy < self.side
            if (dx, dy) != (0, 0) and inside:
                yield (x + dx) * self.side + y + dy

    def _is_enemy(self, tile: int) -> bool:
        units = self.state.units
        return bool(units.kind[tile] != NO_UNIT and units.tribe[tile] != self.tribe)

    def _is_watched(self, tile: int) -> bool:
        return any(self._is_enemy(other) for other in self._beside(tile))

    def _owner(self, tile: int) -> int:
        """Returns the tribe whose borders hold a tile, or -1."""
        city = self.state.tiles.owner[tile]
        return -1 if city == NO_CITY else int(self.state.cities.tribe[city])

    def _is_road_end(self, tile: int) -> bool:
        terrain = self.state.tiles.terrain[tile]
        is_road = self.network[tile] and terrain not in _WATER
        return bool(is_road or terrain == Terrain.CITY)

    def _step(self, here: int, there: int, cost: float) -> float:
        terrain, known = self.state.tiles.terrain[there], self.state.tribes.technologies[self.tribe]
        closed = terrain in _NEEDED and not int(known) >> _NEEDED[terrain] & 1
        is_city = terrain == Terrain.CITY and self._owner(there) != self.tribe
        if closed or not self.seen[there] or self._is_enemy(there):
            return math.inf
        if is_city and self.kind == UnitKind.MIND_BENDER:
            return math.inf
        stop = self.movement - cost if cost < self.movement else self.movement
        own = self._owner(there) in (-1, self.tribe) or not self.corrected_rules
        if self.kind in WATER_UNITS:
            step = 1.0 if terrain in _WATER else stop
        elif terrain in _WATER:
            has_port = self.state.tiles.building[there] == BuildingKind.PORT
            step = stop if has_port and own else math.inf
        else:
            step = stop if terrain in (Terrain.FOREST, Terrain.MOUNTAIN) else 1.0
            starts = self._is_road_end(here) and self._owner(here) in (-1, self.tribe)
            if starts and self._is_road_end(there) and own:
                step = max(0.5, step / 2)
        return stop if step < math.inf and self._is_watched(there) else step
