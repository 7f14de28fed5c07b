"""Checks of settings: each raises a `ValueError` that names the setting as on the command line."""

import dataclasses
import math
from typing import Any, TypeVar

from jaxgames.internal.messages import unknown

MOST = 2**31 - 1  # the greatest 32-bit integer
ConfigT = TypeVar("ConfigT")


def label(config: object, name: str) -> str:
    """Returns the field's name as on the command line: `learner.batch_size`."""
    is_whole = hasattr(config, "game")  # the settings of a program, not a group of them
    group = getattr(config, "GROUP", type(config).__name__.removesuffix("Config").lower())
    return name if is_whole else f"{group}.{name}"


def at_least(config: object, name: str, least: float) -> None:
    """Checks that a number is finite, at least `least`, and at most `MOST`."""
    value = getattr(config, name)
    _finite(config, name, value)
    if value < least:
        raise ValueError(f"{label(config, name)} must be at least {least}, got {value}")
    if value > MOST:
        raise ValueError(f"{label(config, name)} must be at most {MOST}, got {value}")


def positive(config: object, name: str) -> None:
    """Checks that a number is finite and above zero."""
    value = getattr(config, name)
    _finite(config, name, value)
    if value <= 0:
        raise ValueError(f"{label(config, name)} must be greater than 0, got {value}")


def _finite(config: object, name: str, value: float) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{label(config, name)} must be finite, got {value}")


def within(config: object, name: str, low: float, high: float) -> None:
    """Checks that a number is from `low` to `high`, both included."""
    value = getattr(config, name)
    if not low <= value <= high:
        raise ValueError(f"{label(config, name)} must be from {low} to {high}, got {value}")


def one_of(config: object, name: str, choices: tuple[str, ...]) -> None:
    """Checks that a text is one of `choices`."""
    value = getattr(config, name)
    if value not in choices:
        raise ValueError(f"{label(config, name)}: {unknown('value', value, choices)}")


def from_plain(kind: type[ConfigT], values: Any) -> ConfigT:
    """Returns the settings that a file describes; those that it lacks have their defaults.

    Args:
        kind: a dataclass whose fields are numbers and texts with defaults.
        values: what the file holds, of any type.

    Raises:
        ValueError: for anything but an object of known settings, each of its type.
    """
    if not isinstance(values, dict):
        raise ValueError(f"expected an object, got {values!r}")
    fields: Any = kind
    types = {field.name: type(field.default) for field in dataclasses.fields(fields)}
    for name, value in values.items():
        if name not in types:
            raise ValueError(unknown("setting", str(name), types))
        if type(value) is not types[name]:
            raise ValueError(f"{name} must be of type {types[name].__name__}, got {value!r}")
    return kind(**values)
