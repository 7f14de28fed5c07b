"""Pictures of Tribes: what is drawn on the board, where, and what the fog hides."""

import re
import xml.etree.ElementTree as ET

import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes import render
from jaxgames.tribes.render import palette
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.units import Status, UnitKind
from tests.jaxgames.tribes.drawn import IMPERIUS, RULES, XIN_XI, draw, fills, placed, title, where
from tests.jaxgames.tribes.positions import at, begun, change, city, seen, tile, tiles, unit
from tests.svg_trees import SVG, having, words

ALL_SIGHT = " ".join(f"{column}{row}" for column in "abcdefghijk" for row in range(1, 12))


def unit_titles(root: ET.Element) -> list[str]:
    return sorted(title(group) for group in having(root, "unit"))


def dashed(kind) -> str:
    return kind.name.lower().replace("_", "-")


def test_every_terrain_resource_and_building_is_drawn_where_it_is():
    state = begun()
    kinds = [kind for kind in Terrain if kind not in (Terrain.CITY, Terrain.FOG)]
    for column, terrain in enumerate(kinds):
        state = at(state, "tiles", f"{'abcdefgh'[column]}11", terrain=terrain)
    resources = [kind for kind in Resource if kind != Resource.NONE]
    for column, resource in enumerate(resources):
        state = at(state, "tiles", f"{'abcdefgh'[column]}10", resource=resource)
    buildings = [kind for kind in BuildingKind if kind != BuildingKind.NONE]
    names = [f"{column}{row}" for row in (7, 8) for column in "abcdefghijk"]
    for name, building in zip(names, buildings, strict=False):
        state = at(state, "tiles", name, building=building)
    root = draw(state)
    for column, terrain in enumerate(kinds[1:], start=1):
        assert where(root, "tile", dashed(terrain)) == f"{'abcdefgh'[column]}11"
    assert where(root, "tile", "city") == "c3 i9"
    for column, resource in enumerate(resources):
        assert where(root, "resource", dashed(resource)) == f"{'abcdefgh'[column]}10"
    assert len(having(root, "building")) == len(buildings) + 2 * 7  # the monuments of the panels
    for name, building in zip(names, buildings, strict=False):
        assert name in where(root, "building", dashed(building)).split()


def test_temples_show_their_level():
    state = at(begun(), "tiles", "a5", building=BuildingKind.WATER_TEMPLE, temple_level=4)
    (level,) = having(draw(state), "temple-level")
    assert words(level) == ["4"]


@pytest.mark.parametrize("kind", UnitKind)
def test_every_unit_is_drawn_in_the_colour_of_its_tribe(kind):
    cargo = UnitKind.ARCHER if dashed(kind) in ("boat", "ship", "battleship") else kind
    state = begun()
    for name, tribe in (("e5", 0), ("f6", 1)):
        state = unit(state, name, kind, tribe, cargo=cargo, hp=7)
    root = draw(state)
    for name, tribe, shades in (("e5", 0, XIN_XI), ("f6", 1, IMPERIUS)):
        groups = having(root, "unit", dashed(kind), f"tribe-{tribe}")
        (group,) = (group for group in groups if title(group).startswith(f"{name}:"))
        assert shades.piece in fills(group)
        assert words(group) == ["7"]
        assert len(having(group, f"cargo-{dashed(cargo)}")) == (cargo != kind)
    assert set(where(root, "unit", dashed(kind)).split()) >= {"e5", "f6"}


def test_units_say_what_they_are():
    state = unit(begun(), "a1", UnitKind.SHIP, 0, cargo=UnitKind.CATAPULT, hp=4, kills=2)
    state = unit(state, "k11", UnitKind.KNIGHT, 1, hp=20, veteran=True, kills=3)
    expected = [
        "a1: ship of Xin-Xi with a catapult aboard, 4 of 10 HP, 2 kills",
        "c3: warrior of Xin-Xi, 10 of 10 HP",
        "i9: warrior of Imperius, 10 of 10 HP",
        "k11: knight of Imperius, 20 of 20 HP, veteran, 3 kills",
    ]
    assert unit_titles(draw(state)) == expected
    # A seat does not know the kills of others.
    expected[3] = expected[3].removesuffix(", 3 kills")
    assert unit_titles(draw(state, seat=0)) == expected


def test_hp_is_a_bar_in_three_colours():
    state = begun()
    for name, hp in (("a1", 10), ("b1", 5), ("c1", 2)):
        state = unit(state, name, UnitKind.ARCHER, 0, hp=hp)
    bars = [having(group, "bar")[0] for group in having(draw(state), "unit", "archer")]
    found = [(float(bar.get("width")), bar.get("fill")) for bar in bars]
    assert found == [(28, palette.HP_GOOD), (14, palette.HP_FAIR), (5.6, palette.HP_LOW)]


def test_units_that_have_acted_are_pale_in_their_own_turn():
    state = begun()
    for name, tribe, status in (("a1", 0, 5), ("b1", 0, 1), ("c1", 1, 5), ("d1", 0, 0)):
        state = unit(state, name, UnitKind.ARCHER, tribe, status=Status(status))
    root = draw(state)
    assert where(root, "unit", "finished") == "a1"
    assert where(root, "unit", "moved") == "b1"
    for status, body in (("finished", XIN_XI.faded), ("moved", XIN_XI.worn)):
        (group,) = having(root, "unit", status)
        assert body in fills(group) and XIN_XI.piece not in fills(group)
    ends = [title.rpartition(", ")[2] for title in unit_titles(root) if "archer" in title]
    assert ends == ["finished", "moved", "10 of 10 HP", "10 of 10 HP"]


def test_veterans_have_a_star():
    state = unit(begun(), "a1", UnitKind.ARCHER, 0, veteran=True)
    root = draw(state)
    assert [len(having(group, "veteran")) for group in having(root, "unit", "archer")] == [1]
    assert [len(having(group, "veteran")) for group in having(root, "unit", "warrior")] == [0, 0]


def test_cities_show_level_population_walls_and_connection():
    state = city(begun(), "e6", 0, level=3, population=2, production=1, walls=True)
    state = city(state, "g6", 1, level=2, population=-2)
    state = change(state, "tribes", connected=[0b100, 0])
    root = draw(state)
    assert where(root, "city", "walled") == where(root, "city", "connected") == "e6"
    assert where(root, "city", "capital") == "c3 i9"
    assert where(root, "city", "level-3", "tribe-0") == "e6"
    colours = {}
    for group in having(root, "city"):
        if having(group, "plaque"):
            segments = having(group, "segment")
            colours[title(group)[:2]] = [segment.get("fill") for segment in segments]
    grown, needed, negative = palette.POPULATION, palette.LACKING, palette.NEGATIVE
    assert colours["e6"] == [grown] * 2 + [needed] * 2
    assert colours["g6"] == [negative] * 2 + [needed]
    titles = {title(group) for group in having(root, "city") if having(group, "plaque")}
    assert titles >= {
        "e6: city of Xin-Xi, level 3, population 2 of 4, 0 of 4 units, income 4, walls,"
        " connected to the capital",
        "c3: capital of Xin-Xi, level 1, population 0 of 2, 1 of 2 units, income 2",
    }


def test_seats_do_not_see_the_population_of_others():
    state = city(begun(), "g6", 1, level=2, population=1, walls=True)
    (group,) = having(draw(state, seat=0), "city", "level-2")
    assert title(group) == "g6: city of Imperius, level 2, walls"
    assert having(group, "segment") == [] and words(group) == ["2"]


def test_larger_cities_have_more_houses():
    state = begun()
    for level, name in enumerate(("a5", "b5", "c5", "d5", "e5", "f5", "g5"), start=1):
        state = city(state, name, 0, level=level)
    groups = [group for group in having(draw(state), "city") if having(group, "houses")]
    sizes = {title(g)[:2]: g[1][0].get("d").count("Z") for g in groups}
    assert [sizes[f"{column}5"] for column in "abcdefg"] == [2, 3, 4, 5, 6, 6, 6]


def test_roads_lead_to_neighbouring_roads_and_cities():
    state = city(begun(), "d2", 0)  # beside another city, but no road
    bits = state.tiles.network.copy()
    for number in tiles("d4 e4 e8"):
        bits[number // 11] |= 1 << number % 11
    root = draw(change(state, "tiles", network=bits))
    assert where(root, "road") == "c3 d4 e4 e8"
    lines = {
        name: group[0].get("d") for group, name in placed(root) if group.get("class") == "road"
    }
    assert lines == {
        "c3": "M30 30l30 30",
        "d4": "M30 30h.01M30 30l-30 -30M30 30l30 0",
        "e4": "M30 30h.01M30 30l-30 0",
        "e8": "M30 30h.01",
    }


def test_borders_end_where_another_tribe_or_nobody_begins():
    state = city(begun(), "d3", 0, "e3 f3")
    state = city(state, "h3", 1, "g3")
    root = draw(state)
    assert where(root, "border", "tribe-0") == "b2 b3 b4 c2 c3 c4 d2 d3 d4 e3 f3"
    edges = {
        name: having(group, "edge")[0].get("d").count("M")
        for group, name in placed(root)
        if (group.get("class") or "").startswith("border") and having(group, "edge")
    }
    # c3 lies inside; d3 and e3 belong to two cities of one tribe.
    assert "c3" not in edges
    assert (edges["b2"], edges["e3"], edges["f3"], edges["g3"]) == (2, 2, 3, 4)
    dashed_lines = {
        name
        for group, name in placed(root)
        if having(group, "border") == [group] and any(e.get("stroke-dasharray") for e in group)
    }
    assert dashed_lines == {"d3", "e3"}


def test_fog_covers_what_a_seat_has_not_seen():
    state = seen(begun(), 0, ALL_SIGHT.replace("i9", "").replace("e3", ""))
    state = city(unit(state, "e3", UnitKind.RIDER, 1), "d3", 0, "e3")
    root = draw(state, seat=0)
    assert where(root, "tile", "fog") == "e3 i9"
    assert having(root, "rider") == [] and where(root, "city", "capital") == "c3"
    assert having(draw(state), "fog") == []
    # A border is no edge of the fog.
    edges = [having(g, "edge") for g, name in placed(root) if name == "d3" and having(g, "border")]
    assert all("V60" not in edge.get("d") for found in edges for edge in found)


def test_chosen_and_changed_tiles_are_framed():
    before = begun()
    assert having(draw(before), "selected") == having(draw(before), "changed") == []
    after = unit(at(before, "tiles", "a1", resource=Resource.FISH), "d5", UnitKind.RIDER, 0)
    after = after.replace(phase=np.int8(1), selected=np.int16(tile("d5")))
    root = draw(after, before)
    assert where(root, "selected") == "d5" and where(root, "changed") == "a1 d5"


def test_coordinates_are_letters_for_columns_and_numbers_for_rows():
    root = draw(begun("c3 o15", side=16), side=16)
    assert set(words(root)) >= {*"abcdefghijklmnop", *map(str, range(1, 17))}
    state = unit(begun("c3 o15", side=16), "p2", UnitKind.RIDER, 0)
    assert any(text.startswith("p2: rider") for text in unit_titles(draw(state, side=16)))


def test_captured_capitals_are_named_after_both_tribes():
    state = change(begun(), "cities", tribe=[0, 0] + [-1] * 10)
    titles = {title.text for title in draw(state).iter(f"{SVG}title")}
    assert any(t.startswith("i9: capital of Imperius, held by Xin-Xi, level 1") for t in titles)


@pytest.mark.parametrize("seat", [-1, 2, True, "0", 1.5])
def test_only_seats_of_the_game_have_a_view(seat):
    with pytest.raises(
        ValueError, match=re.escape(f"render takes a seat from 0 to 1, got {seat!r}")
    ):
        render.render(RULES, begun(), seat=seat)


@pytest.mark.parametrize("seat", [np.int64(1), jnp.int32(1)])
def test_seats_may_be_arrays(seat):
    assert render.render(RULES, begun(), seat=seat).as_svg() == (
        render.render(RULES, begun(), seat=1).as_svg()
    )
