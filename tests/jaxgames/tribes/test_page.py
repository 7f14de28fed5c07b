"""The page about Tribes in the documentation says what the code does."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes import observation
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables.buildings import BUILT_WITH, FIRST_MONUMENT, NUM_BUILDINGS, BuildingKind
from jaxgames.tribes.tables.parameters import DEFAULTS
from jaxgames.tribes.tables.technologies import PARENTS, TIER, Technology
from jaxgames.tribes.tables.units import TRAINED_WITH, UPGRADED_WITH, WATER_UNITS, UnitKind
from tests.jaxgames import pages
from tests.jaxgames.tribes.positions import anything

PAGE = pages.read("tribes")


def table(kinds) -> list[list[str]]:
    return pages.rows(PAGE, "|".join(kind.name.lower() for kind in kinds))


def name(technology: Technology | None) -> str:
    return "" if technology is None else technology.name.lower()


def test_technologies_have_their_tier_and_parent():
    expected = [
        [name(technology), str(TIER[technology]), name(PARENTS.get(technology))]
        for technology in Technology
    ]
    assert [row[:3] for row in table(Technology)] == expected


def test_units_have_their_figures():
    p = DEFAULTS
    before = {UnitKind.SHIP: UnitKind.BOAT, UnitKind.BATTLESHIP: UnitKind.SHIP}
    expected = []
    for kind in UnitKind:
        needed = TRAINED_WITH.get(kind, UPGRADED_WITH.get(before.get(kind)))
        figures = [
            *(p.unit_attack, p.unit_defence, p.unit_movement, p.unit_max_hp),
            *(p.unit_range, p.unit_points),
        ]
        shown = [str(values[kind]) for values in figures]
        if kind in WATER_UNITS:
            shown[3] = ""
        expected.append([kind.name.lower(), str(p.unit_cost[kind]), name(needed), *shown])
    assert [row[:9] for row in table(UnitKind)] == expected


def test_buildings_have_their_price_technology_and_gain():
    kinds = [BuildingKind(number) for number in range(FIRST_MONUMENT)]
    for row, kind in zip(table(kinds), kinds, strict=True):
        price, needed = str(DEFAULTS.building_cost[kind]), name(BUILT_WITH[kind])
        assert row[:3] == [kind.name.lower(), price, needed]
        assert row[4].startswith(f"{DEFAULTS.building_bonus[kind]} ")


def test_monuments_have_their_technology():
    kinds = [BuildingKind(number) for number in range(FIRST_MONUMENT, NUM_BUILDINGS)]
    expected = [[kind.name.lower(), name(BUILT_WITH.get(kind))] for kind in kinds]
    assert [row[:2] for row in table(kinds)] == expected
    points, gain = DEFAULTS.monument_points, DEFAULTS.building_bonus[FIRST_MONUMENT]
    assert f"brings {gain} population and {points} points" in PAGE


def test_levels_of_cities_have_their_points():
    assert [row[3] for row in pages.rows(PAGE, r"\d(?: and up)?")] == [
        str(n) for n in DEFAULTS.level_points
    ]


def test_sizes_of_action_spaces_are_those_of_the_code():
    sizes = [Tribes(num_players=players).num_actions for players in (2, 3, 4)]
    assert sizes == [256, 256, 288]
    assert "256 numbers on boards of side 11 and 14, 288 on the largest" in PAGE


def test_planes_and_numbers_are_those_of_the_code():
    for tables in (
        (observation.COMMON_PLANES, observation.SEAT_PLANES),
        (observation.COMMON_SCALARS, observation.SEAT_SCALARS),
    ):
        common, by_seat = tables
        expected = [[f"`{f.name}`", str(f.size), f.meaning] for f in common]
        expected += [
            [f"`0/{f.name}`, `1/{f.name}`, ...", f"{f.size} each", f.meaning] for f in by_seat
        ]
        written = "\n".join(f"| {' | '.join(cells)} |" for cells in expected)
        assert written in PAGE


@pytest.mark.parametrize(("players", "side"), [(2, 11), (3, 14), (4, 16)])
def test_size_of_a_position_is_that_of_the_code(players, side):
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(anything(0, players, side)))
    assert re.search(rf"\b{size}\b", PAGE)


def test_examples_of_the_page_run():
    example = pages.run(PAGE)
    files = example.level_files
    assert files.level_to_csv(files.level_from_csv(example.text)) == example.text
    np.testing.assert_array_equal(example.position.tiles.terrain, example.level.terrain)
    levels = np.asarray(example.pool.draw_window(jnp.uint32(3), 16).tiles.terrain)
    assert len(np.unique(levels, axis=0)) == 16
    assert "seen by" not in example.everything.title and "seen by" in example.view.title
    assert example.film.title.startswith("A game of Tribes: from Tick 0 of 50")
