"""Fields of requests: each function checks one and returns it, or raises a `ValueError`."""

from typing import Any

from jaxgames.internal import files
from jaxgames.internal.messages import unknown

MOST_TEXT = 2**20  # characters of a position or record
MOST_SEATS = 16
MOST_OPTIONS = 32
MOST_OPTION = 300  # characters
THEMES = ("light", "dark")


def body(content: bytes, fields: tuple[str, ...]) -> dict[str, Any]:
    """Returns the JSON object of a request; nothing at all is an empty object.

    Raises:
        ValueError: for anything but an object with some of the given fields.
    """
    if not content:
        return {}
    try:
        found = files.parse_json(content, allow_nan=False)
    except UnicodeDecodeError:
        raise ValueError("expected a JSON object in UTF-8") from None
    if not isinstance(found, dict):
        raise ValueError("expected a JSON object")
    for name in found:
        if name not in fields:
            raise ValueError(unknown("field", name[:50], fields or ("no field",)))
    return found


def text(found: dict[str, Any], name: str) -> str | None:
    """Returns a text, or None where the field is missing."""
    value = found.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise ValueError(f"{name}: expected a text of at most {MOST_TEXT} characters")
    return value


def number(found: dict[str, Any], name: str) -> int | None:
    """Returns a number from 0 to 2**31 - 1, or None where the field is missing."""
    value = found.get(name)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError(f"{name}: expected a whole number from 0 to {2**31 - 1}")
    return value


def needed_number(found: dict[str, Any], name: str) -> int:
    """Returns a number from 0 to 2**31 - 1."""
    value = number(found, name)
    if value is None:
        raise ValueError(f"{name}: expected a whole number, the field is missing")
    return value


def seats(found: dict[str, Any]) -> list[str] | None:
    """Returns the specs of the seats, not checked yet, or None where the field is missing."""
    value = found.get("seats")
    if value is None:
        return None
    is_list = isinstance(value, list) and len(value) <= MOST_SEATS
    if not is_list or not all(isinstance(seat, str) for seat in value):
        raise ValueError("seats: expected a list of the specs of agents, or 'human'")
    return list(value)


def options(found: dict[str, Any]) -> dict[str, str] | None:
    """Returns the options of a game as text, not checked yet, or None where they are missing."""
    value = found.get("options")
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > MOST_OPTIONS:
        raise ValueError("options: expected an object with the options of a game")
    texts = {}
    for name, given in value.items():
        if type(given) in (bool, int) and abs(given) < 2**31:
            given = str(given).lower()
        if not isinstance(given, str) or not 0 < len(given) <= MOST_OPTION:
            raise ValueError(
                f"options: expected a text of at most {MOST_OPTION} characters, a whole number, "
                f"true or false for {name[:50]!r}"
            )
        texts[name[:MOST_OPTION]] = given
    return texts


def truth(found: dict[str, Any], name: str) -> bool:
    """Returns a truth value."""
    value = found.get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{name}: expected true or false")
    return value


def query_number(value: str | None, name: str) -> int | None:
    """Returns a number from a query, or None where it is missing."""
    if value is None or value == "":
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > 9:
        raise ValueError(f"{name}: expected a whole number")
    return int(value)


def query_theme(value: str | None) -> str:
    """Returns the theme from a query; `"light"` where it is missing."""
    theme = THEMES[0] if value is None else value
    if theme not in THEMES:
        raise ValueError(unknown("theme", theme[:50], THEMES))
    return theme
