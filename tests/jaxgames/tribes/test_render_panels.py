"""Pictures of Tribes: panels, headings, room for all, what is refused."""

import itertools
import re

import numpy as np
import pytest

from jaxgames.tribes import render
from jaxgames.tribes.render import ground, panels
from jaxgames.tribes.tables.buildings import MonumentState
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.tribes.drawn import draw
from tests.jaxgames.tribes.positions import begun, change, city, tile, unit
from tests.svg_trees import SVG, having, words


def technologies(root, tribe: int, state: str) -> int:
    """Returns the number of technologies in a state: known, next or later."""
    return len(having(root, "technology", state, f"tribe-{tribe}"))


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
    assert [technologies(root, 0, name) for name in ("known", "next", "later")] == [2, 6, 16]
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
    assert [technologies(root, tribe, "known") for tribe in (0, 1)] == [2, 0]
    assert [technologies(root, tribe, "next") for tribe in (0, 1)] == [7, 0]
    assert [len(words(group)) for group in having(root, "prices")] == [2, 0]
    assert "seen by Xin-Xi" in words(having(root, "heading")[0])[0]


def test_heading_says_what_is_to_be_decided():
    state = begun(tribe_ids=(3, 2))

    def heading(state, **options):
        return words(having(draw(state, **options), "heading")[0])

    assert heading(state) == ["Tick 0 of 50 · Capitals", "Oumaji: take an action"]
    assert heading(state, mode="score")[0] == "Tick 0 of 30 · Score"
    assert heading(state, rules="corrected")[0] == "Tick 0 of 49 · Capitals"
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
