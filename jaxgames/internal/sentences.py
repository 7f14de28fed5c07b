"""Words, numbers and lists as sentences: what games say about their tiles, cards and units."""

from collections.abc import Iterable


def count(number: int, noun: str, plural: str = "") -> str:
    """Returns a number of things: `1 coin`, `2 coins`; `plural` if it does not end in `s`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def listed(words: Iterable[str], link: str = "and") -> str:
    """Returns words as a list: `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} {link} {last}" if first else last


def joined(*sentences: str) -> str:
    """Returns sentences in one line, with capital letters and full stops; skips empty ones."""
    return " ".join(f"{text[0].upper()}{text[1:].removesuffix('.')}." for text in sentences if text)


def spaced(name: str) -> str:
    """Returns a name of a table as words: `sea_snake` as `sea snake`."""
    return name.lower().replace("_", " ")
