"""Questions about a state that many rules ask: who owns a tile, which city stands there."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.batching.arrays import as_bits, as_int, has_bit
from jaxgames.tribes.engine.config import Condition, Number
from jaxgames.tribes.state import NO_CITY, NOBODY, Cities, Tiles, TribesState, Units
from jaxgames.tribes.tables.parameters import TribesParameters
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import ENTERED_WITH, NUM_TERRAINS, Terrain
from jaxgames.tribes.tables.units import WATER_UNITS


def knows(state: TribesState, tribe: Number, technology: Technology) -> Condition:
    """Returns whether a tribe knows a technology."""
    return has_bit(state.tribes.technologies[tribe], int(technology))


def cities_of(cities: Cities, tribe: Number) -> UInt32[Array, ""]:
    """Returns the slots of a tribe's cities as bits."""
    return as_bits(cities.tribe == tribe)


def tiles_of(tiles: Tiles, city_slots: UInt32[Array, ""]) -> Bool[Array, "T"]:
    """Returns the tiles inside the borders of the cities whose slots are given as bits."""
    # Slot 31 is never used: here it stands for no city.
    return has_bit(city_slots, jnp.where(tiles.owner == NO_CITY, 31, tiles.owner))


def city_on(cities: Cities, tile: Number) -> Number:
    """Returns the slot of the city or village whose centre is a tile."""
    return jnp.argmax(cities.tile == tile).astype(jnp.int32)


def first_joined(cities: Cities, among: Bool[Array, "C"]) -> Number:
    """Returns the slot of the city in `among` that comes first in its tribe's list."""
    order = jnp.where(among, cities.joined.astype(jnp.int32), jnp.iinfo(jnp.int32).max)
    return jnp.argmin(order).astype(jnp.int32)


def owner_tribe(state: TribesState, tile: Number) -> Number:
    """Returns the tribe whose borders hold a tile, or `NOBODY`."""
    city_slot = as_int(state.tiles.owner, tile)
    return jnp.where(city_slot == NO_CITY, NOBODY, as_int(state.cities.tribe, city_slot))


def capital(cities: Cities, tribe: Number) -> tuple[Number, Condition]:
    """Returns the slot of a tribe's first city, and whether the tribe owns it."""
    city_slot = jnp.argmax(cities.capital_of == tribe).astype(jnp.int32)
    return city_slot, cities.tribe[city_slot] == tribe


def is_water(terrain: Array) -> Array:
    """Returns whether terrain is water."""
    return (terrain == Terrain.SHALLOW_WATER) | (terrain == Terrain.DEEP_WATER)


def is_water_unit(kind: Array) -> Array:
    """Returns whether units are boats, ships or battleships."""
    return (kind >= WATER_UNITS[0]) & (kind <= WATER_UNITS[-1])


def enterable(technologies: UInt32[Array, ""]) -> UInt32[Array, ""]:
    """Returns the terrains, as bits, that a tribe with these technologies may enter."""
    terrains = jnp.uint32((1 << NUM_TERRAINS) - 1)
    for terrain, technology in ENTERED_WITH.items():
        is_known = has_bit(technologies, int(technology))
        terrains &= ~jnp.where(is_known, jnp.uint32(0), jnp.uint32(1 << terrain))
    return terrains


def can_enter(technologies: UInt32[Array, ""], terrain: Array) -> Array:
    """Returns whether a tribe with these technologies may enter a terrain."""
    return has_bit(enterable(technologies), terrain)


def max_hp(units: Units, p: TribesParameters) -> Int32[Array, "T"]:
    """Returns the HP of unharmed units."""
    base = jnp.asarray(p.unit_max_hp)[jnp.maximum(units.cargo, 0).astype(jnp.int32)]
    return base + jnp.where(units.veteran, p.veteran_hp, 0)


def units_at_home(state: TribesState) -> Int32[Array, "C"]:
    """Returns the number of units that each city supports."""
    city_slots = jnp.arange(state.cities.tile.shape[0])
    is_there = (state.units.home == city_slots[:, None]) & (state.units.kind >= 0)
    return is_there.sum(axis=1)


def capacity(cities: Cities) -> Int32[Array, "C"]:
    """Returns the number of units that each city can support when one is added."""
    return cities.level.astype(jnp.int32) + 1


def needed_population(cities: Cities) -> Int32[Array, "C"]:
    """Returns the population at which each city levels up."""
    return cities.level.astype(jnp.int32) + 1
