"""One unit, and what happens to units: they join, leave, change their form, die."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, UInt32

from jaxgames.batching.arrays import add_at, set_row
from jaxgames.boards import bits
from jaxgames.internal import device_kind
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.state import NO_UNIT, NOBODY, TribesState, Units
from jaxgames.tribes.tables.units import Status, UnitKind


class Unit(NamedTuple):
    """One unit, with the fields of `Units`."""

    kind: Number
    cargo: Number
    tribe: Number
    hp: Number
    kills: Number
    veteran: Condition
    status: Number
    home: Number
    joined: Number


_FIRST_WORD, _SECOND_WORD = ("kind", "cargo", "tribe", "hp"), ("kills", "veteran", "status", "home")
_BYTE = 0xFF


def unit_on(units: Units, tile: Number) -> Unit:
    """Returns the unit on a tile."""
    # Fields that share a word are read at once: a lookup costs more than to take a word apart.
    first, second = (_packed(units, names)[tile] for names in (_FIRST_WORD, _SECOND_WORD))
    return _unpacked(first, second, units.joined[tile].astype(jnp.int32))


def computed_once(unit: Unit) -> Unit:
    """Returns a unit as the state holds it, computed before its fields are used.

    See `bits.computed_once`: it has no effect on an accelerator.
    """
    if not device_kind.is_cpu():
        return unit
    first, second = (_packed(unit, names) for names in (_FIRST_WORD, _SECOND_WORD))
    return _unpacked(*map(bits.computed_once, (first, second, unit.joined)))


def _packed(units: Units | Unit, names: tuple[str, ...]) -> UInt32[Array, "*any"]:
    """Returns four fields of a byte each as the bytes of words, the first one the lowest."""
    fields = [getattr(units, name).astype(jnp.uint32) & _BYTE for name in names]
    return fields[0] | fields[1] << 8 | fields[2] << 16 | fields[3] << 24


def _unpacked(first: UInt32[Array, ""], second: UInt32[Array, ""], joined: Number) -> Unit:
    fields = {name: _byte(first, place) for place, name in enumerate(_FIRST_WORD)}
    fields |= {name: _byte(second, place) for place, name in enumerate(_SECOND_WORD)}
    kills, veteran = fields["kills"] & _BYTE, fields["veteran"] != 0
    return Unit(**fields | {"kills": kills, "veteran": veteran}, joined=joined)


def _byte(word: UInt32[Array, ""], place: int) -> Number:
    """Returns a byte of a word with its sign."""
    return (word << (24 - 8 * place)).astype(jnp.int32) >> 24


def place(units: Units, tile: Number, unit: Unit, when: Condition | bool = True) -> Units:
    """Returns the units with `unit` put on a tile, if `when`."""
    here = (jnp.arange(units.kind.shape[0]) == tile) & when

    def written(name: str, value: Array) -> Array:
        before = getattr(units, name)
        return jax.lax.select(here, jnp.full_like(before, value), before)

    return Units(**{name: written(name, value) for name, value in unit._asdict().items()})


def no_unit() -> Unit:
    """Returns the values for an empty tile."""
    zero = jnp.int32(0)
    return Unit(
        kind=jnp.int32(NO_UNIT),
        cargo=zero,
        tribe=jnp.int32(NOBODY),
        hp=zero,
        kills=zero,
        veteran=jnp.bool_(False),
        status=zero,
        home=zero,
        joined=zero,
    )


def remove(units: Units, tile: Number, when: Condition | bool = True) -> Units:
    """Returns the units without the unit on a tile, if `when`."""
    return place(units, tile, no_unit(), when)


def recruit(
    config: GameConfig, kind: Number | int, tribe: Number, home: Number, joined: Number
) -> Unit:
    """Returns a new unit, which may not act before its tribe's next turn."""
    kind = jnp.asarray(kind, jnp.int32)
    zero = jnp.int32(0)
    return Unit(
        kind=kind,
        cargo=kind,
        tribe=tribe,
        hp=jnp.asarray(config.p.unit_max_hp)[kind],
        kills=zero,
        veteran=jnp.bool_(False),
        status=jnp.int32(Status.FINISHED),
        home=home,
        joined=joined,
    )


def toughness(config: GameConfig, unit: Unit) -> Number:
    """Returns the HP of the unit when unharmed."""
    base = jnp.asarray(config.p.unit_max_hp)[unit.cargo]
    return base + jnp.where(unit.veteran, config.p.veteran_hp, 0)


def embarked(unit: Unit, joined: Number) -> Unit:
    """Returns a land unit aboard a new boat, last in the list of its city."""
    return unit._replace(
        kind=jnp.int32(UnitKind.BOAT), status=jnp.int32(Status.FINISHED), joined=joined
    )


def disembarked(unit: Unit, joined: Number) -> Unit:
    """Returns the land unit that leaves a water unit, last in the list of its city."""
    return unit._replace(kind=unit.cargo, status=jnp.int32(Status.FINISHED), joined=joined)


def kill(
    config: GameConfig, state: TribesState, tile: Number, when: Condition | bool = True
) -> TribesState:
    """Returns the state after the unit on a tile died, if `when`; its tribe loses its points."""
    unit = unit_on(state.units, tile)
    points = jnp.asarray(config.p.unit_points)[jnp.maximum(unit.kind, 0)]
    tribes = state.tribes
    return state.replace(
        units=remove(state.units, tile, when),
        tribes=tribes.replace(score=add_at(tribes.score, unit.tribe, -points, when)),
    )


def last_at_home(units: Units, city: Number) -> Number:
    """Returns the tile of the unit that joined a city last; any tile if the city has no units."""
    is_there = (units.home == city) & (units.kind >= 0)
    order = jnp.where(is_there, units.joined.astype(jnp.int32), -1)
    return jnp.argmax(order).astype(jnp.int32)


def rehome(
    state: TribesState, tile: Number, city: Number, when: Condition | bool = True
) -> TribesState:
    """Returns the state after the unit on a tile became the last in the list of a city, if `when`.

    `NO_CITY` has such a list as well.
    """
    before = state.units
    return state.replace(
        units=before.replace(
            home=set_row(before.home, tile, city, when),
            joined=set_row(before.joined, tile, state.counter, when),
        ),
        counter=state.counter + jnp.asarray(when),
    )
