"""One unit, and what happens to units: they join, leave, change their form, die."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array

from jaxgames.batching.arrays import add_at, set_row
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


def unit_on(units: Units, tile: Number) -> Unit:
    """Returns the unit on a tile."""
    return Unit(
        *(
            getattr(units, name)[tile].astype(bool if name == "veteran" else jnp.int32)
            for name in Unit._fields
        )
    )


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


def rehome(state: TribesState, tile: Number, city: Number) -> TribesState:
    """Returns the state after the unit on a tile became the last in the list of a city."""
    before = state.units
    return state.replace(
        units=before.replace(
            home=set_row(before.home, tile, city),
            joined=set_row(before.joined, tile, state.counter),
        ),
        counter=state.counter + 1,
    )
