"""Levels: the board before the first turn, and its text of comma-separated values.

Source: the game's document, section 16.1. A line of the text is a row of the board. A cell is
`terrain:resource` in the letters of `tables/terrain.py`. The cell of a capital is `c:` and the
number of its tribe.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from jaxtyping import Int8

from jaxgames.internal import texts
from jaxgames.tribes.state import CITY_SLOTS
from jaxgames.tribes.tables.terrain import RESOURCE_LETTERS, TERRAIN_LETTERS, Resource, Terrain
from jaxgames.tribes.tables.tribes import Tribe

SIDES = tuple(CITY_SLOTS)
MIN_TRIBES, MAX_TRIBES = 2, len(Tribe)
_TERRAINS = {letter: terrain for terrain, letter in TERRAIN_LETTERS.items() if letter != " "}
_RESOURCES = {letter: resource for resource, letter in RESOURCE_LETTERS.items()}
_TRIBES = {str(int(tribe)): tribe for tribe in Tribe}
_Kind = TypeVar("_Kind", bound=enum.IntEnum)


class Level(NamedTuple):
    """A board with its capitals. Seats are numbered in the order of the capitals."""

    side: int
    terrain: Int8[np.ndarray, "T"]  # `Terrain`; CITY at a capital
    resource: Int8[np.ndarray, "T"]  # `Resource`, -1: none
    capitals: tuple[tuple[int, int], ...]  # (tile, row of the table of tribes), in reading order


def level_from_csv(text: str) -> Level:
    """Returns the level that a text describes.

    A byte order mark, any kind of line end, lines without cells at the end, spaces around cells and
    commas after the last cell of a row are accepted, as the original program accepts them.

    Raises:
        ValueError: if it describes no level that can be played; names line and column.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected the text of a level, got {text!r:.60}")
    lines = texts.plain(text).rstrip().splitlines()
    while lines and not lines[-1].strip(" \t,"):
        lines.pop()
    side = len(lines)
    if side < 2:
        raise ValueError(f"the text of a level must have lines of cells, got {text!r:.60}")
    for row, line in enumerate(lines):
        if not line.strip():
            raise ValueError(f"line {row + 1} must have cells such as '.:', it is empty")
    if side not in SIDES:
        raise ValueError(
            f"the text of a level must have as many lines as one of {SIDES}, got {side}"
        )
    terrain = np.zeros(side * side, np.int8)
    resource = np.full(side * side, Resource.NONE, np.int8)
    capitals = []
    for row, line in enumerate(lines):
        cells = [cell.strip() for cell in line.split(",")]
        while len(cells) > side and not cells[-1]:
            cells.pop()
        if len(cells) != side:
            raise ValueError(
                f"line {row + 1}, column {min(len(cells), side) + 1}: expected {side} cells in a "
                f"row, as there are {side} rows; got {len(cells)}: {line!r}"
            )
        for column, cell in enumerate(cells):
            tile = side * row + column
            letter, carried = (part.strip() for part in cell.partition(":")[::2])
            terrain[tile] = _find(letter, _TERRAINS, f"{place(side, tile)}: terrain")
            if terrain[tile] == Terrain.CITY:
                tribe = _find(carried, _TRIBES, f"{place(side, tile)}: tribe of a capital")
                capitals.append((tile, int(tribe)))
            elif carried:
                resource[tile] = _find(carried, _RESOURCES, f"{place(side, tile)}: resource")
    level = Level(side, terrain, resource, tuple(capitals))
    check_level(level)
    return level


def level_to_csv(level: Level) -> str:
    """Returns the text of a level; `level_from_csv` reads it.

    Raises:
        ValueError: as `check_level`.
    """
    check_level(level)
    tribes = dict(level.capitals)
    cells = []
    for tile, (terrain, resource) in enumerate(zip(level.terrain, level.resource, strict=True)):
        carried = tribes.get(tile, "") if resource < 0 else RESOURCE_LETTERS[Resource(resource)]
        cells.append(f"{TERRAIN_LETTERS[Terrain(terrain)]}:{carried}")
    rows = (cells[start : start + level.side] for start in range(0, len(cells), level.side))
    return "".join(",".join(row) + "\n" for row in rows)


def check_level(level: Level) -> None:
    """Checks that a level can be played.

    Raises:
        ValueError: if the level cannot be played; names line and column of the tile, what is there,
            and what may be there.
    """
    if not isinstance(level, Level):
        raise ValueError(f"expected a Level, as level_from_csv makes it, got {level!r:.60}")
    side = level.side
    check_side(side)
    for name, values, kinds in (
        ("terrain", level.terrain, _TERRAINS),
        ("resource", level.resource, {"": Resource.NONE} | _RESOURCES),
    ):
        if np.shape(values) != (side * side,):
            raise ValueError(f"{name} must have {side * side} entries, got {np.shape(values)}")
        for tile in np.flatnonzero(~np.isin(values, list(kinds.values())))[:1]:
            known = ", ".join(f"{int(kind)} {_words(kind)}" for kind in kinds.values())
            raise ValueError(f"{place(side, tile)}: unknown {name} {values[tile]}; known: {known}")
    _check_capitals(level)
    villages = int((np.asarray(level.terrain) == Terrain.VILLAGE).sum())
    cities = villages + len(level.capitals)
    if cities > CITY_SLOTS[side]:
        raise ValueError(
            f"a level of side {side} must have {CITY_SLOTS[side]} capitals and villages at most, "
            f"got {len(level.capitals)} and {villages}"
        )


def place(side: int, tile: int) -> str:
    """Returns line and column of a tile, counted from 1, as errors name them."""
    return f"line {tile // side + 1}, column {tile % side + 1}"


def check_tribes(tribes: Sequence[int], places: Sequence[str]) -> None:
    """Checks the tribes of a level.

    Args:
        tribes: rows of the table of tribes.
        places: where each tribe was found, for errors.

    Raises:
        ValueError: for an unknown or repeated tribe, and for too few or too many tribes.
    """
    for number, (tribe, where) in enumerate(zip(tribes, places, strict=True)):
        is_number = isinstance(tribe, int | np.integer) and not isinstance(tribe, bool)
        if not is_number or tribe not in _TRIBES.values():
            raise ValueError(f"{where}: unknown tribe {tribe!r}; known: {_listed(_TRIBES)}")
        first = tribes.index(tribe)
        if first < number:
            raise ValueError(
                f"{where}: tribe {tribe} {_words(Tribe(tribe))} is there already, {places[first]}; "
                "each plays once at most"
            )
    if not MIN_TRIBES <= len(tribes) <= MAX_TRIBES:
        raise ValueError(
            f"a level must have {MIN_TRIBES} to {MAX_TRIBES} capitals, each of another tribe, "
            f"got {len(tribes)}"
        )


def check_side(side: int) -> None:
    """Checks the side of a level.

    Raises:
        ValueError: if no board has this side.
    """
    if isinstance(side, bool) or not isinstance(side, int | np.integer) or side not in SIDES:
        raise ValueError(f"the side of a level must be one of {SIDES}, got {side!r}")


def _check_capitals(level: Level) -> None:
    side = level.side
    pairs = level.capitals
    if not isinstance(pairs, Sequence) or not all(
        isinstance(pair, Sequence) and len(pair) == 2 for pair in pairs
    ):
        raise ValueError(f"capitals must be pairs of tile and tribe, got {pairs!r:.60}")
    expected = np.flatnonzero(np.asarray(level.terrain) == Terrain.CITY).tolist()
    tiles = [tile for tile, _ in level.capitals]
    if tiles != expected:
        raise ValueError(
            "capitals must be the tiles of terrain CITY in reading order, expected "
            f"{expected}, got {tiles}"
        )
    for tile in tiles:
        if level.resource[tile] != Resource.NONE:
            raise ValueError(
                f"{place(side, tile)}: a capital must carry nothing, got resource "
                f"{level.resource[tile]}"
            )
    tribes = [tribe for _, tribe in level.capitals]
    check_tribes(tribes, [place(side, tile) for tile in tiles])


def _find(letter: str, kinds: Mapping[str, _Kind], what: str) -> _Kind:
    if letter not in kinds:
        raise ValueError(f"{what} {letter!r} is unknown; known: {_listed(kinds)}")
    return kinds[letter]


def _listed(kinds: Mapping[str, enum.IntEnum]) -> str:
    return ", ".join(f"{letter!r} {_words(kind)}" for letter, kind in kinds.items())


def _words(kind: enum.IntEnum) -> str:
    return kind.name.lower().replace("_", " ")
