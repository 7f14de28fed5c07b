"""The scores of the rule-based agent of Tribes for cities and tribes, rule by rule."""

import numpy as np
import pytest

from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.technologies import ALL_TECHNOLOGIES, Technology
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.players.tribes.scoring import scored
from tests.jaxgames.tribes.positions import at, begun, change, city, rows, tiles, unit

ME, FOE = 0, 1


def rich(stars, state=None, known=ALL_TECHNOLOGIES):
    """Returns a position in which the first tribe knows everything; its capital is at c3."""
    state = begun() if state is None else state
    return change(state, "tribes", technologies=[known, 0], stars=[stars, 0])


def capital(state, **fields):
    values = {name: getattr(state.cities, name).copy() for name in fields}
    for name, value in fields.items():
        values[name][0] = value
    return change(state, "cities", **values)


def roads(state, names):
    has_one = np.zeros(len(state.tiles.terrain), bool)
    has_one[tiles(f"c3 i9 {names}")] = True
    return change(state, "tiles", network=rows(has_one))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 5),  # level 1, income 2
        ({"population": -1}, 2),  # income -1
        ({"level": 2, "population": -1}, 1),
        ({"level": 3, "population": -3}, 0),
        ({"level": 3, "population": 0, "production": 2}, 5),
    ],
)
def test_gathering_helps_cities_in_need(fields, expected):
    state = at(begun(), "tiles", "b2", resource=Resource.FRUIT)
    assert scored(capital(rich(7, state), **fields))["b2 gather"] == expected


@pytest.mark.parametrize(
    ("stars", "population", "hut", "temple"), [(20, 0, 5, 5), (20, -1, 3, 2), (15, -1, 3, 2)]
)
def test_buildings(stars, population, hut, temple):
    state = at(begun(), "tiles", "b2", terrain=Terrain.FOREST)
    seen = scored(capital(rich(stars, state), population=population))
    assert (seen["b2 build lumber_hut"], seen["b2 build forest_temple"]) == (hut, temple)


def test_nothing_is_built_with_few_stars():
    state = at(begun(), "tiles", "b2", terrain=Terrain.FOREST)
    seen = [scored(rich(stars, state))["b2 build lumber_hut"] for stars in (7, 8)]
    assert seen == [0, 5]


def test_training_follows_the_danger():
    names = [kind.name.lower() for kind in list(UnitKind)[:8]]
    state = at(begun(), "units", "c3", kind=-1, tribe=-1)
    for enemies, expected in (
        ("", [3, 3, 3, 3, 3, 3, 3, 2]),
        ("e3", [3, 3, 3, 3, 3, 3, 3, 2]),  # just outside the borders
        ("d4", [3, 0, 5, 4, 0, 0, 4, 0]),
    ):
        for name in enemies.split():
            state = unit(state, name, UnitKind.WARRIOR, FOE)
        seen = scored(rich(8, state))
        assert [seen[f"c3 spawn {name}"] for name in names] == expected


def test_forests():
    state = at(begun(), "tiles", "b2", terrain=Terrain.FOREST)
    seen = scored(rich(6, state))
    assert (seen["b2 burn_forest"], seen["b2 clear_forest"]) == (1, 0)
    assert scored(rich(5, state))["b2 burn_forest"] == 0
    assert scored(rich(0, state))["b2 clear_forest"] == 3
    for farms, expected in (("b3", 2), ("b3 b4", 1)):
        with_farms = at(state, "tiles", farms, building=BuildingKind.FARM)
        assert scored(rich(6, with_farms))["b2 burn_forest"] == expected


@pytest.mark.parametrize(
    ("forests", "huts", "expected"),
    [("", "", 4), ("b2", "b3", 4), ("b2 b3", "", 2), ("", "b2 b3", 2), ("e5 e6", "e7 e8", 4)],
)
def test_forests_grow_where_there_are_few(forests, huts, expected):
    state = at(begun(), "tiles", forests, terrain=Terrain.FOREST)
    state = at(state, "tiles", huts, building=BuildingKind.LUMBER_HUT)
    assert scored(rich(5, state))["d4 grow_forest"] == expected


def test_nothing_is_destroyed():
    state = at(begun(), "tiles", "b2", building=BuildingKind.FARM)
    assert scored(rich(5, state))["b2 destroy"] == -2


@pytest.mark.parametrize(
    ("place", "paved", "level", "stars", "expected"),
    [
        ("f6", "", 5, 5, 0),  # nothing near
        ("b2", "", 5, 5, 3),  # beside the centre, and rich
        ("b2", "", 5, 4, 0),
        ("b2", "", 4, 5, 0),
        ("b2", "b3", 1, 5, 3),  # beside an own road
        ("f6", "f7", 4, 5, 3),
        ("f6", "f7", 5, 5, 4),
        ("d4", "e3", 1, 5, 3),
        ("d4", "e3", 5, 5, 3),  # the centre comes first
        ("e4", "e3 d5", 5, 5, 4),  # e3 is free land, before d5
        ("b4", "a5 a3", 5, 5, 4),
        ("b4", "a5 c4", 5, 5, 3),
    ],
)
def test_roads(place, paved, level, stars, expected):
    state = capital(roads(rich(stars), paved), level=level)
    assert scored(state)[f"{place} build_road"] == expected


def test_centres_of_others_are_no_reason_for_a_road():
    state = roads(city(rich(9), "f7", FOE), "f7")
    assert scored(capital(state, level=5))["f6 build_road"] == 0


def test_technologies():
    best = ["ORGANIZATION", "CLIMBING", "MINING", "FISHING", "HUNTING", "WHALING"]
    good = [
        "FARMING",
        "AQUATISM",
        "RIDING",
        "FORESTRY",
        "ARCHERY",
        "SAILING",
        "SHIELDS",
        "CHIVALRY",
    ]
    for technology in Technology:
        known = ALL_TECHNOLOGIES & ~(1 << technology)
        expected = 5 if technology.name in best else 4 if technology.name in good else 3
        if technology is Technology.PHILOSOPHY or technology.value % 5 == 0:
            seen = scored(rich(20, known=known))
            assert seen[f"research {technology.name.lower()}"] == expected
    first = {name: value for name, value in scored(rich(20, known=0)).items() if "research" in name}
    names = ["climbing", "fishing", "hunting", "organization", "riding"]
    assert first == dict(zip([f"research {name}" for name in names], [5, 5, 5, 5, 4], strict=True))


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (1, {"workshop": 5, "explorer": 0}),
        (2, {"city_wall": 0, "resources": 5}),
        (3, {"pop_growth": 0, "border_growth": 5}),
        (4, {"park": 0, "superunit": 5}),
        (6, {"park": 0, "superunit": 5}),
    ],
)
def test_level_ups(level, expected):
    state = capital(rich(9), level=level, population=level + 1)
    assert scored(state) == {f"level_up {name}": value for name, value in expected.items()}
