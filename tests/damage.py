"""Damages to files, values and texts, drawn at random from a seed."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np

Random = np.random.Generator

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 2**31, -(2**31) - 1, 2**63, 10**400, float("inf")),
    *("", "x", "\x00", "9" * 5000, [], [[]], [None], {}, {"x": 1}, {"": []}),
)
"""Values that take the place of others."""
ODD_TEXTS = ("", "-1", "0", str(2**31), str(2**64), "9" * 5000, "nan", "1e999", "é\x00", "=", ",:")


def damaged_bytes(content: bytes, random: Random) -> bytes:
    """Returns the content of a file after an accident: cut off, changed, mixed up or lost."""
    lines = content.split(b"\n")
    first, second = (int(x) for x in random.integers(len(lines), size=2))
    swapped = list(lines)
    swapped[first], swapped[second] = lines[second], lines[first]
    place = int(random.integers(len(content) + 1))
    damages: tuple[Callable[[], bytes], ...] = (
        lambda: b"",
        lambda: content[:place],
        lambda: content[place:],
        lambda: random.bytes(len(content)),
        lambda: b"\n".join(swapped),
        lambda: b"\n".join(lines[:first] + lines[first + 1 :]),
        lambda: content[:place] + random.bytes(4) + content[place:],
        lambda: _flipped(content, random),
        lambda: b"[" * 100_000,
    )
    return damages[random.integers(len(damages))]()


def damaged_json(value: Any, random: Random) -> Any:
    """Returns a copy of a JSON value in which one part is missing, added or another value."""
    changed = [copy.deepcopy(value)]
    holder, place = _some_place(changed, random)
    choice = random.integers(3)
    if choice == 0 and holder is not changed:
        del holder[place]
    elif choice == 1 and isinstance(holder[place], dict):
        holder[place]["unknown"] = _odd(random)
    else:
        holder[place] = _odd(random)
    return changed[0]


def damaged_json_text(text: str, random: Random) -> str:
    """Returns a text of one JSON value a line, with `damaged_json` in one of the lines."""
    lines = text.splitlines()
    number = int(random.integers(len(lines)))
    lines[number] = json.dumps(damaged_json(json.loads(lines[number]), random))
    return "".join(f"{line}\n" for line in lines)


def damaged_arrays(arrays: dict[str, np.ndarray], random: Random) -> dict[str, np.ndarray]:
    """Returns arrays of which one is missing, renamed, or has another type, shape or values."""
    changed = dict(arrays)
    name = str(random.choice(sorted(arrays)))
    array = changed.pop(name)
    part = name.partition(".")[0]
    damages: tuple[Callable[[], dict[str, np.ndarray]], ...] = (
        dict,
        lambda: {str(random.choice(["", "0", "x", f"{name}.x", part, f".{name}"])): array},
        lambda: {name: array, f"{name}.x": array},
        lambda: {name: array.astype(str(random.choice(["float64", "int8", "bool", "U3", "c8"])))},
        lambda: {name: array[..., None]},
        lambda: {name: array[:0] if array.ndim else array[None]},
        lambda: {name: np.full_like(array, 99)},
    )
    return changed | damages[random.integers(len(damages))]()


def damaged_text(text: str, random: Random) -> str:
    """Returns a text of `name:field=value,...` with another value, or other characters."""
    head, equals, tail = text.rpartition("=")
    if equals and random.integers(3):
        return head + equals + str(random.choice(ODD_TEXTS))
    place = int(random.integers(len(text) + 1))
    damages = (
        text[:place],
        text[place:],
        text[:place] + str(random.choice(ODD_TEXTS)) + text[place:],
        f"{text},{tail}" if tail else f"{text}:",
    )
    return damages[random.integers(len(damages))]


def _odd(random: Random) -> Any:
    return copy.deepcopy(ODD_VALUES[random.integers(len(ODD_VALUES))])


def _flipped(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for place in random.integers(len(content), size=random.integers(1, 5)):
        changed[place] ^= 1 << random.integers(8)
    return bytes(changed)


def _some_place(holder: list[Any], random: Random) -> tuple[Any, Any]:
    """Returns a list or dict, and the place of some value in it, at any depth."""
    found: list[tuple[Any, Any]] = []
    waiting: list[tuple[Any, Any]] = [(holder, 0)]
    while waiting:
        inside, place = waiting.pop()
        found.append((inside, place))
        value = inside[place]
        if isinstance(value, dict):
            waiting += [(value, name) for name in value]
        elif isinstance(value, list):
            waiting += [(value, number) for number in range(min(len(value), 5))]
    return found[random.integers(len(found))]
