"""Checks of JSON documents and of options; each error names place, value and what was expected."""

import collections
import difflib
import json
from collections.abc import Collection, Sequence
from typing import Any

Document = dict[str, Any]


def parsed(text: str, place: str = "position") -> Any:
    """Returns the document that a text in JSON holds.

    Args:
        text: the text.
        place: name of the document in errors.

    Raises:
        ValueError: if it is not JSON, nested deeper than any position, or has a key twice.
    """
    repeated: list[str] = []

    def noted(pairs: list[tuple[str, Any]]) -> Document:
        counts = collections.Counter(name for name, _ in pairs)
        repeated.extend(name for name, count in counts.items() if count > 1)
        return dict(pairs)

    try:
        document = json.loads(text, object_pairs_hook=noted)
    except ValueError as error:
        raise ValueError(f"{place}: not JSON ({error})") from error
    except RecursionError:
        raise ValueError(f"{place}: nested too deeply to be read") from None
    except TypeError:
        raise ValueError(f"{place}: expected text, got {text!r}") from None
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
