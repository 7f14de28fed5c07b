"""What all parts of the rules share: the options of a game, and simple facts of a state."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.tribes.engine.board import Board
from jaxgames.tribes.state import NO_CITY, NOBODY, Cities, Tiles, TribesState, Units
from jaxgames.tribes.tables.parameters import Parameters
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import ENTERED_WITH, NUM_TERRAINS, Terrain
from jaxgames.tribes.tables.units import WATER_UNITS

Number = Int32[Array, ""]
Condition = Bool[Array, ""]


class Setting(NamedTuple):
    """The options of a game."""

    board: Board
    players: int
    by_score: bool  # the mode Score instead of Capitals
    fog: bool
    clean: bool  # the corrected rules
    terrain_defence: bool
    p: Parameters

    @property
    def last_tick(self) -> Number:
        """Returns the last tick that is played; the first is 0, so the reference plays one more."""
        return jnp.asarray(self.p.turn_limit)[int(self.by_score)] - int(self.clean)


def put(array: Array, index: Number, value: Any, when: Any = True) -> Array:
    """Returns `array` with one row replaced, if `when`: by a select, without a scatter."""
    chosen = (jnp.arange(array.shape[0]) == index) & when
    chosen = chosen.reshape(chosen.shape + (1,) * (array.ndim - 1))
    return jnp.where(chosen, jnp.asarray(value).astype(array.dtype), array)


def add(array: Array, index: Number, amount: Any, when: Any = True) -> Array:
    """Returns `array` with `amount` added to one entry, if `when`."""
    chosen = (jnp.arange(array.shape[0]) == index) & when
    return array + jnp.where(chosen, jnp.asarray(amount), 0).astype(array.dtype)


def integer(array: Array, index: Number) -> Number:
    """Returns one entry as `int32`."""
    return array[index].astype(jnp.int32)


def bit(word: UInt32[Array, "*any"], number: Any) -> Bool[Array, "*any"]:
    """Returns whether bits are set, for numbers 0 to 31."""
    return ((word >> jnp.asarray(number).astype(jnp.uint32)) & 1).astype(bool)


def bits_of(mask: Bool[Array, "*any n"]) -> UInt32[Array, "*any"]:
    """Returns up to 32 booleans as the bits of a word."""
    weights = np.uint32(1) << np.arange(mask.shape[-1], dtype=np.uint32)
    return jnp.where(mask, weights, jnp.uint32(0)).sum(axis=-1, dtype=jnp.uint32)


def knows(state: TribesState, tribe: Number, technology: Technology) -> Condition:
    """Returns whether a tribe knows a technology."""
    return bit(state.tribes.technologies[tribe], int(technology))


def cities_of(cities: Cities, tribe: Number) -> UInt32[Array, ""]:
    """Returns the places of a tribe's cities as bits."""
    return bits_of(cities.tribe == tribe)


def tiles_of(tiles: Tiles, places: UInt32[Array, ""]) -> Bool[Array, "T"]:
    """Returns the tiles inside the borders of cities that are given as bits."""
    # Place 31 is never used: it stands for none.
    return bit(places, jnp.where(tiles.owner == NO_CITY, 31, tiles.owner))


def city_on(cities: Cities, tile: Number) -> Number:
    """Returns the place of the city or village whose centre is a tile."""
    return jnp.argmax(cities.tile == tile).astype(jnp.int32)


def first_joined(cities: Cities, among: Bool[Array, "C"]) -> Number:
    """Returns the place of the city that comes first in its tribe's list, of some."""
    order = jnp.where(among, cities.joined.astype(jnp.int32), jnp.iinfo(jnp.int32).max)
    return jnp.argmin(order).astype(jnp.int32)


def owner_tribe(state: TribesState, tile: Number) -> Number:
    """Returns the tribe whose borders hold a tile, or `NOBODY`."""
    place = integer(state.tiles.owner, tile)
    return jnp.where(place == NO_CITY, NOBODY, integer(state.cities.tribe, place))


def capital(cities: Cities, tribe: Number) -> tuple[Number, Condition]:
    """Returns the place of a tribe's first city, and whether the tribe owns it."""
    place = jnp.argmax(cities.capital_of == tribe).astype(jnp.int32)
    return place, cities.tribe[place] == tribe


def is_water(terrain: Array) -> Array:
    """Returns whether terrain is water."""
    return (terrain == Terrain.SHALLOW_WATER) | (terrain == Terrain.DEEP_WATER)


def is_water_unit(kind: Array) -> Array:
    """Returns whether units are boats, ships or battleships."""
    return (kind >= WATER_UNITS[0]) & (kind <= WATER_UNITS[-1])


def enterable(technologies: UInt32[Array, ""]) -> UInt32[Array, ""]:
    """Returns the terrains, as bits, that those who know these technologies may enter."""
    terrains = jnp.uint32((1 << NUM_TERRAINS) - 1)
    for terrain, technology in ENTERED_WITH.items():
        is_known = bit(technologies, int(technology))
        terrains &= ~jnp.where(is_known, jnp.uint32(0), jnp.uint32(1 << terrain))
    return terrains


def can_enter(technologies: UInt32[Array, ""], terrain: Array) -> Array:
    """Returns whether terrain may be entered by those who know these technologies."""
    return bit(enterable(technologies), terrain)


def max_hp(units: Units, p: Parameters) -> Int32[Array, "T"]:
    """Returns the HP of unharmed units."""
    base = jnp.asarray(p.unit_max_hp)[jnp.maximum(units.cargo, 0).astype(jnp.int32)]
    return base + jnp.where(units.veteran, p.veteran_hp, 0)


def units_at_home(state: TribesState) -> Int32[Array, "C"]:
    """Returns the number of units that each city supports."""
    places = jnp.arange(state.cities.tile.shape[0])
    is_there = (state.units.home == places[:, None]) & (state.units.kind >= 0)
    return is_there.sum(axis=1)


def capacity(cities: Cities) -> Int32[Array, "C"]:
    """Returns the number of units that each city can support when one is added."""
    return cities.level.astype(jnp.int32) + 1


def needed_population(cities: Cities) -> Int32[Array, "C"]:
    """Returns the population at which each city levels up."""
    return cities.level.astype(jnp.int32) + 1
