"""Refuses documents that describe no position of Tribes: wrong values, and parts that contradict.

This module checks each row and the items that it names. `position_consistency.py` checks that all
rows agree. Nothing checks whether a game can lead to the position.
"""

from collections.abc import Collection, Iterator
from typing import Any

from jaxgames.internal import checks
from jaxgames.internal.checks import Document
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.state import CITY_SLOTS, Stage
from jaxgames.tribes.tables.buildings import NUM_BUILDINGS, NUM_MONUMENTS, MonumentState
from jaxgames.tribes.tables.parameters import MAX_HP, TribesParameters
from jaxgames.tribes.tables.technologies import ALL_TECHNOLOGIES, PARENTS
from jaxgames.tribes.tables.terrain import WATERS, Resource, Terrain
from jaxgames.tribes.tables.tribes import LAST_CHOICE_LEVEL, TRIBE_NAMES, Result
from jaxgames.tribes.tables.units import NUM_UNIT_KINDS, WATER_UNITS, Status, UnitKind
from jaxgames.tribes.text import position_consistency
from jaxgames.tribes.text.position_consistency import PositionRows
from jaxgames.tribes.text.position_text import (
    PHASES,
    CityRow,
    TileRow,
    TribeRow,
    UnitRow,
    toughness,
)

KEYS = (
    *("side", "tick", "active", "phase", "selected", "over", "tribe_ids"),
    *("tribes", "cities", "units", "tiles"),
)
_LEVEL = 127  # growth stops there
# Well below what the types of the state hold, so that no action leads beyond them.
_SHORT, _UNIT_KILLS = 20_000, 200
_POINTS = 10**8  # far more than play reaches, and far from what 32 bits hold


def check(document: Any, config: GameConfig) -> None:
    """Checks a document.

    Args:
        document: the value read from JSON.
        config: the options that it must fit.

    Raises:
        ValueError: if it is no position; names the place, the value and what was expected.
    """
    side, players, fog = config.board.side, config.players, config.fog
    optional = [*(["ranking"] if _is_over(document) else []), *(["vis"] if fog else [])]
    if not fog and isinstance(document, dict) and "vis" in document:
        raise ValueError("vis: expected only where the rules have fog (fog=True)")
    checks.keys(document, [*KEYS, *optional], "position")
    checks.number(document["side"], side, side, "side")
    checks.number(document["over"], 0, 1, "over")
    most_ticks = _SHORT if document["over"] else int(config.last_tick)
    checks.number(document["tick"], 0, most_ticks, "tick")
    checks.number(document["active"], 0, players - 1, "active")
    _check_people(document["tribe_ids"], players)
    if document["over"]:
        order = checks.numbers(document["ranking"], players, 0, players - 1, "ranking")
        if len(set(order)) != players:
            raise ValueError(f"ranking: expected each tribe once, got {order}")
    _check_phase(document, side)
    if fog:
        _check_vision(document["vis"], players, side)
    position = _rows(document, players, side)
    _check_tiles(position, side)
    for number, unit in position.units.items():
        _check_unit(position, number, unit, config.p)
    for tile, city in position.cities.items():
        _check_city(position, tile, city)
    for tribe, row in enumerate(position.tribes):
        _check_tribe(position, tribe, row)
    _check_capitals(position)
    position_consistency.check(position, document, config)


def _is_over(document: Any) -> bool:
    return isinstance(document, dict) and bool(document.get("over"))


def _check_people(tribe_ids: Any, players: int) -> None:
    found = checks.indices(tribe_ids, TRIBE_NAMES, "tribe_ids")
    if len(found) != players:
        raise ValueError(
            f"tribe_ids: expected {players} tribes, as num_players says, got {tribe_ids}"
        )


def _check_phase(document: Document, side: int) -> None:
    phase, selected = checks.index(document["phase"], PHASES, "phase"), document["selected"]
    if phase == Stage.SUB_ACTION:
        checks.number(selected, 0, side * side - 1, "selected")
    elif selected is not None:
        raise ValueError(f"selected: expected null in phase {PHASES[phase]!r}, got {selected!r}")


def _check_vision(seen: Any, players: int, side: int) -> None:
    _check_length(seen, players, "texts", "vis")
    for tribe, row in enumerate(seen):
        if not isinstance(row, str) or len(row) != side * side or not set(row) <= {"0", "1"}:
            raise ValueError(f"vis[{tribe}]: expected {side * side} times 0 or 1, got {row!r}")


def _check_length(value: Any, count: int, items: str, place: str) -> None:
    """Checks that a value is a list of `count` items; the error does not repeat a long list."""
    if not isinstance(value, list):
        raise ValueError(f"{place}: expected a list of {count} {items}, got {value!r}")
    if len(value) != count:
        raise ValueError(f"{place}: expected {count} {items}, got {len(value)}")


def _rows(document: Document, players: int, side: int) -> PositionRows:
    """Returns the rows, each of the right length."""
    last = side * side - 1
    tribes, tiles = document["tribes"], document["tiles"]
    for name, rows, count in (("tribes", tribes, players), ("tiles", tiles, last + 1)):
        _check_length(rows, count, "rows", name)
    return PositionRows(
        tribes=[_row(TribeRow, row, f"tribes[{i}]") for i, row in enumerate(tribes)],
        cities={
            tile: _row(CityRow, row, f"cities, {tile}")
            for tile, row in _entries(document["cities"], 0, last, "cities")
        },
        units={
            number: _row(UnitRow, row, f"units, {number}")
            for number, row in _entries(document["units"], 1, _SHORT, "units")
        },
        tiles=[_row(TileRow, row, f"tiles[{i}]") for i, row in enumerate(tiles)],
    )


def _entries(value: Any, least: int, most: int, place: str) -> Iterator[tuple[int, Any]]:
    if not isinstance(value, dict):
        raise ValueError(f"{place}: expected an object, got {value!r}")
    for key, row in value.items():
        if not (key.isdecimal() and str(int(key)) == key and least <= int(key) <= most):
            raise ValueError(f"{place}: expected keys from {least} to {most}, got {key!r}")
        yield int(key), row


def _row(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, list) or len(value) != len(kind._fields):
        names = ", ".join(kind._fields)
        raise ValueError(f"{place}: expected a list of {names}; got {value!r}")
    return kind(*value)


def _check_numbers(row: Any, limits: dict[str, tuple[int, int]], place: str) -> None:
    for name, (least, most) in limits.items():
        checks.number(getattr(row, name), least, most, f"{place}, {name}")


def _check_known(number: Any, known: Collection[int], what: str, place: str) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number not in known:
        shown = ", ".join(map(str, sorted(known)))
        raise ValueError(f"{place}: expected {what}, one of {shown or 'none'}; got {number!r}")


def _check_list(value: Any, known: Collection[int], what: str, place: str) -> None:
    if not isinstance(value, list):
        raise ValueError(f"{place}: expected a list, got {value!r}")
    for number in value:
        _check_known(number, known, what, place)
        if value.count(number) > 1:
            raise ValueError(f"{place}: {number} may occur once, got {value.count(number)}")


def _check_tiles(position: PositionRows, side: int) -> None:
    centres = 0
    for tile, row in enumerate(position.tiles):
        place = f"tiles[{tile}]"
        limits = {"terrain": (0, Terrain.FOREST), "building": (-1, NUM_BUILDINGS - 1)}
        _check_numbers(row, limits | {"network": (0, 1)}, place)
        _check_known(row.resource, list(Resource), "a resource", f"{place}, resource")
        _check_known(row.owner, [-1, *position.cities], "a city's tile", f"{place}, owner")
        _check_known(row.unit, [0, *position.units], "a unit", f"{place}, unit")
        if (row.terrain == Terrain.CITY) != (tile in position.cities):
            raise ValueError(
                f"{place}: terrain {Terrain.CITY} and an entry in cities go together, "
                f"got terrain {row.terrain} and {'an' if tile in position.cities else 'no'} entry"
            )
        if row.unit and position.units[row.unit].tile != tile:
            other = position.units[row.unit].tile
            raise ValueError(f"{place}, unit: unit {row.unit} stands on tile {other!r}")
        centres += row.terrain in (Terrain.VILLAGE, Terrain.CITY)
    if centres > CITY_SLOTS[side]:
        raise ValueError(f"tiles: expected up to {CITY_SLOTS[side]} cities, got {centres}")


def _check_unit(
    position: PositionRows, number: int, unit: UnitRow, parameters: TribesParameters
) -> None:
    place = f"units, {number}"
    limits = {
        "tile": (0, len(position.tiles) - 1),
        "kind": (0, NUM_UNIT_KINDS - 1),
        "tribe": (0, len(position.tribes) - 1),
        "hp": (1, MAX_HP),
        "kills": (0, _UNIT_KILLS),
        "veteran": (0, 1),
        "status": (0, len(Status) - 1),
        "cargo": (-1, NUM_UNIT_KINDS - 1),
    }
    _check_numbers(unit, limits, place)
    if position.tiles[unit.tile].unit != number:
        found = position.tiles[unit.tile].unit
        raise ValueError(f"{place}, tile: tiles[{unit.tile}] says that unit {found} stands there")
    _check_known(unit.home, [-1, *position.cities], "a city's tile", f"{place}, home")
    land = [kind for kind in UnitKind if kind not in WATER_UNITS]
    aboard = land if unit.kind in WATER_UNITS else [-1]
    _check_known(unit.cargo, aboard, "a unit that can be aboard", f"{place}, cargo")
    terrain = position.tiles[unit.tile].terrain
    if (unit.kind in WATER_UNITS) != (terrain in WATERS):
        raise ValueError(
            f"{place}, kind: {UnitKind(unit.kind).name.lower()} on "
            f"{Terrain(terrain).name.lower()}; boats and ships are on water, others are not"
        )
    most = toughness(max(unit.cargo, unit.kind * (unit.cargo < 0)), bool(unit.veteran), parameters)
    checks.number(unit.max_hp, most, most, f"{place}, max_hp")
    checks.number(unit.hp, 1, most, f"{place}, hp")
    if unit.home < 0:
        listed, where = position.tribes[unit.tribe].units, f"tribes[{unit.tribe}]"
    else:
        city, where = position.cities[unit.home], f"cities, {unit.home}"
        listed = city.units
        checks.number(city.tribe, 0, len(position.tribes) - 1, f"{where}, tribe")
        checks.number(unit.tribe, city.tribe, city.tribe, f"{place}, tribe (that of its city)")
    if not isinstance(listed, list) or number not in listed:
        raise ValueError(f"{where}, units: expected unit {number} in it, got {listed!r}")


def _check_city(position: PositionRows, tile: int, city: CityRow) -> None:
    place = f"cities, {tile}"
    checks.number(city.level, 1, _LEVEL, f"{place}, level")
    limits = {
        "tribe": (0, len(position.tribes) - 1),
        "production": (0, _SHORT),
        "walls": (0, 1),
        "radius": (1, 2 if city.level >= LAST_CHOICE_LEVEL else 1),  # grows once, at that level
        "worth": (-_POINTS, _POINTS),
        "is_capital": (0, 1),
    }
    _check_numbers(city, limits | {"population": (-city.level, _SHORT)}, place)
    checks.number(city.need, city.level + 1, city.level + 1, f"{place}, need")
    own = [number for number, unit in position.units.items() if unit.home == tile]
    _check_list(city.units, own, "units with this home", f"{place}, units")


def _check_tribe(position: PositionRows, tribe: int, row: TribeRow) -> None:
    place = f"tribes[{tribe}]"
    limits = {
        "stars": (0, _SHORT),
        "score": (-_POINTS, _POINTS),
        "technologies": (0, ALL_TECHNOLOGIES),
        "kills": (0, _SHORT),
        "peace": (0, _SHORT),
        "result": (0, len(Result) - 1),
    }
    _check_numbers(row, limits, place)
    for technology, parent in PARENTS.items():
        if row.technologies >> technology & 1 and not row.technologies >> parent & 1:
            raise ValueError(
                f"{place}, technologies: {technology.name.lower()} needs {parent.name.lower()}, "
                f"got {row.technologies}"
            )
    most = len(MonumentState) - 1
    checks.numbers(row.monuments, NUM_MONUMENTS, 0, most, f"{place}, monuments")
    own = [tile for tile, city in position.cities.items() if city.tribe == tribe]
    _check_list(row.cities, own, "its cities", f"{place}, cities")
    if len(row.cities) != len(own):
        raise ValueError(f"{place}, cities: expected {own} in some order, got {row.cities}")
    _check_list(row.connected, own, "its cities", f"{place}, connected")
    homeless = [
        number for number, unit in position.units.items() if unit.home < 0 and unit.tribe == tribe
    ]
    _check_list(row.units, homeless, "its units without home", f"{place}, units")
    _check_list(row.met, range(len(position.tribes)), "tribes", f"{place}, met")


def _check_capitals(position: PositionRows) -> None:
    flagged = sorted(tile for tile, city in position.cities.items() if city.is_capital)
    capitals = [row.capital for row in position.tribes]
    for tribe, tile in enumerate(capitals):
        _check_known(tile, flagged, "a city that is a capital", f"tribes[{tribe}], capital")
    if sorted(capitals) != flagged:
        raise ValueError(
            f"tribes, capital: expected each of the cities that are capitals once, {flagged}; "
            f"got {capitals}"
        )
