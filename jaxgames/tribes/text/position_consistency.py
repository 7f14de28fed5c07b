"""Whether the rows of a position of Tribes agree: results, borders, buildings, the network."""

from typing import NamedTuple

from jaxgames.internal import checks
from jaxgames.internal.checks import Document
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.engine.leveling import MAX_LEVEL
from jaxgames.tribes.tables.buildings import MAX_TEMPLE_LEVEL, TEMPLE_COUNTDOWN, BuildingKind
from jaxgames.tribes.tables.terrain import WATERS, Terrain
from jaxgames.tribes.tables.tribes import Result
from jaxgames.tribes.text.position_text import CityRow, TileRow, TribeRow, UnitRow, is_temple

_SHORT = 32767


class PositionRows(NamedTuple):
    """A document whose rows have the right lengths, and whose tiles and units exist."""

    tribes: list[TribeRow]
    cities: dict[int, CityRow]
    units: dict[int, UnitRow]
    tiles: list[TileRow]


def check(position: PositionRows, document: Document, config: GameConfig) -> None:
    """Checks that rows agree, each of which is right by itself.

    Raises:
        ValueError: if they contradict each other; names the place, the value and what was expected.
    """
    if document["over"]:
        _check_winner(position, document["ranking"])
    else:
        _check_results(position, document["active"], config.by_score)
        _check_choice(position, document)
    _check_borders(position, config.board.side)
    _check_buildings(position)
    _check_network(position)


def _check_winner(position: PositionRows, ranking: list[int]) -> None:
    """Checks that the first of the ranking has won, and the others have lost."""
    for place, tribe in enumerate(ranking):
        result = Result.LOSS if place else Result.WIN
        checks.number(position.tribes[tribe].result, result, result, f"tribes[{tribe}], result")


def _check_results(position: PositionRows, active: int, by_score: bool) -> None:
    """Checks that nobody has won yet, and that the tribe to move has not lost."""
    for tribe, row in enumerate(position.tribes):
        place = f"tribes[{tribe}]"
        least = Result.PLAYING if tribe == active else Result.LOSS
        checks.number(row.result, least, Result.PLAYING, f"{place}, result")
        has_lost = row.result == Result.LOSS
        if has_lost == bool(row.cities):
            raise ValueError(
                f"{place}, result: tribes without cities have lost, and no others; got "
                f"{row.result} with {len(row.cities)} cities"
            )
        if has_lost and any(unit.tribe == tribe for unit in position.units.values()):
            raise ValueError(f"{place}, result: a tribe that has lost has no units, this one has")
    playing = [row.result == Result.PLAYING for row in position.tribes]
    if by_score and sum(playing) < 2:
        raise ValueError(f"over: expected 1, only tribe {playing.index(True)} has not lost; got 0")
    holders = {city.tribe for city in position.cities.values() if city.is_capital}
    if len(holders) == 1 and not by_score:
        raise ValueError(f"over: expected 1, tribe {holders.pop()} holds all capitals; got 0")


def _check_choice(position: PositionRows, document: Document) -> None:
    """Checks that no tile is chosen while a city must level up, which comes first."""
    for tile, city in position.cities.items():
        must = city.tribe == document["active"] and city.population >= city.need
        if must and city.level < MAX_LEVEL and document["selected"] is not None:
            raise ValueError(
                f"selected: expected null while city {tile} must level up, got "
                f"{document['selected']}"
            )


def _check_borders(position: PositionRows, side: int) -> None:
    """Checks that cities own their centres, on the network, and no village or far tile."""
    for tile, row in enumerate(position.tiles):
        place = f"tiles[{tile}], owner"
        if tile in position.cities and row.owner != tile:
            raise ValueError(f"{place}: expected the city on it, {tile}; got {row.owner}")
        if row.terrain == Terrain.VILLAGE and row.owner != -1:
            raise ValueError(f"{place}: expected -1, a village is nobody's; got {row.owner}")
        if tile in position.cities:
            checks.number(row.network, 1, 1, f"tiles[{tile}], network (of a city)")
        if row.owner >= 0:
            (x, y), (centre_x, centre_y) = divmod(tile, side), divmod(row.owner, side)
            distance = max(abs(x - centre_x), abs(y - centre_y))
            radius = position.cities[row.owner].radius
            if distance > radius:
                raise ValueError(
                    f"{place}: city {row.owner} owns tiles up to {radius} away, this is {distance}"
                )


def _check_buildings(position: PositionRows) -> None:
    """Checks that the lists of the cities are the buildings on their tiles."""
    standing = {
        tile: [row.owner, row.building]
        for tile, row in enumerate(position.tiles)
        if row.building >= 0
    }
    for centre, city in position.cities.items():
        place = f"cities, {centre}, buildings"
        if not isinstance(city.buildings, list):
            raise ValueError(f"{place}: expected a list, got {city.buildings!r}")
        for entry in city.buildings:
            count = 4 if isinstance(entry, list) and len(entry) == 4 else 2
            tile, kind, *growth = checks.numbers(entry, count, 0, _SHORT, place)
            if standing.pop(tile, None) != [centre, kind]:
                raise ValueError(
                    f"{place}: expected tile and kind of a building on the tiles of this city, "
                    f"each once; got {entry}"
                )
            if bool(growth) != is_temple(kind):
                raise ValueError(
                    f"{place}: expected level and countdown of temples, and of them only, "
                    f"got {entry}"
                )
            if growth:
                checks.number(growth[0], 1, MAX_TEMPLE_LEVEL, f"{place}, level")
                checks.number(growth[1], 1, TEMPLE_COUNTDOWN, f"{place}, countdown")
    for tile, (owner, kind) in standing.items():
        raise ValueError(
            f"cities, {owner}, buildings: [{tile}, {kind}] of tiles[{tile}] is missing"
        )


def _check_network(position: PositionRows) -> None:
    """Checks that ports are on water and on the network, and that no other water is on it."""
    for tile, row in enumerate(position.tiles):
        place, is_water = f"tiles[{tile}]", row.terrain in WATERS
        is_port = row.building == BuildingKind.PORT
        if is_port and not is_water:
            found = Terrain(row.terrain).name.lower()
            raise ValueError(f"{place}, building: expected a port to be on water, got {found}")
        if is_port:
            checks.number(row.network, 1, 1, f"{place}, network (of a port)")
        elif is_water:
            checks.number(row.network, 0, 0, f"{place}, network (of water without a port)")
