"""The figures of the game in one table that a user may change: `make("tribes", parameters=...)`.

Source: the game's document, sections 3 to 10 and 13. The table is data, not structure: rules that
differ only in the table share one compiled program that takes `Tribes` as an argument.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Int32, UInt32

from jaxgames.internal.messages import unknown
from jaxgames.tribes.tables import rounding
from jaxgames.tribes.tables.units import WATER_UNITS

MAX_STRENGTH = 7  # of attack and defence
MAX_HP = 63  # of a veteran
MAX_TURNS = 120
MAX_PORT_REACH = 4
MAX_EXPLORER_STEPS = 15
MAX_POPULATION = 10  # that one sub-action or partner brings


def _usual(*values: int) -> Any:
    """Returns the default of a parameter, which `changed` makes an array."""
    return values[0] if len(values) == 1 else values


class TribesParameters(NamedTuple):
    """Prices, strengths and gains; arrays in the order of the kinds that they are named after."""

    unit_cost: Int32[Array, "12"] = _usual(2, 3, 3, 5, 3, 8, 8, 5, 0, 5, 15, 10)
    unit_attack: Int32[Array, "12"] = _usual(2, 2, 1, 3, 2, 4, 4, 0, 1, 2, 4, 5)
    unit_defence: Int32[Array, "12"] = _usual(2, 1, 3, 3, 1, 0, 1, 1, 1, 2, 3, 4)
    unit_movement: Int32[Array, "12"] = _usual(1, 2, 1, 1, 1, 1, 3, 1, 2, 3, 3, 1)
    unit_range: Int32[Array, "12"] = _usual(1, 1, 1, 1, 2, 3, 1, 1, 2, 2, 2, 1)
    # for water units, the value of the land unit aboard
    unit_max_hp: Int32[Array, "12"] = _usual(10, 10, 15, 15, 10, 10, 15, 10, 10, 10, 10, 40)
    unit_points: Int32[Array, "12"] = _usual(10, 15, 15, 25, 15, 40, 40, 25, 0, 0, 0, 50)
    veteran_hp: Int32[Array, ""] = _usual(5)
    veteran_kills: Int32[Array, ""] = _usual(3)
    heal_hp: Int32[Array, ""] = _usual(4)
    recover_hp: Int32[Array, ""] = _usual(2)
    recover_home_hp: Int32[Array, ""] = _usual(2)  # in own borders, on top

    building_cost: Int32[Array, "19"] = _usual(
        10, 5, 5, 5, 5, 5, 2, 5, 20, 20, 15, 20, 0, 0, 0, 0, 0, 0, 0
    )
    # of the building, or for each partner beside it
    building_bonus: Int32[Array, "19"] = _usual(
        2, 2, 2, 2, 1, 2, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3
    )
    temple_points: Int32[Array, "5"] = _usual(100, 50, 50, 50, 150)  # for reaching each level
    monument_points: Int32[Array, ""] = _usual(400)
    altar_turns: Int32[Array, ""] = _usual(5)
    tomb_stars: Int32[Array, ""] = _usual(100)
    gate_kills: Int32[Array, ""] = _usual(10)
    bazar_cities: Int32[Array, ""] = _usual(5)

    gather_cost: Int32[Array, ""] = _usual(2)  # whales are free
    gather_population: Int32[Array, ""] = _usual(1)
    whales_stars: Int32[Array, ""] = _usual(10)
    burn_cost: Int32[Array, ""] = _usual(5)
    clear_stars: Int32[Array, ""] = _usual(2)
    grow_cost: Int32[Array, ""] = _usual(5)
    road_cost: Int32[Array, ""] = _usual(2)
    port_reach: Int32[Array, ""] = _usual(4)  # steps over water that connect two ports

    technology_base_cost: Int32[Array, ""] = _usual(4)
    tier_points: Int32[Array, "3"] = _usual(100, 200, 300)
    # of philosophy: share paid; corrected: share not paid
    discount_percent: Int32[Array, ""] = _usual(20)

    first_stars: Int32[Array, ""] = _usual(5)
    capital_stars: Int32[Array, ""] = _usual(1)
    centre_points: Int32[Array, ""] = _usual(100)  # for the first city, and each village captured
    technology_points: Int32[Array, ""] = _usual(100)  # for the first technology
    border_points: Int32[Array, ""] = _usual(20)
    population_points: Int32[Array, ""] = _usual(5)
    view_points: Int32[Array, ""] = _usual(5)  # for each tile revealed in fog
    # by the level that a city leaves: 1, 2, 3, higher
    level_points: Int32[Array, "4"] = _usual(40, 35, 30, 25)
    park_points: Int32[Array, ""] = _usual(250)
    workshop_production: Int32[Array, ""] = _usual(1)
    level_stars: Int32[Array, ""] = _usual(5)
    level_population: Int32[Array, ""] = _usual(3)

    ruins_stars: Int32[Array, ""] = _usual(10)
    ruins_population: Int32[Array, ""] = _usual(3)
    explorer_steps: Int32[Array, ""] = _usual(15)
    turn_limit: Int32[Array, "2"] = _usual(50, 30)  # last tick of the modes Capitals and Score

    down_rounded: UInt32[Array, "keys"] = _usual()  # follows from the others, see `rounding.py`


_MOST = 1000
# What the state and the action numbers can hold: (lowest, highest).
_LIMITS = {
    "unit_attack": (0, MAX_STRENGTH),
    "unit_defence": (0, MAX_STRENGTH),
    "unit_movement": (1, 3),
    "unit_range": (1, 3),
    "unit_max_hp": (1, MAX_HP),
    "veteran_hp": (0, MAX_HP),
    "discount_percent": (0, 100),
    "building_bonus": (0, MAX_POPULATION),
    "gather_population": (0, MAX_POPULATION),
    "level_population": (0, MAX_POPULATION),
    "ruins_population": (0, MAX_POPULATION),
    "port_reach": (0, MAX_PORT_REACH),
    "explorer_steps": (0, MAX_EXPLORER_STEPS),
    "altar_turns": (1, _MOST),  # the count of turns is compared when it has grown
    "turn_limit": (1, MAX_TURNS),  # without oddities the limit is a turn less
}
_DEFAULT_LIMITS = (0, _MOST)
_VALUES: dict[str, Any] = dict(TribesParameters._field_defaults)
del _VALUES["down_rounded"]
NAMES = tuple(_VALUES)


def changed(changes: Mapping[str, Any]) -> TribesParameters:
    """Returns the table with some of its values replaced.

    Raises:
        ValueError: for an unknown name, a wrong length, or a value that the game cannot hold.
    """
    for name in changes:
        if name not in _VALUES:
            raise ValueError(unknown("parameter", str(name), NAMES))
    values: dict[str, Any] = {
        name: _checked(name, changes.get(name, value)) for name, value in _VALUES.items()
    }
    on_land = np.delete(values["unit_max_hp"], WATER_UNITS)
    highest = int(on_land.max() + values["veteran_hp"])
    if highest > MAX_HP:
        raise ValueError(
            f"unit_max_hp (of units on land) and veteran_hp must add up to {MAX_HP} at most, "
            f"got {highest}"
        )
    keys: Any = rounding.down_rounded(
        values["unit_attack"],
        values["unit_defence"],
        values["unit_max_hp"],
        int(values["veteran_hp"]),
    )
    return TribesParameters(**values, down_rounded=keys)


def _checked(name: str, value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    items = np.asarray(value, dtype=object).flat  # beside numbers, NumPy turns a bool into a number
    if array.dtype.kind not in "iu" or any(isinstance(item, bool | np.bool_) for item in items):
        raise ValueError(f"parameter {name} must be whole numbers, got {value!r}")
    shape = np.shape(_VALUES[name])
    if array.shape != shape:
        expected = f"{shape[0]} numbers" if shape else "one number"
        raise ValueError(f"parameter {name} must be {expected}, got {value!r}")
    lowest, highest = _LIMITS.get(name, _DEFAULT_LIMITS)
    wrong = np.flatnonzero((array < lowest) | (array > highest))
    if len(wrong):
        place = f"[{wrong[0]}]" if shape else ""
        raise ValueError(
            f"parameter {name}{place} must be {lowest} to {highest}, got {array.flat[wrong[0]]}"
        )
    return array.astype(np.int32)


DEFAULTS = changed({})


def changes(parameters: TribesParameters) -> dict[str, Any]:
    """Returns the values that differ from the defaults, as `changed` takes them.

    Traced values count as different and stay traced, since they are not known.
    """
    values = {name: getattr(parameters, name) for name in NAMES}
    return {
        name: value if isinstance(value, jax.core.Tracer) else np.asarray(value).tolist()
        for name, value in values.items()
        if isinstance(value, jax.core.Tracer) or not np.array_equal(value, getattr(DEFAULTS, name))
    }
