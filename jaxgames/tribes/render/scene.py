"""A position on the host, as the pictures need it: what is in sight, and what follows from it."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from jaxgames.internal.argument_checks import check_seat
from jaxgames.tribes.engine import grid, leveling, queries, research, turn
from jaxgames.tribes.engine.knowledge import determinize
from jaxgames.tribes.render import palette
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import NO_CITY, NO_TILE, NO_UNIT, NOBODY, Stage, TribesState
from jaxgames.tribes.tables.terrain import WATERS, Terrain
from jaxgames.tribes.tables.tribes import TITLES, Result, Tribe
from jaxgames.tribes.tables.units import Status, UnitKind
from jaxgames.tribes.text.commands import tile_name
from jaxgames.tribes.text.position_text import to_host


class SeenUnit(NamedTuple):
    """A unit in sight."""

    tile: int
    tribe: int
    kind: UnitKind
    cargo: UnitKind
    hp: int
    max_hp: int
    kills: int | None  # None: not known
    veteran: bool
    status: Status  # in the turn of its tribe; FRESH in other turns


class City(NamedTuple):
    """A city in sight; a fact that the seat does not know is None."""

    tile: int
    tribe: int
    level: int
    population: int | None
    units: int | None
    income: int | None
    walls: bool
    capital_of: int  # -1: of no tribe
    connected: bool


class _DerivedFacts(NamedTuple):
    """Facts that the rules derive from a position."""

    max_hp: Array  # [T]
    owner: Array  # [T] tribe
    units: Array  # [C] supported by each city
    incomes: Array  # [C]
    production: Array  # [P]
    growing: tuple[Array, Array]  # city that levels up, and whether there is one
    costs: Array  # [P, 3] of technologies


class Scene:
    """The contents of one picture: a position in full or as one seat knows it.

    Raises:
        ValueError: for a batch of games, a game of other rules, or a seat that does not exist.
    """

    def __init__(self, rules: Tribes, game: TribesState, seat: int | None = None) -> None:
        self.rules = rules
        whole = to_host(rules.config, game)
        players = len(whole.tribes.tribe_ids)
        if seat is not None:
            seat = int(check_seat(seat, players, "render"))
        self.seat = seat
        self.known = whole if seat is None else jax.device_get(_known(whole, jnp.int32(seat)))
        """The position as it is drawn."""
        self.identity = [*zip(whole.units.tribe.tolist(), whole.units.joined.tolist(), strict=True)]
        """`[T]` tribe and number of a unit, which it keeps while it moves."""
        self._facts = jax.device_get(_facts(rules, self.known))

    @property
    def side(self) -> int:
        """Rows of the board."""
        return len(self.known.tiles.network)

    @property
    def num_players(self) -> int:
        """Number of tribes."""
        return len(self.known.tribes.tribe_ids)

    @functools.cached_property
    def terrain(self) -> list[Terrain]:
        """`[T]` terrain of each tile."""
        return [Terrain(terrain) for terrain in self.known.tiles.terrain.tolist()]

    @functools.cached_property
    def owner(self) -> list[int]:
        """`[T]` tribe whose borders hold each tile, -1: none."""
        return self._facts.owner.tolist()

    @functools.cached_property
    def roads(self) -> list[bool]:
        """`[T]` whether there is a road."""
        no_road = {Terrain.CITY, *WATERS}
        pairs = zip(self._network, self.terrain, strict=True)
        return [linked and terrain not in no_road for linked, terrain in pairs]

    @functools.cached_property
    def _network(self) -> list[bool]:
        rows = self.known.tiles.network[:, None] >> np.arange(self.side, dtype=np.uint16)
        return (rows & 1).astype(bool).ravel().tolist()

    @functools.cached_property
    def units(self) -> dict[int, SeenUnit]:
        """Units by their tile."""
        occupied = np.flatnonzero(self.known.units.kind != NO_UNIT).tolist()
        return {tile: self._unit(tile) for tile in occupied}

    def _unit(self, tile: int) -> SeenUnit:
        units = self.known.units
        tribe = int(units.tribe[tile])
        acts = tribe == self.active and not self.known.over
        return SeenUnit(
            tile=tile,
            tribe=tribe,
            kind=UnitKind(int(units.kind[tile])),
            cargo=UnitKind(int(units.cargo[tile])),
            hp=int(units.hp[tile]),
            max_hp=int(self._facts.max_hp[tile]),
            kills=int(units.kills[tile]) if self.knows(tribe) else None,
            veteran=bool(units.veteran[tile]),
            status=Status(int(units.status[tile])) if acts else Status.FRESH,
        )

    @functools.cached_property
    def cities(self) -> dict[int, City]:
        """Cities in sight by the tile of their centre."""
        cities = self.known.cities
        drawn = np.flatnonzero((cities.tribe != NOBODY) & (cities.tile != NO_TILE)).tolist()
        return {int(cities.tile[place]): self._city(place) for place in drawn}

    def _city(self, place: int) -> City:
        cities, found = self.known.cities, self._facts
        tribe = int(cities.tribe[place])
        is_known = self.knows(tribe)
        connected = int(self.known.tribes.connected[tribe])
        return City(
            tile=int(cities.tile[place]),
            tribe=tribe,
            level=int(cities.level[place]),
            population=int(cities.population[place]) if is_known else None,
            units=int(found.units[place]) if is_known else None,
            income=int(found.incomes[place]) if is_known else None,
            walls=bool(cities.walls[place]),
            capital_of=int(cities.capital_of[place]),
            connected=bool(connected >> place & 1),
        )

    @property
    def growing(self) -> int | None:
        """The tile of the city of the tribe to move that must level up, or None."""
        place, is_due = self._facts.growing
        return int(self.known.cities.tile[place]) if is_due else None

    @property
    def active(self) -> int:
        """The tribe whose turn it is."""
        return int(self.known.active)

    @property
    def selected(self) -> int | None:
        """The tile that has been chosen."""
        return int(self.known.selected) if self.known.phase == Stage.SUB_ACTION else None

    def knows(self, tribe: int) -> bool:
        """Returns whether the hidden facts of a tribe are drawn."""
        return self.seat is None or tribe == self.seat

    def name(self, tribe: int) -> str:
        """Returns the name of a tribe."""
        return TITLES[Tribe(int(self.known.tribes.tribe_ids[tribe]))]

    def shades(self, tribe: int) -> palette.TribeShades:
        """Returns the colours of a tribe."""
        return palette.SHADES[Tribe(int(self.known.tribes.tribe_ids[tribe]))]

    def production(self, tribe: int) -> int:
        """Returns the stars that the cities of a tribe bring in a turn, sieges ignored."""
        return int(self._facts.production[tribe])

    def costs(self, tribe: int) -> list[int]:
        """Returns the price of a technology of each tier for a tribe."""
        return self._facts.costs[tribe].tolist()

    def has_lost(self, tribe: int) -> bool:
        """Returns whether a tribe is out of the game."""
        return int(self.known.tribes.result[tribe]) == Result.LOSS

    def tile_name(self, tile: int) -> str:
        """Returns the name of a tile as in the notation."""
        return tile_name(tile, self.side)

    def sees(self, tile: int) -> bool:
        """Returns whether a tile is outside the fog."""
        return self.terrain[tile] != Terrain.FOG

    def neighbours(self, tile: int) -> list[int]:
        """Returns the up to eight tiles around a tile."""
        table = grid.board_of(self.side).neighbours[tile]
        return [int(other) for other in table if other >= 0]


@jax.jit
def _known(game: TribesState, seat: Array) -> TribesState:
    return determinize(game, seat)


@jax.jit
def _facts(rules: Tribes, game: TribesState) -> _DerivedFacts:
    chosen = rules.config
    cities, tiles = game.cities, game.tiles
    tribes = jnp.arange(len(game.tribes.tribe_ids))
    return _DerivedFacts(
        max_hp=queries.max_hp(game.units, chosen.p),
        owner=jnp.where(tiles.owner == NO_CITY, NOBODY, cities.tribe[tiles.owner]),
        units=queries.units_at_home(game),
        incomes=turn.incomes(chosen, game),
        production=jax.vmap(lambda tribe: turn.production(chosen, game, tribe))(tribes),
        growing=leveling.city_to_level(game),
        costs=jax.vmap(lambda tribe: research.costs(chosen, game, tribe))(tribes),
    )
