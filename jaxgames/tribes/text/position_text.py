"""Writes a position of Tribes as one line of JSON; `position_reading.py` reads it.

| key | value |
| --- | --- |
| `side` | rows of the board; tile `(x, y)` is number `side x + y` everywhere |
| `tick`, `active` | turns of the whole game, from 0; tribe whose turn it is |
| `phase`, `selected` | a word of `PHASES`; tile chosen in the phase `sub_action`, else `null` |
| `over`, `ranking` | whether the game has ended; if so, the tribes, best first |
| `tribe_ids` | name of each tribe |
| `tribes` | a `TribeRow` for each tribe |
| `cities`, `units` | a `CityRow` by tile; a `UnitRow` by number from 1 on |
| `tiles` | a `TileRow` for each tile |
| `vis` | with fog: for each tribe, 1 for every tile that it has ever seen, 0 for others |

Rows are lists in the order of the fields below. Tribes, kinds and statuses are numbers of the
tables, -1: none. Lists of cities, units and buildings are in the order in which the items
joined. `connected` and `met` are sets, written ascending. Numbers of units are labels.
"""

import json
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxgames.boards.notation import on_host
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.state import NO_CITY, NO_UNIT, NOBODY, Stage, TribesState
from jaxgames.tribes.tables.buildings import FIRST_TEMPLE, LAST_TEMPLE
from jaxgames.tribes.tables.parameters import TribesParameters
from jaxgames.tribes.tables.tribes import TRIBE_NAMES
from jaxgames.tribes.tables.units import WATER_UNITS

PHASES = tuple(phase.name.lower() for phase in Stage)
Tile = int
Number = int


class TribeRow(NamedTuple):
    """What a tribe has."""

    stars: int
    score: int
    technologies: int  # bits
    kills: int
    peace: int
    result: int
    capital: Tile  # its capital at the start, whoever holds it now
    monuments: list[int]
    cities: list[Tile]
    connected: list[Tile]
    units: list[Number]  # units without a city
    met: list[int]


class CityRow(NamedTuple):
    """A city; not a village."""

    tribe: int
    level: int
    population: int
    need: int
    production: int
    walls: int
    radius: int
    worth: int
    is_capital: int  # of any tribe
    units: list[Number]
    buildings: list[list[int]]  # tile and kind; of temples also level and countdown


class UnitRow(NamedTuple):
    """A unit."""

    tile: Tile
    kind: int
    tribe: int
    hp: int
    max_hp: int
    kills: int
    veteran: int
    status: int
    home: Tile
    cargo: int  # land unit aboard; -1 on land


class TileRow(NamedTuple):
    """A tile."""

    terrain: int
    resource: int
    building: int
    owner: Tile  # the city
    network: int
    unit: Number  # 0: none


def state_to_text(config: GameConfig, game: TribesState) -> str:
    """Returns the position text.

    Raises:
        ValueError: as for `to_host`, or for a game as a seat knows it with cities in fog.
    """
    game = to_host(config, game)
    if ((game.cities.tribe != NOBODY) & (game.cities.tile < 0)).any():
        raise ValueError("expected a whole position, got one with cities that fog hides")
    side, tribes = len(game.tiles.network), game.tribes
    numbers = _unit_numbers(game)
    seen = [unpacked(rows).astype(int) for rows in tribes.visible]
    document = {
        "side": side,
        "tick": int(game.tick),
        "active": int(game.active),
        "phase": PHASES[game.phase],
        "selected": int(game.selected) if game.phase == Stage.SUB_ACTION else None,
        "over": int(game.over),
        **({"ranking": np.argsort(game.ranking).tolist()} if game.over else {}),
        "tribe_ids": [TRIBE_NAMES[tribe_ids] for tribe_ids in tribes.tribe_ids],
        "tribes": [_tribe(game, tribe, numbers) for tribe in range(len(tribes.tribe_ids))],
        "cities": {
            int(game.cities.tile[place]): _city(game, place, numbers)
            for place in np.flatnonzero(game.cities.tribe != NOBODY).tolist()
        },
        "units": {number: _unit(game, tile, config.p) for tile, number in numbers.items()},
        "tiles": _tiles(game, numbers),
        **({"vis": ["".join(map(str, row)) for row in seen]} if config.fog else {}),
    }
    return json.dumps(document, separators=(",", ":"))


def to_host(config: GameConfig, game: TribesState) -> TribesState:
    """Returns the game with host values.

    Raises:
        ValueError: if `game` is no game, a batch of games, or of other tribes or another board.
    """
    if not isinstance(game, TribesState):
        raise ValueError(f"expected a TribesState, got a {type(game).__name__}")
    game = on_host(game, game.tick)
    found = len(game.tribes.tribe_ids), len(game.tiles.network)
    if found != (config.players, config.board.side):
        raise ValueError(
            f"expected {config.players} tribes on a board of side {config.board.side}, "
            f"got {found[0]} on one of side {found[1]}"
        )
    return game


def unpacked(rows: Any) -> np.ndarray:
    """Returns `[T]` the tiles of a set, given as `[N]` rows of bits."""
    rows = np.asarray(rows)
    return ((rows[:, None] >> np.arange(len(rows), dtype=rows.dtype)) & 1).astype(bool).reshape(-1)


def in_order(mask: Any, order: Any) -> list[int]:
    """Returns the indices that a `[n]` mask selects, sorted by their `[n]` order numbers."""
    found = np.flatnonzero(mask)
    indices: list[int] = found[np.argsort(order[found])].tolist()
    return indices


def _units_of(game: TribesState, tribe: int, home: int) -> list[Tile]:
    units = game.units
    is_there = (units.kind != NO_UNIT) & (units.tribe == tribe) & (units.home == home)
    return in_order(is_there, units.joined)


def _cities_of(game: TribesState, tribe: int) -> list[int]:
    return in_order(game.cities.tribe == tribe, game.cities.joined)


def _unit_numbers(game: TribesState) -> dict[Tile, Number]:
    """Returns the number of the unit on each tile: by city, then the units without a city."""
    tiles: list[Tile] = []
    for tribe in range(len(game.tribes.tribe_ids)):
        for home in [*_cities_of(game, tribe), NO_CITY]:
            tiles += _units_of(game, tribe, home)
    return {tile: number for number, tile in enumerate(tiles, start=1)}


def _tribe(game: TribesState, tribe: int, numbers: dict[Tile, Number]) -> TribeRow:
    own, cities = jax.tree.map(lambda field: field[tribe], game.tribes), game.cities
    places = np.arange(len(cities.tile))
    return TribeRow(
        stars=int(own.stars),
        score=int(own.score),
        technologies=int(own.technologies),
        kills=int(own.kills),
        peace=int(own.peace),
        result=int(own.result),
        capital=int(cities.tile[np.argmax(cities.capital_of == tribe)]),
        monuments=own.monuments.tolist(),
        cities=cities.tile[_cities_of(game, tribe)].tolist(),
        connected=cities.tile[(int(own.connected) >> places & 1).astype(bool)].tolist(),
        units=[numbers[tile] for tile in _units_of(game, tribe, NO_CITY)],
        met=[other for other in range(len(game.tribes.tribe_ids)) if int(own.met) >> other & 1],
    )


def _city(game: TribesState, place: int, numbers: dict[Tile, Number]) -> CityRow:
    own, tiles = jax.tree.map(lambda field: field[place], game.cities), game.tiles
    buildings = []
    for tile in in_order((tiles.owner == place) & (tiles.building >= 0), tiles.built):
        kind = int(tiles.building[tile])
        growth = [int(tiles.temple_level[tile]), int(tiles.temple_countdown[tile])]
        buildings.append([tile, kind, *(growth if is_temple(kind) else [])])
    return CityRow(
        tribe=int(own.tribe),
        level=int(own.level),
        population=int(own.population),
        need=int(own.level) + 1,
        production=int(own.production),
        walls=int(own.walls),
        radius=int(own.radius),
        worth=int(own.worth),
        is_capital=int(own.capital_of != NOBODY),
        units=[numbers[tile] for tile in _units_of(game, int(own.tribe), place)],
        buildings=buildings,
    )


def is_temple(kind: int) -> bool:
    """Returns whether a building is a temple."""
    return FIRST_TEMPLE <= kind <= LAST_TEMPLE


def _unit(game: TribesState, tile: Tile, parameters: TribesParameters) -> UnitRow:
    own = jax.tree.map(lambda field: field[tile].item(), game.units)
    return UnitRow(
        tile=tile,
        kind=own.kind,
        tribe=own.tribe,
        hp=own.hp,
        max_hp=toughness(own.cargo, own.veteran, parameters),
        kills=own.kills,
        veteran=int(own.veteran),
        status=own.status,
        home=int(game.cities.tile[own.home]) if own.home != NO_CITY else NO_CITY,
        cargo=own.cargo if own.kind in WATER_UNITS else NO_UNIT,
    )


def toughness(cargo: int, veteran: bool, parameters: TribesParameters) -> int:
    """Returns the HP of an unharmed unit."""
    return int(parameters.unit_max_hp[cargo] + veteran * parameters.veteran_hp)


def _tiles(game: TribesState, numbers: dict[Tile, Number]) -> list[TileRow]:
    tiles = game.tiles
    owner = np.where(tiles.owner != NO_CITY, game.cities.tile[tiles.owner], NO_CITY)
    rows = zip(
        tiles.terrain.tolist(),
        tiles.resource.tolist(),
        tiles.building.tolist(),
        owner.tolist(),
        unpacked(tiles.network).astype(int).tolist(),
        [numbers.get(tile, 0) for tile in range(len(tiles.terrain))],
        strict=True,
    )
    return [TileRow(*row) for row in rows]
