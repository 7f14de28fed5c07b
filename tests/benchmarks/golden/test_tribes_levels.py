"""Recorded levels of Tribes: that differences are found.

The records here are made from committed levels; whether the generator agrees with all recorded
levels is tested with the game.
"""

import pytest

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, Status
from benchmarks.golden.tribes.levels import LEVELS
from jaxgames.tribes.levels.level_files import level_from_csv
from tests.locations import GOLDEN

TEXT = GOLDEN / "tribes_levels/14x14_seed_401.csv"
LEVEL = level_from_csv(TEXT.read_text())
RECORD = {
    "seed": 401,
    "size": 14,
    "tribes": ["XIN_XI", "IMPERIUS", "BARDUR"],
    "grid": TEXT.read_text().splitlines(),
    "terrain": LEVEL.terrain.tolist(),
    "resource": LEVEL.resource.tolist(),
    "capitals": [list(capital) for capital in LEVEL.capitals],
}


def check(**changes):
    (verdict,) = LEVELS.check([RECORD | changes], CheckSettings())
    return verdict


def test_a_level_that_agrees_is_equal():
    assert check() == EQUAL


CHANGES = {
    "terrain": ({"terrain": [*RECORD["terrain"][:-1], 2]}, "terrain read from its text"),
    "resource": ({"resource": [*RECORD["resource"][:-1], 2]}, "resource read from its text"),
    "capitals": ({"capitals": [[72, 1], [81, 0], [158, 2]]}, "capitals read from its text"),
    "seed": ({"seed": 402}, "terrain made from its seed"),
    "tribes": ({"tribes": ["BARDUR", "IMPERIUS", "XIN_XI"]}, "terrain made from its seed"),
}


@pytest.mark.parametrize(("change", "detail"), CHANGES.values(), ids=CHANGES)
def test_a_level_that_differs_is_found(change, detail):
    verdict = check(**change)
    assert verdict.status is Status.DIFFERENT
    assert verdict.detail.startswith(detail)


def test_a_cell_that_the_game_writes_differently_is_found():
    grid = [line.replace("d:,", "d,", 1) for line in RECORD["grid"]]
    assert check(grid=grid).detail.startswith("text: the record has")
