"""Compares positions of Tribes, many at once; positions that differ only in labels are equal.

Order numbers are labels: only their order matters.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.golden.core.records import Difference
from jaxgames.tribes.state import NOBODY, TribesState

PARTS = ("tiles", "units", "cities", "tribes")
# Fields that number the members of lists.
_LABELS = ("tiles.built", "units.joined", "cities.joined", "counter")
_LIST = 1 << 16  # above all order numbers
_SETS = ("tiles.network", "tribes.visible")  # tiles as rows of bits
_MAX_SHOWN = 6


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


def differences(expected: TribesState, actual: TribesState) -> Iterator[Difference]:
    """Yields the fields in which two positions differ."""
    pairs = zip(fields_of(expected).items(), fields_of(actual).values(), strict=True)
    for (name, left), right in pairs:
        if np.array_equal(left, right):
            continue
        if name in _SETS:
            left, right = _unpacked(left), _unpacked(right)
        sides = str(left.tolist()), str(right.tolist())
        if left.ndim and not name.startswith("order"):
            where = np.argwhere(left != right)[:_MAX_SHOWN].tolist()
            sides = _entries(left, where), _entries(right, where)
        yield Difference(name, name, *sides)


def _entries(values: np.ndarray, where: list[list[int]]) -> str:
    return ", ".join(f"{index} {values[tuple(index)]}" for index in where)


def _unpacked(rows: np.ndarray) -> np.ndarray:
    """Returns sets of tiles as masks."""
    side = rows.shape[-1]
    bits = (rows[..., None] >> np.arange(side, dtype=rows.dtype)) & 1
    return bits.reshape(*rows.shape[:-1], side * side)
