"""Checks of settings, options and JSON documents; each raises a `ValueError`.

The error names the setting as on the command line, or the place in the document; then the value and
what was expected. Nothing here needs JAX, so that `--help` of a command is instant.
"""

import collections
import dataclasses
import difflib
import json
import math
import operator
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from jaxgames.internal import texts
from jaxgames.internal.messages import unknown

MOST = 2**31 - 1  # the greatest 32-bit integer
MOST_COUNT = 2**24  # 32-bit floats, in which visits and games are averaged, count no further
LEAST_TEMPERATURE = 1e-3  # logits divided by much less leave the range of 32-bit floats
Document = dict[str, Any]
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
    _limited(label(config, name), value, least, MOST)


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


def count(name: str, value: int) -> None:
    """Checks a number of simulations, games or the like."""
    _limited(name, value, 1, MOST_COUNT)


def _limited(name: str, value: float, least: float, most: float) -> None:
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    if value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}")


def weight(name: str, value: float) -> None:
    """Checks a weight: a finite number that is not negative."""
    if not value >= 0:
        raise ValueError(f"{name} must be at least 0, got {value}")
    if value == math.inf:
        raise ValueError(f"{name} must be finite, got {value}")


def temperature(value: float) -> None:
    """Checks a temperature: 0 takes the greatest share, 1 draws in proportion to the shares."""
    if value != 0 and not LEAST_TEMPERATURE <= value < math.inf:
        raise ValueError(f"temperature must be 0 or at least {LEAST_TEMPERATURE}, got {value}")


def action_number(action: int) -> int:
    """Returns the number of an action as `int`; a `ValueError` if it is no whole number."""
    try:
        return operator.index(action)
    except (AttributeError, TypeError):
        raise ValueError(f"expected the number of an action, got {action!r}") from None


def text(value: Any, place: str = "") -> str:
    """Returns a value that is a text; a `ValueError` that names its place in a document if not."""
    if not isinstance(value, str):
        raise ValueError(f"{place}{': ' if place else ''}expected a text, got {value!r}"[:400])
    return value


def parsed(text: str, place: str = "position") -> Any:
    """Returns the document that a text in JSON holds.

    Args:
        text: the text.
        place: name of the document in errors.

    Raises:
        ValueError: if it is not JSON, nested deeper than any position, or has a key twice.
    """
    repeated: list[str] = []

    def unique_keys(pairs: list[tuple[str, Any]]) -> Document:
        counts = collections.Counter(name for name, _ in pairs)
        repeated.extend(name for name, count in counts.items() if count > 1)
        return dict(pairs)

    if not isinstance(text, str):
        raise ValueError(f"{place}: expected text, got {text!r}")
    try:
        document = json.loads(texts.plain(text), object_pairs_hook=unique_keys)
    except ValueError as error:
        raise ValueError(f"{place}: not JSON ({error})") from error
    except RecursionError:
        raise ValueError(f"{place}: nested too deeply to be read") from None
    if repeated:
        raise ValueError(f"{place}: key {repeated[0]!r} stands twice in one object")
    return document


def switches(options: Any, names: Collection[str]) -> None:
    """Checks that fields of some options are switches.

    Raises:
        ValueError: if one is not.
    """
    for name in names:
        value = getattr(options, name)
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be True or False, got {value!r}")


def keys(value: Any, needed: Collection[str], place: str, optional: Collection[str] = ()) -> None:
    """Checks that a value is an object with the keys needed, and no other than optional ones.

    Raises:
        ValueError: if it is not.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{place}: expected an object, got {value!r}")
    for key in value:
        if key not in needed and key not in optional:
            nearest = difflib.get_close_matches(key, [*needed, *optional], n=1, cutoff=0)
            raise ValueError(f"{place}: unknown key {key!r}; did you mean {nearest[0]!r}?")
    for key in needed:
        if key not in value:
            raise ValueError(f"{place}: key {key!r} is missing")


def number(value: Any, least: int, most: int, place: str) -> int:
    """Returns a value that is a whole number within limits.

    Raises:
        ValueError: if it is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{place}: expected a number from {least} to {most}, got {value!r}")
    return value


def numbers(value: Any, count: int, least: int, most: int, place: str) -> list[int]:
    """Returns a value that is a list of `count` whole numbers within limits.

    Raises:
        ValueError: if it is not.
    """
    if not isinstance(value, list) or len(value) != count:
        raise ValueError(f"{place}: expected a list of {count} numbers, got {value!r}")
    return [number(item, least, most, place) for item in value]


def index(value: Any, names: Sequence[str], place: str) -> int:
    """Returns the number of a name.

    Raises:
        ValueError: if there is no such name; offers the nearest one.
    """
    if value in list(names):  # a text as `names` would contain substrings and refuse other types
        return names.index(value)
    nearest = difflib.get_close_matches(str(value), names, n=1, cutoff=0)
    raise ValueError(f"{place}: unknown name {value!r}; did you mean {nearest[0]!r}?")


def indices(value: Any, names: Sequence[str], place: str, repeats: int = 1) -> list[int]:
    """Returns the numbers of a list of names.

    Args:
        value: the list.
        names: all names.
        place: place of the list, for errors.
        repeats: how often a name may occur.

    Raises:
        ValueError: for another value, an unknown name, or one that occurs too often.
    """
    if not isinstance(value, list):
        raise ValueError(f"{place}: expected a list of names, got {value!r}")
    found = [index(item, names, place) for item in value]
    for item in value:
        if value.count(item) > repeats:
            times = "once" if repeats == 1 else f"{repeats} times"
            raise ValueError(f"{place}: {item} may occur {times}, got {value.count(item)}")
    return found
