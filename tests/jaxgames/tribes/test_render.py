"""Pictures of Tribes: what is drawn, where, and what a seat does not know."""

import collections
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import jax
import numpy as np
import pytest

from jaxgames import svg
from jaxgames.tribes import render
from jaxgames.tribes.render import ground, palette, panels
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables.buildings import BuildingKind, MonumentState
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Tribe
from jaxgames.tribes.tables.units import Status, UnitKind
from tests.jaxgames.tribes.positions import at, begun, change, city, seen, tile, tiles, unit

SVG = "{http://www.w3.org/2000/svg}"
RULES = Tribes()
XIN_XI, IMPERIUS = (palette.SHADES[tribe] for tribe in (Tribe.XIN_XI, Tribe.IMPERIUS))
ALL_SIGHT = " ".join(f"{column}{row}" for column in "abcdefghijk" for row in range(1, 12))


def draw(state, previous=None, seat=None, theme="light", **options) -> ET.Element:
    rules = Tribes(**options) if options else RULES
    return ET.fromstring(render.render(rules, state, previous, theme, seat).as_svg())


def having(root: ET.Element, *classes: str) -> list[ET.Element]:
    """Returns the elements that have all of some classes."""
    return [e for e in root.iter() if set(classes) <= set((e.get("class") or "").split())]


def words(root: ET.Element) -> list[str]:
    return [text.text for text in root.iter(f"{SVG}text") if text.text]


def title(root: ET.Element) -> str:
    (found,) = root.iter(f"{SVG}title")
    return found.text


def fills(root: ET.Element) -> set[str]:
    return {shape.get("fill") for shape in root.iter()}


def placed(root: ET.Element, x: float = 0, y: float = 0) -> Iterator[tuple[ET.Element, str]]:
    """Yields all elements with the name of the tile at whose corner, or right of it, they begin."""
    match = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", root.get("transform") or "")
    if match:
        x, y = x + float(match[1]), y + float(match[2])
    row, column = (y - render.BOARD_Y) // ground.CELL, (x - render.BOARD_X) // ground.CELL
    yield root, f"{chr(ord('a') + int(column))}{int(row) + 1}" if row >= 0 <= column else ""
    for child in root:
        yield from placed(child, x, y)


def where(root: ET.Element, *classes: str) -> str:
    """Returns the tiles, in order of their names, of things that have all of some classes."""
    wanted = set(classes)
    found = {
        name
        for element, name in placed(root)
        if wanted <= set((element.get("class") or "").split())
    }
    return " ".join(sorted(found))


def unit_titles(root: ET.Element) -> list[str]:
    return sorted(title(group) for group in having(root, "unit"))


def tree(root: ET.Element, tribe: int, state: str) -> int:
    """Returns the number of technologies in a state: known, next or later."""
    return len(having(root, "technology", state, f"tribe-{tribe}"))


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


def test_units_that_have_finished_are_pale_in_their_own_turn():
    state = begun()
    for name, tribe, status in (("a1", 0, 5), ("b1", 0, 1), ("c1", 1, 5)):
        state = unit(state, name, UnitKind.ARCHER, tribe, status=Status(status))
    root = draw(state)
    assert where(root, "unit", "finished") == "a1"
    (group,) = having(root, "unit", "finished")
    assert XIN_XI.faded in fills(group) and XIN_XI.piece not in fills(group)


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


def test_panels_show_what_their_tribes_have():
    state = unit(city(begun(), "e6", 0, level=2, production=3), "a1", UnitKind.RIDER, 0)
    state = change(
        state,
        "tribes",
        stars=[17, 4],
        kills=[3, 8],
        peace=[2, 0],
        score=[12345, 390],
        technologies=[1 << Technology.CLIMBING | 1 << Technology.MINING, 1],
    )
    root = draw(state)
    first, second = (having(root, "numbers", f"tribe-{tribe}")[0] for tribe in (0, 1))
    assert words(first) == ["17 (+7)", "2", "2", "3", "2"]
    assert words(second) == ["4 (+2)", "1", "1", "8"]
    head, other = having(root, "panel")
    assert words(head) == ["Xin-Xi", "to move", "12,345 points"]
    assert words(other) == ["Imperius", "390 points"]
    assert [tree(root, 0, name) for name in ("known", "next", "later")] == [2, 6, 16]
    assert words(having(root, "prices", "tribe-0")[0]) == ["Price by tier", "6, 8, 10"]


def test_every_technology_stands_below_its_parent():
    assert len(panels.COLUMNS) == len(Technology)
    for technology, (left, width) in panels.COLUMNS.items():
        parent = panels.PARENTS.get(technology)
        if parent is not None:
            above, room = panels.COLUMNS[parent]
            assert above <= left and left + width <= above + room + 1e-9
    for one, other in itertools.combinations(panels.COLUMNS, 2):
        if panels.TIER[one] == panels.TIER[other]:
            (a, width), (b, room) = panels.COLUMNS[one], panels.COLUMNS[other]
            assert a + width <= b + 1e-9 or b + room <= a + 1e-9


def test_monuments_are_pale_rimmed_or_whole():
    states = np.zeros((2, 7))
    states[0] = [0, 1, 2, 0, 0, 1, 2]
    drawn = having(draw(change(begun(), "tribes", monuments=states)), "monument")
    names = [MonumentState(int(n)).name.lower() for n in states.reshape(-1)]
    assert [group.get("class").split()[1] for group in drawn] == names
    assert len({group.get("opacity") for group in drawn}) == 2


def test_seats_do_not_see_what_others_have():
    state = change(begun(), "tribes", stars=[17, 4], technologies=[3, 0xFFFFFF], kills=[5, 6])
    root = draw(state, seat=0)
    numbers = [words(group) for group in having(root, "numbers")]
    assert numbers == [["17 (+2)", "1", "1", "5"], ["?", "1", "1", "?"]]
    assert [tree(root, tribe, "known") for tribe in (0, 1)] == [2, 0]
    assert [tree(root, tribe, "next") for tribe in (0, 1)] == [7, 0]
    assert [len(words(group)) for group in having(root, "prices")] == [2, 0]
    assert "seen by Xin-Xi" in words(having(root, "heading")[0])[0]


def test_heading_says_what_is_to_be_decided():
    state = begun(people=(3, 2))

    def heading(state, **options):
        return words(having(draw(state, **options), "heading")[0])

    assert heading(state) == ["Tick 0 of 50 · Capitals", "Oumaji: take an action"]
    assert heading(state, mode="score")[0] == "Tick 0 of 30 · Score"
    chosen = state.replace(phase=np.int8(1), selected=np.int16(tile("c3")))
    assert heading(chosen)[1] == "Oumaji: choose what to do on c3"
    grown = change(state, "cities", population=[2] + [0] * 11)
    assert heading(grown)[1] == "Oumaji: choose how c3 grows"
    over = change(state, "tribes", score=[1000, 2000])
    over = over.replace(over=np.bool_(True), ranking=np.array([1, 0], np.int8))
    assert heading(over) == ["Game over · Capitals", "Bardur wins with 2,000 points"]


def test_picture_has_a_title_in_words():
    found = draw(begun()).find(f"{SVG}title").text
    expected = "Tribes: Tick 0 of 50 · Capitals; Xin-Xi 390, Imperius 390; Xin-Xi: take an action"
    assert found == expected


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


@pytest.mark.parametrize(
    ("capitals", "side"),
    [("c3 i9", 11), ("c3 i3 c9 i9", 11), ("c3 i3 c9", 14), ("c3 i3 c9 i9", 16)],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_board_and_panels_fit(capitals, side, theme):
    players = len(capitals.split())
    state = begun(capitals, tuple(range(players)), side=side)
    root = draw(state, theme=theme, num_players=players, side=side)
    width, height = float(root.get("width")), float(root.get("height"))
    board = (render.BOARD_X, render.BOARD_Y, ground.CELL * side, ground.CELL * side)
    boxes = [board]
    for holder in root.iter(f"{SVG}g"):
        if any("panel" in (child.get("class") or "").split() for child in holder):
            x, y = re.match(r"translate\(([\d.]+),([\d.]+)\)", holder.get("transform")).groups()
            boxes.append((float(x), float(y), panels.WIDTH, panels.HEIGHT))
    assert len(boxes) == players + 1
    for x, y, w, h in boxes:
        assert x >= 0 and y >= 0 and x + w <= width and y + h <= height
    for (x, y, w, h), (x2, y2, w2, h2) in itertools.combinations(boxes, 2):
        assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_pictures_repeat_and_themes_differ():
    light, again = (render.render(RULES, begun()).as_svg() for _ in range(2))
    assert light == again
    assert light != render.render(RULES, begun(), theme="dark").as_svg()
    with pytest.raises(ValueError, match="unknown theme 'drak'"):
        render.render(RULES, begun(), theme="drak")


def test_batches_and_unknown_seats_are_refused():
    batch = jax.tree.map(lambda leaf: np.stack([leaf, leaf]), begun())
    with pytest.raises(ValueError, match=r"got a batch of shape \(2,\)"):
        render.render(RULES, batch)
    with pytest.raises(ValueError, match="seat must be None or 0 to 1, got 2"):
        render.render(RULES, begun(), seat=2)


def shown(text: str, time: float, num_games: int) -> ET.Element:
    """Returns an animation as it looks at a time, counted in frames, apart from what glides."""
    root, num_frames = ET.fromstring(text), num_games + svg.HOLD
    for parent in list(root.iter()):
        for child in list(parent):
            animation = child.find(f"{SVG}animate")
            if animation is not None:
                times = [float(value) for value in animation.get("keyTimes").split(";")]
                index = max(i for i, value in enumerate(times) if value <= time / num_frames)
                if animation.get("values").split(";")[index] == "hidden":
                    parent.remove(child)
            elif child.get("visibility") == "hidden":
                parent.remove(child)
    return root


def content(root: ET.Element) -> collections.Counter:
    classes = [e.get("class") for e in root.iter() if e.get("class")]
    titles = [e.text for e in root.iter(f"{SVG}title") if not e.text.startswith(("Tr", "A game"))]
    return collections.Counter([*words(root), *classes, *titles])


def moved(state, start: str, end: str):
    """Returns a state in which a unit went from one tile to another."""
    fields = {}
    for name, field in vars(state.units).items():
        fields[name] = field.copy()
        fields[name][tile(end)], fields[name][tile(start)] = field[tile(start)], field[tile("a11")]
    return change(state, "units", **fields)


def test_each_frame_of_an_animation_is_its_position():
    start = unit(unit(begun(), "e5", UnitKind.RIDER, 0), "g5", UnitKind.ARCHER, 1)
    after = moved(start, "e5", "f4")
    games = [
        start,
        after,
        moved(after, "g5", "a11"),
        city(moved(after, "a11", "g5"), "e6", 0, "e6 e7", level=2),
        change(city(after, "e6", 1, level=3), "tribes", stars=[4, 9], score=[1, 2]),
        at(after, "tiles", "a1", building=BuildingKind.PORT).replace(active=np.int8(1)),
    ]
    text = render.animate(RULES, games, seconds_per_move=2).as_svg()
    for frame, pair in enumerate(zip(games, [None, *games], strict=False)):
        assert content(shown(text, frame + 0.9, len(games))) == content(draw(*pair)), frame
    assert 'dur="16s"' in text


def test_units_glide_from_where_they_were_and_killed_ones_stay_until_then():
    start = unit(unit(begun(), "e5", UnitKind.RIDER, 0), "f4", UnitKind.ARCHER, 1)
    text = render.animate(RULES, [start, moved(start, "e5", "f4")]).as_svg()
    root = ET.fromstring(text)
    starts = [a.get("values").split(";")[0] for a in root.iter(f"{SVG}animateTransform")]
    assert starts == ["-60,60"]
    assert len(having(shown(text, 1.1, 2), "archer")) == 1
    assert len(having(shown(text, 1.9, 2), "archer")) == 0


def test_animation_needs_a_position():
    with pytest.raises(ValueError, match="at least one position, got none"):
        render.animate(RULES, [])
