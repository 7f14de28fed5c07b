"""The state of a game as a seat knows it: unknown facts are left out.

The reference gives its players a copy of the game with the following omissions, even if the whole
board is in sight (sections 14.2 and 18.1 of the game's document):

- Other tribes have no stars, technologies, kills, monuments or connected cities. They see
  everything.
- Their cities have no population, no production and no units. Their units have no kills and no
  home.
- The worth of every city is 0.
- A resource that only shows with a technology is left out if the seat lacks the technology.
- Tiles that were never revealed are fog, without owner, building and unit.

Where the document leaves a case open:

- A city whose centre is in the fog has no tile. If some of its territory is in sight, its tribe is
  known. Otherwise the city is left out, like an unused slot. Its unknown facts are as in a new
  city.
- `capital_of` is kept for every city, since the game ends with the last capital.
- City slots and order numbers are kept. Slots follow the board in reading order, and order numbers
  count the units and buildings of all tribes, so both tell something about the fog. No observation
  shows them.
- Every other tribe that has not lost holds a city: its capital, if the seat does not know that
  city, or else a free slot. Without a city, the rules would take the tribe for beaten.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32

from jaxgames.boards import bits
from jaxgames.tribes.engine.grid import board_of, unpack
from jaxgames.tribes.state import (
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
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.terrain import NUM_RESOURCES, SEEN_WITH, Resource, Terrain
from jaxgames.tribes.tables.tribes import Result

# Technologies, as bits, without which a resource does not show.
_SEEN_WITH = np.zeros(NUM_RESOURCES, np.uint32)
_SEEN_WITH[list(SEEN_WITH)] = [1 << technology for technology in SEEN_WITH.values()]
_FIRST_LEVEL, _FIRST_RADIUS = 1, 1  # of a city


def determinize(state: TribesState, seat: Int32[Array, ""]) -> TribesState:
    """Returns the state as a seat knows it.

    The choice of a tile that another seat has just made is taken back.
    """
    board = board_of(state.tiles.network.shape[0])
    sight = unpack(board, state.tribes.visible[seat])
    acts = state.active == seat
    return state.replace(
        tiles=_tiles(state, seat, sight),
        units=_units(state.units, seat, sight),
        cities=_cities(state, seat, sight),
        tribes=_tribes(state.tribes, seat, board.side),
        phase=_only(acts, state.phase, Stage.SOURCE),
        selected=_only(acts, state.selected),
    )


def _only(mask: Bool[Array, "..."], values: Array, otherwise: int = 0) -> Array:
    """Returns the values where the mask is true, else `otherwise`, in the type of the values."""
    mask = mask.reshape(mask.shape + (1,) * (values.ndim - mask.ndim))
    return jnp.where(mask, values, jnp.asarray(otherwise, values.dtype))


def _tiles(state: TribesState, seat: Int32[Array, ""], sight: Bool[Array, "T"]) -> Tiles:
    tiles, mine = state.tiles, state.tribes.technologies[seat]
    needed = jnp.asarray(_SEEN_WITH)[tiles.resource]  # -1, none, reads the last, which shows
    return Tiles(
        terrain=_only(sight, tiles.terrain, Terrain.FOG),
        resource=_only(sight & (mine & needed == needed), tiles.resource, Resource.NONE),
        building=_only(sight, tiles.building, BuildingKind.NONE),
        built=_only(sight, tiles.built),
        temple_level=_only(sight, tiles.temple_level),
        temple_countdown=_only(sight, tiles.temple_countdown),
        owner=_only(sight, tiles.owner, NO_CITY),
        network=tiles.network & state.tribes.visible[seat],
    )


def _units(units: Units, seat: Int32[Array, ""], sight: Bool[Array, "T"]) -> Units:
    mine = sight & (units.tribe == seat)
    theirs = sight & ~mine & (units.kind != NO_UNIT)
    return Units(
        kind=_only(sight, units.kind, NO_UNIT),
        cargo=_only(sight, units.cargo),
        tribe=_only(sight, units.tribe, NOBODY),
        hp=_only(sight, units.hp),
        kills=_only(mine, units.kills),
        veteran=_only(sight, units.veteran),
        status=_only(sight, units.status),
        home=jnp.where(theirs, jnp.int8(NO_CITY), _only(mine, units.home)),
        joined=_only(mine, units.joined),
    )


def _cities(state: TribesState, seat: Int32[Array, ""], sight: Bool[Array, "T"]) -> Cities:
    cities, city_slots = state.cities, jnp.arange(state.cities.tile.shape[0])
    mine = cities.tribe == seat
    in_sight = mine | ((cities.tile != NO_TILE) & sight[cities.tile])
    borders = (state.tiles.owner == city_slots[:, None]) & sight
    known = bits.computed_once((in_sight | borders.any(axis=1)).astype(jnp.uint8)).astype(bool)
    tribe = _only(known, cities.tribe, NOBODY)
    return Cities(
        tile=_only(in_sight, cities.tile, NO_TILE),
        tribe=_with_hidden_cities(state, seat, tribe, known),
        level=_only(in_sight, cities.level, _FIRST_LEVEL),
        population=_only(mine, cities.population),
        production=_only(mine, cities.production),
        walls=_only(in_sight, cities.walls),
        radius=_only(in_sight, cities.radius, _FIRST_RADIUS),
        capital_of=cities.capital_of,
        worth=jnp.zeros_like(cities.worth),
        joined=_only(known, cities.joined),
    )


def _with_hidden_cities(
    state: TribesState, seat: Int32[Array, ""], tribe: Int8[Array, "C"], known: Bool[Array, "C"]
) -> Int8[Array, "C"]:
    """Returns the tribe of each city; each other tribe that has not lost gets at least one city."""
    capital_of, numbers = state.cities.capital_of, jnp.arange(state.tribes.result.shape[0])
    others = (state.tribes.result == Result.PLAYING) & (numbers != seat)
    is_held = (capital_of != NOBODY) & others[capital_of]
    tribe = jnp.where(~known & is_held, capital_of, tribe)
    without = others & ~(tribe[:, None] == numbers).any(axis=0)
    # The n-th of these tribes gets the n-th free slot.
    free = ~known & (tribe == NOBODY)
    matches = (jnp.cumsum(free)[:, None] == jnp.cumsum(without)) & free[:, None] & without
    found = jnp.argmax(matches, axis=1).astype(tribe.dtype)
    return bits.computed_once(jnp.where(matches.any(axis=1), found, tribe))


def _tribes(tribes: TribeStates, seat: Int32[Array, ""], side: int) -> TribeStates:
    mine = jnp.arange(tribes.tribe_ids.shape[0]) == seat
    return tribes.replace(
        stars=_only(mine, tribes.stars),
        technologies=_only(mine, tribes.technologies),
        kills=_only(mine, tribes.kills),
        peace=_only(mine, tribes.peace),
        monuments=_only(mine, tribes.monuments),
        connected=_only(mine, tribes.connected),
        met=_only(mine, tribes.met),
        visible=_only(mine, tribes.visible, (1 << side) - 1),
    )
