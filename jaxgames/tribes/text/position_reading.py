"""Reads a position of Tribes from the JSON that `position_text.py` describes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jaxgames.internal import checks
from jaxgames.internal.checks import Document
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.state import (
    CITY_SLOTS,
    NO_CITY,
    NO_TILE,
    NO_UNIT,
    NOBODY,
    Cities,
    Stage,
    Tiles,
    TribesState,
    TribeStates,
    Units,
)
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.tribes import TRIBE_NAMES
from jaxgames.tribes.text import position_checks
from jaxgames.tribes.text.position_text import PHASES, CityRow, TribeRow, UnitRow

CENTRES = (Terrain.VILLAGE, Terrain.CITY)


def text_to_state(text: str, config: GameConfig) -> TribesState:
    """Returns the position that a text describes, made of NumPy values.

    Order numbers are counted anew: only their order is kept.

    Args:
        text: one line of JSON.
        config: the options that the position must fit.

    Raises:
        ValueError: for a text that is no position, or whose parts contradict each other; names
            the place, the value and what was expected.
    """
    document = checks.parsed(text)
    position_checks.check(document, config)
    return state_of(document)


def state_of(document: Document) -> TribesState:
    """Returns the position that a document describes; its parts must agree with each other.

    Villages and cities have their slots in the order of their tiles.
    """
    tiles = np.asarray(document["tiles"])
    side, num_tiles = document["side"], len(tiles)
    tribe_ids = [TRIBE_NAMES.index(name) for name in document["tribe_ids"]]
    tribes = [TribeRow(*row) for row in document["tribes"]]
    # By tribe, in the order of its list: order numbers do not depend on the order in the text.
    cities = {
        tile: CityRow(*document["cities"][str(tile)]) for row in tribes for tile in row.cities
    }
    centres = np.flatnonzero(np.isin(tiles[:, 0], CENTRES))
    # One entry more than tiles, so that tile -1 (none) has slot -1.
    place = np.full(num_tiles + 1, NO_CITY)
    place[centres] = np.arange(len(centres))
    counter = _Counter()
    return TribesState(
        cities=_cities(side, centres, place, tribes, cities, counter),
        units=_units(num_tiles, place, document["units"], tribes, cities, counter),
        tiles=_tiles(side, tiles, place, cities, counter),
        tribes=_tribes(side, tribe_ids, place, tribes, document.get("vis")),
        tick=_short(document["tick"]),
        active=_byte(document["active"]),
        phase=_byte(PHASES.index(document["phase"])),
        selected=_short(
            document["selected"] if document["phase"] == PHASES[Stage.SUB_ACTION] else 0
        ),
        counter=_short(counter.value),
        ranking=_bytes(_ranking(document, len(tribe_ids))),
        over=np.bool_(document["over"]),  # type: ignore[arg-type]
    )


def rows_of_bits(mask: np.ndarray, side: int, dtype: Any = np.uint16) -> np.ndarray:
    """Returns a set of tiles, given as a mask, as rows of bits."""
    return (np.reshape(mask, (side, side)).astype(bool) @ (1 << np.arange(side))).astype(dtype)


_byte: Any = np.int8
_short: Any = np.int16


class _Counter:
    """Hands out order numbers."""

    def __init__(self) -> None:
        self.value = 0

    def number(self, array: np.ndarray, indices: Any) -> None:
        """Numbers some entries of an array, in the order given."""
        array[indices] = np.arange(self.value, self.value + len(indices))
        self.value += len(indices)


def _bytes(values: Any) -> Any:
    return np.array(values, np.int8)


def _shorts(values: Any) -> Any:
    return np.array(values, np.int16)


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << int(number) for number in numbers)


def _ranking(document: Document, players: int) -> np.ndarray:
    """Returns the place of each tribe; zeros before the end."""
    return np.argsort(document["ranking"]) if document["over"] else np.zeros(players)


def _cities(
    side: int,
    centres: np.ndarray,
    place: np.ndarray,
    tribes: Sequence[TribeRow],
    cities: Mapping[int, CityRow],
    counter: _Counter,
) -> Cities:
    places = CITY_SLOTS[side]
    # A village is ready to become a city of the first level.
    values: dict[str, Any] = {name: np.ones(places, np.int8) for name in ("level", "radius")}
    values |= {name: np.zeros(places, np.int16) for name in ("population", "production", "joined")}
    values["worth"] = np.zeros(places, np.int32)
    tile = np.full(places, NO_TILE, np.int16)
    tile[: len(centres)] = centres
    tribe, capital_of = np.full((2, places), NOBODY, np.int8)
    walls = np.zeros(places, bool)
    for centre, city in cities.items():
        index = place[centre]
        tribe[index], walls[index] = city.tribe, city.walls
        for name in ("level", "population", "radius", "production", "worth"):
            values[name][index] = getattr(city, name)
    for number, row in enumerate(tribes):
        capital_of[place[row.capital]] = number
        counter.number(values["joined"], place[row.cities])
    return Cities(tile=tile, tribe=tribe, capital_of=capital_of, walls=walls, **values)  # type: ignore[arg-type]


def _units(
    num_tiles: int,
    place: np.ndarray,
    units: Mapping[str, Sequence[int]],
    tribes: Sequence[TribeRow],
    cities: Mapping[int, CityRow],
    counter: _Counter,
) -> Units:
    kind, tribe = np.full((2, num_tiles), NO_UNIT, np.int8)
    values: dict[str, Any] = {
        name: np.zeros(num_tiles, np.int8) for name in ("cargo", "hp", "status", "home")
    }
    values |= {"kills": np.zeros(num_tiles, np.uint8), "veteran": np.zeros(num_tiles, bool)}
    values["joined"] = np.zeros(num_tiles, np.int16)
    tile_of = {}
    for number, entries in units.items():
        unit = UnitRow(*entries)
        tile = tile_of[int(number)] = unit.tile
        kind[tile], tribe[tile] = unit.kind, unit.tribe
        values["cargo"][tile] = unit.kind if unit.cargo == NO_UNIT else unit.cargo
        values["home"][tile] = place[unit.home]
        for name in ("hp", "status", "kills", "veteran"):
            values[name][tile] = getattr(unit, name)
    for row in tribes:
        for members in (*(cities[city].units for city in row.cities), row.units):
            counter.number(values["joined"], [tile_of[number] for number in members])
    return Units(kind=kind, tribe=tribe, **values)  # type: ignore[arg-type]


def _tiles(
    side: int,
    tiles: np.ndarray,
    place: np.ndarray,
    cities: Mapping[int, CityRow],
    counter: _Counter,
) -> Tiles:
    terrain, resource, building, owner, network, _ = tiles.T
    growth = np.zeros((2, len(tiles)), np.int8)
    built = np.zeros(len(tiles), np.int16)
    for city in cities.values():
        counter.number(built, [entry[0] for entry in city.buildings])
        for tile, _, *temple in city.buildings:
            growth[:, tile] = temple or 0
    values: dict[str, Any] = {
        "terrain": _bytes(terrain),
        "resource": _bytes(resource),
        "building": _bytes(building),
        "built": built,
        "temple_level": growth[0],
        "temple_countdown": growth[1],
        "owner": _bytes(place[owner]),
        "network": rows_of_bits(network, side),
    }
    return Tiles(**values)


def _tribes(
    side: int,
    tribe_ids: Sequence[int],
    place: np.ndarray,
    tribes: Sequence[TribeRow],
    seen: Sequence[Sequence[str]] | None,
) -> TribeStates:
    visible = np.ones((len(tribe_ids), side * side), bool)
    if seen is not None:
        visible = np.array([[mark == "1" for mark in row] for row in seen])
    values: dict[str, Any] = {
        "tribe_ids": _bytes(tribe_ids),
        "stars": _shorts([row.stars for row in tribes]),
        "score": np.array([row.score for row in tribes], np.int32),
        "technologies": np.array([row.technologies for row in tribes], np.uint32),
        "kills": _shorts([row.kills for row in tribes]),
        "peace": _shorts([row.peace for row in tribes]),
        "monuments": _bytes([row.monuments for row in tribes]),
        "connected": np.array([_bits(place[row.connected]) for row in tribes], np.uint32),
        "met": np.array([_bits(row.met) for row in tribes], np.uint8),
        "visible": np.stack([rows_of_bits(row, side) for row in visible]),
        "result": _bytes([row.result for row in tribes]),
    }
    return TribeStates(**values)
