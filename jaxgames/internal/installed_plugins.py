"""Modules of other installed packages that add games, agents or networks.

A package names such a module as an entry point of the group `jaxgames`, and one that registers
presets of trainings in the group `jaxgames.presets`, for only those programs can import `configs`:

    [project.entry-points.jaxgames]
    my_games = "my_package.games"

    [project.entry-points."jaxgames.presets"]
    my_games = "my_package.presets"

They are loaded when names are listed or a name is unknown, so that a start does not wait for them.
"""

import importlib.metadata
import logging
from typing import Any, TypeVar

GAMES = "jaxgames"
PRESETS = "jaxgames.presets"
EntryT = TypeVar("EntryT")

_tables: list[tuple[dict[str, Any], dict[str, Any]]] = []  # each with its first entries
_begun: set[str] = set()
_log = logging.getLogger(__name__)


def table(entries: dict[str, EntryT]) -> dict[str, EntryT]:
    """Returns the entries as a table to which plugins add; one that fails leaves nothing in it."""
    _tables.append((entries, dict(entries)))
    return entries


def load(group: str = GAMES) -> None:
    """Imports the modules of a group, once in a process.

    A module that cannot be imported is named in a warning.
    """
    if group in _begun:  # also while a module of the group lists games
        return
    _begun.add(group)
    for entry in importlib.metadata.entry_points(group=group):
        before = [dict(entries) for entries, _ in _tables]
        try:
            entry.load()
        except (
            Exception,
            SystemExit,
        ) as error:  # of another package's code, which may raise anything
            _restore(before)
            package = entry.dist.name if entry.dist is not None else "an unknown package"
            _log.warning(
                "the plugin %s of %s (%s) is left out: %s: %s",
                entry.name,
                package,
                entry.value,
                type(error).__name__,
                error,
            )


def _restore(before: list[dict[str, Any]]) -> None:
    """Takes back what was added since; a table made since then gets its first entries."""
    later = [first for _, first in _tables[len(before) :]]
    for (entries, _), old in zip(_tables, [*before, *later], strict=True):
        entries.clear()
        entries.update(old)
