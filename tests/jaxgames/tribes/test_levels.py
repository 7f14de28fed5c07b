"""Levels as text, and what is said about bad ones."""

import re

import numpy as np
import pytest

from jaxgames.tribes.levels.level_files import (
    Level,
    check_level,
    check_tribes,
    level_from_csv,
    level_to_csv,
)
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Tribe
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "tribes_levels"
PATHS = sorted(COMMITTED.glob("*.csv"))
SIDE = 11


def level_of(cells: dict[tuple[int, int], str]) -> str:
    """Returns the text of plains with two capitals, and other cells at (line, column) from 1."""
    cells = {(3, 3): "c:0", (9, 9): "c:1"} | cells
    numbers = range(1, SIDE + 1)
    return "\n".join(",".join(cells.get((x, y), ".:") for y in numbers) for x in numbers)


def changed(level: Level, name: str, tile: int, value: int) -> Level:
    array = getattr(level, name).copy()
    array[tile] = value
    return level._replace(**{name: array})


def assert_equal(one: Level, other: Level) -> None:
    assert (one.side, one.capitals) == (other.side, other.capitals)
    np.testing.assert_array_equal(one.terrain, other.terrain)
    np.testing.assert_array_equal(one.resource, other.resource)


def test_letters_of_a_cell():
    letters = {".:f": (0, 1), "s:h": (1, 0), "d:w": (2, 3), "m:o": (3, 5), "v:": (4, -1)}
    letters |= {"f:a": (6, 2), ".:c": (0, 6), "f:r": (6, 7)}
    level = level_from_csv(level_of({(1, y): cell for y, cell in enumerate(letters, start=1)}))
    found = list(zip(level.terrain.tolist(), level.resource.tolist(), strict=True))
    assert found[: len(letters)] == list(letters.values())
    assert set(found[len(letters) : SIDE]) == {(Terrain.PLAIN, Resource.NONE)}
    assert found[2 * SIDE + 2] == (Terrain.CITY, Resource.NONE)


def test_no_resource_is_written_in_several_ways():
    level = level_from_csv(level_of({(1, 1): "f", (1, 2): "f:", (1, 3): "f: "}))
    assert level.terrain[:3].tolist() == [Terrain.FOREST] * 3
    assert level.resource[:3].tolist() == [Resource.NONE] * 3


AS_PEOPLE_HAVE_THEM = {
    "Windows line ends": lambda text: text.replace("\n", "\r\n") + "\r\n",
    "old Macintosh line ends": lambda text: text.replace("\n", "\r"),
    "a comma after each row": lambda text: text.replace("\n", ",\n") + ",",
    "two commas after each row": lambda text: text.replace("\n", ",,\n") + ",,",
    "rows of commas at the end": lambda text: text.rstrip("\n") + "\n" + 2 * ",,,,\n",
    "a comma and a space after each row": lambda text: text.replace("\n", ", \n") + ", \n",
    "a byte order mark": lambda text: "\ufeff" + text,
    "blank lines at the end": lambda text: text + "\n\n  \n\t\n",
    "spaces around cells": lambda text: text.replace(",", " , "),
    "tabulators around cells": lambda text: text.replace(",", "\t,\t"),
    "spaces around colons": lambda text: text.replace(":", " : "),
    "all at once": lambda text: (
        "\ufeff" + text.replace(",", " ,\t").replace("\n", " , \r\n") + "\r\n\n"
    ),
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("write", AS_PEOPLE_HAVE_THEM.values(), ids=AS_PEOPLE_HAVE_THEM)
def test_other_ways_to_write_the_same_level(path, write):
    level = level_from_csv(path.read_text())
    assert_equal(level_from_csv(write(level_to_csv(level).removesuffix("\n"))), level)


def test_seats_are_numbered_in_reading_order():
    level = level_from_csv(level_of({(3, 3): "c:3", (3, 9): "c:2", (9, 9): "c:1"}))
    assert level.capitals == ((24, 3), (30, 2), (96, 1))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_text_survives_the_way_through_a_level(path):
    text = path.read_text()
    level = level_from_csv(text)
    assert level_to_csv(level) == text.replace(" ", "")
    assert_equal(level_from_csv(level_to_csv(level)), level)
    assert (level.terrain.dtype, level.resource.dtype) == (np.int8, np.int8)


def test_there_are_committed_levels_of_all_sides():
    assert sorted(level_from_csv(path.read_text()).side for path in PATHS) == [11, 14, 16]


BAD_CELLS = {
    "terrain": ({(2, 5): "x:"}, "line 2, column 5: terrain 'x' is unknown; known: '.' plain, 's'"),
    "fog": ({(2, 5): " :"}, "line 2, column 5: terrain '' is unknown"),
    "resource": ({(11, 1): ".:x"}, "line 11, column 1: resource 'x' is unknown; known: 'h' fish"),
    "no tribe": (
        {(4, 4): "c:"},
        "line 4, column 4: tribe of a capital '' is unknown; known: '0' x",
    ),
    "tribe": ({(4, 4): "c:4"}, "line 4, column 4: tribe of a capital '4' is unknown"),
    "same tribe": (
        {(4, 4): "c:1"},
        "line 9, column 9: tribe 1 imperius is there already, line 4, column 4",
    ),
    "one capital": ({(9, 9): ".:"}, "2 to 4 capitals, each of another tribe, got 1"),
    "no capital": ({(3, 3): ".:", (9, 9): ".:"}, "2 to 4 capitals, each of another tribe, got 0"),
    "a cell too many": (
        {(2, 5): ".:,.:"},
        "line 2, column 12: expected 11 cells in a row, as there are 11 rows; got 12",
    ),
    "villages": (
        {(1, y): "v:" for y in range(1, 12)},
        "side 11 must have 12 capitals and villages at most, got 2 and 11",
    ),
}


@pytest.mark.parametrize(("cells", "message"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_bad_cells_are_named(cells, message):
    with pytest.raises(ValueError, match=message):
        level_from_csv(level_of(cells))


@pytest.mark.parametrize("lines", [10, 12])
def test_a_level_has_a_side_of_the_game(lines):
    text = "\n".join([",".join([".:"] * lines)] * lines)
    with pytest.raises(ValueError, match=rf"as many lines as one of \(11, 14, 16\), got {lines}"):
        level_from_csv(text)


@pytest.mark.parametrize("text", ["", "level.csv", b".:", None])
def test_what_has_no_lines_is_no_level(text):
    with pytest.raises(ValueError, match=f"the text of a level.* got {re.escape(repr(text))}"):
        level_from_csv(text)


def test_lines_are_counted_as_in_the_text():
    lines = level_of({}).split("\n")
    assert_equal(level_from_csv("\n".join(lines) + "\n \n"), level_from_csv("\n".join(lines)))
    for number in (0, 5):
        text = "\n".join([*lines[:number], " ", *lines[number:]])
        with pytest.raises(
            ValueError, match=rf"line {number + 1} must have cells such as '.:', it"
        ):
            level_from_csv(text)


def test_what_cannot_be_played_is_not_written():
    level = level_from_csv(level_of({}))
    with pytest.raises(ValueError, match=r"expected a Level, .* got None"):
        level_to_csv(None)
    with pytest.raises(ValueError, match=r"reading order, expected \[24, 96\], got \[24\]"):
        level_to_csv(level._replace(capitals=((24, 0),)))
    with pytest.raises(ValueError, match="resource must have 121 entries"):
        level_to_csv(level._replace(resource=level.resource[:3]))


def test_a_text_is_no_level():
    with pytest.raises(ValueError, match=r"expected a Level, as level_from_csv .* got 'v:,"):
        Tribes().begin("v:,.:")


@pytest.mark.parametrize("key", [5, "x"])
def test_other_values_than_keys_begin_no_game(key):
    with pytest.raises(ValueError, match=rf"begin takes a random key, for instance .* got {key!r}"):
        Tribes().begin(level_from_csv(level_of({})), key)


def test_as_many_cities_as_there_are_places_are_allowed():
    level = level_from_csv(level_of({(1, y): "v:" for y in range(1, 11)}))
    assert (level.terrain == Terrain.VILLAGE).sum() == 10


def test_levels_that_are_no_text_are_checked_too():
    level = level_from_csv(level_of({}))
    check_level(level)
    bad = {
        "line 1, column 2: unknown terrain 7; known: 0 plain": changed(level, "terrain", 1, 7),
        "line 2, column 1: unknown resource 4; known: -1 none": changed(level, "resource", 11, 4),
        r"reading order, expected \[24, 96, 120\], got \[24, 96\]": changed(
            level, "terrain", 120, Terrain.CITY
        ),
        r"expected \[24, 96\], got \[96, 24\]": level._replace(capitals=((96, 1), (24, 0))),
        "line 3, column 3: a capital must carry nothing, got resource 1": changed(
            level, "resource", 24, Resource.FRUIT
        ),
        "line 9, column 9: unknown tribe 9": level._replace(capitals=((24, 0), (96, 9))),
        r"capitals must be pairs of tile and tribe, got \(24, 96\)": level._replace(
            capitals=(24, 96)
        ),
        "capitals must be pairs of tile and tribe, got None": level._replace(capitals=None),
        r"terrain must have 121 entries, got \(3,\)": level._replace(terrain=level.terrain[:3]),
        r"one of \(11, 14, 16\), got 12": level._replace(side=12),
    }
    for message, one in bad.items():
        with pytest.raises(ValueError, match=message):
            check_level(one)


def test_five_tribes_are_too_many():
    tribes = [*Tribe, Tribe.XIN_XI]
    with pytest.raises(
        ValueError, match=r"tribes\[4\]: tribe 0 xin xi is there already, tribes\[0"
    ):
        check_tribes(tribes, [f"tribes[{number}]" for number in range(5)])
