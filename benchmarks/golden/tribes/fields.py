"""Compares positions of Tribes, many at once; positions that differ only in labels are equal.

Order numbers are labels: only their order matters.
"""

import dataclasses
from typing import Any

import numpy as np

from jaxgames.tribes.state import NOBODY, TribesState

PARTS = ("tiles", "units", "cities", "tribes")
# Fields that number the members of lists.
_LABELS = ("tiles.built", "units.joined", "cities.joined", "counter")
_LIST = 1 << 16  # above all order numbers


def fields_of(states: TribesState) -> dict[str, np.ndarray]:
    """Returns the fields of positions by name, with orders instead of labels; any leading axes."""
    fields = {}
    for own in dataclasses.fields(states):
        value = getattr(states, own.name)
        if own.name in PARTS:
            for inner in dataclasses.fields(value):
                fields[f"{own.name}.{inner.name}"] = np.asarray(getattr(value, inner.name))
        else:
            fields[own.name] = np.asarray(value)
    tiles, units, cities = states.tiles, states.units, states.cities
    places = cities.tile.shape[-1]
    of_tribe = np.where(units.home >= 0, units.home, units.tribe.astype(np.int32) + places)
    fields["order of buildings"] = _order(tiles.building >= 0, tiles.owner, tiles.built)
    fields["order of units"] = _order(units.kind >= 0, of_tribe, units.joined)
    fields["order of cities"] = _order(cities.tribe != NOBODY, cities.tribe, cities.joined)
    for name in _LABELS:
        del fields[name]
    return fields


def _order(is_there: Any, group: Any, number: Any) -> np.ndarray:
    """Returns the indices of all lists, list by list in their order; then those in no list."""
    key = np.where(is_there, np.asarray(group, np.int32) * _LIST + number, np.iinfo(np.int32).max)
    return np.argsort(key, axis=-1, kind="stable")


def unequal(expected: TribesState, actual: TribesState) -> np.ndarray:
    """Returns the mask of the positions along the first axis that differ."""
    pairs = zip(fields_of(expected).values(), fields_of(actual).values(), strict=True)
    return np.any([(a != b).reshape(len(a), -1).any(axis=1) for a, b in pairs], axis=0)
