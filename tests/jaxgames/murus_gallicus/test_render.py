import collections
import xml.etree.ElementTree as ET

import pytest

from jaxgames.murus_gallicus import notation, render
from tests.jaxgames.murus_gallicus.positions import START, play, read, rules_of
from tests.svg_trees import SVG, check_film, seen, starts, tree, words

MIDDLE = "4c3/1t1wt1w1/1wwct3/6T1/2T1TCT1/1WW5/1T1W4 g 23"
STRIKE = ("8/8/3c4/3T4/8/8/T7 r", "d4-d5-2")
RULES = rules_of()


def steps(text: str, *moves: str) -> list:
    return [play(text, *moves[:count]) for count in range(len(moves) + 1)]


def draw(text: str, **options) -> ET.Element:
    return tree(render.render(RULES, read(text), **options))


def stones(root: ET.Element) -> collections.Counter:
    """Returns the places of all stones, in pixels, with their colours."""
    found = collections.Counter()
    for group in root.iter(f"{SVG}g"):
        kind = group.get("class") or ""
        if kind.startswith("stone"):
            x, y = group.get("transform").partition("(")[2].partition(")")[0].split(",")
            found[kind.split()[1], float(x), float(y)] += 1
    return found


def place(cell: str, level: int) -> tuple[float, float]:
    """Returns the pixels of a stone with so many stones below it."""
    file, rank = notation.FILE_NAMES.index(cell[0]), int(cell[1]) - 1
    x = render.BOARD_X + render.CELL * (file + 0.5)
    y = render.BOARD_Y + render.CELL * (7 - rank) - render.FOOT - render.STONE_HEIGHT * level
    return x, y


def test_position_shows_every_stone_where_it_stands():
    drawn = stones(draw("t7/8/8/8/8/2C5/7W r"))
    expected = [("gauls", *place("a7", level)) for level in range(2)]
    expected += [("romans", *place("c2", level)) for level in range(3)]
    expected += [("romans", *place("h1", 0))]
    assert drawn == collections.Counter(expected)


def test_position_names_sides_files_ranks_and_plies():
    root = draw(MIDDLE)
    expected = {"Romans", "Gauls", "to act", "ply 23", *"abcdefgh", *"1234567"}
    assert set(words(root)) == expected
    assert root.find(f"{SVG}title").text == f"Murus Gallicus: {MIDDLE}"
    assert draw(START).find(f"{SVG}title").text == f"Murus Gallicus: {START}"


def label_heights(root: ET.Element) -> dict[str, float]:
    return {text.text: float(text.get("y")) for text in root.iter(f"{SVG}text") if text.text}


@pytest.mark.parametrize(
    ("text", "expected", "side"),
    [
        (MIDDLE, "to act", "Gauls"),
        (MIDDLE.replace(" g", " r"), "to act", "Romans"),
        ("3W4/3W4/8/8/8/8/T7 g", "wins: breakthrough", "Romans"),
        ("8/8/8/3w4/8/8/T7 g", "wins: no move", "Romans"),
        ("t7/8/8/3W4/8/8/8 r", "wins: no move", "Gauls"),
    ],
)
def test_who_acts_or_has_won_stands_beside_the_name(text, expected, side):
    drawn = label_heights(draw(text))
    nearest = min(("Romans", "Gauls"), key=lambda name: abs(drawn[name] - drawn[expected]))
    assert nearest == side


def test_draw_is_written_for_both_sides():
    drawn = words(draw(f"{START} 200"))
    assert drawn.count("draw: ply limit") == 2 and "to act" not in drawn


def test_delayed_winner_is_the_side_to_act():
    rules = rules_of(variant="delayed")
    game = read("3W4/8/8/8/8/8/T7 r", variant="delayed")
    drawn = label_heights(tree(render.render(rules, game)))
    assert abs(drawn["Romans"] - drawn["wins: breakthrough"]) < 10


def test_seats_are_named_where_they_may_be_swapped():
    rules = rules_of(pie_rule=True)
    swapped = read("tttttttt/8/8/8/2W5/2W5/TT1TTTTT g 2 swapped", pie_rule=True)
    drawn = words(tree(render.render(rules, swapped)))
    assert {"Romans (seat 1)", "Gauls (seat 0)"} <= set(drawn)


def test_cells_of_the_last_action_are_marked():
    before, after = steps(START, "c1-c3")
    marks = 'fill-opacity="0.35"'
    assert render.render(RULES, after).as_svg().count(marks) == 0
    assert render.render(RULES, after, before).as_svg().count(marks) == 3
    before, after = steps(*STRIKE)
    marked = render.render(RULES, after, before).as_svg()
    assert marked.count(marks) == 2
    assert stones(ET.fromstring(marked)) == stones(draw(notation.state_to_text(RULES, after)))


LINE = [
    *("d1-f3", "d7-b5", "h1-h3", "c7-c5", "g1-g3", "b7-b5", "f1-h3", "e7-c5", "e1-e3", "f7-d5"),
    *("g2-e4", "a7-c5", "h3-f3", "c6-e6", "c1-e3", "c5-e5", "e2-e4", "c5-e5", "f3-d5", "g7-e5"),
    *("e4-e5-2", "d6-f6", "e3-b6"),
]


def test_each_frame_of_an_animation_rests_in_its_position():
    games = steps(START, *LINE)
    text = check_film(render, RULES, games)
    for frame, game in enumerate(games):
        still = stones(tree(render.render(RULES, game)))
        assert stones(seen(text, frame + 0.9, len(games))) == still, frame


def test_both_stones_of_a_moving_tower_glide_from_its_cell():
    root = tree(render.animate(RULES, steps(START, "c1-c3")))
    step = render.CELL
    # The upper stone goes one cell, or two: either way the two make up the tower.
    found = starts(root)
    assert [x for x, _ in found] == [0, 0]
    assert sum(y for _, y in found) == 3 * step - render.STONE_HEIGHT


def test_thrown_stone_glides_from_the_top_of_the_catapult():
    games = steps("t7/8/8/8/8/1C6/8 r", "b2-b5")
    found = starts(tree(render.animate(RULES, games)))
    assert found == [(0, 3 * render.CELL - 2 * render.STONE_HEIGHT)]


def test_struck_stones_stay_until_the_striking_stones_arrive():
    games = steps(*STRIKE)
    text = render.animate(RULES, games).as_svg()
    catapult = {("gauls", *place("d5", level)) for level in range(3)}
    early, late = (set(stones(seen(text, time, len(games)))) for time in (1.1, 1.9))
    assert catapult <= early
    assert catapult & late == {("gauls", *place("d5", 0))}
    assert len(starts(ET.fromstring(text))) == 2


def test_stones_come_from_the_hand_in_a_redistribution():
    rules = rules_of(redistribute_start=True)
    games = [play(START, *moves, redistribute_start=True) for moves in (("-c1",), ("-c1", "+b2"))]
    text = render.animate(rules, games).as_svg()
    assert starts(ET.fromstring(text)) == []
    assert ("romans", *place("b2", 0)) in stones(seen(text, 1.5, 2))
