import xml.etree.ElementTree as ET

import jax
import pytest

from jaxgames.onitama import notation, render
from jaxgames.onitama.rules import Onitama
from jaxgames.pictures import svg
from papers.onitama_report.game import notation as report_notation
from papers.onitama_report.game import render as report_render
from papers.onitama_report.game import rules as report
from tests.svg_trees import SVG, check_film, content, seen, starts, tree, words

RULES = Onitama()
STEP = jax.jit(RULES.step)
MIDDLE = "1bB1b/3b1/1b1r1/2R2/rr2r r ox,tiger|boar,crab|dragon 14"


def play(text: str, *moves: str) -> list:
    games = [notation.text_to_state(RULES, text)]
    for move in moves:
        action = notation.text_to_action(RULES, games[-1], move)
        games.append(jax.device_get(STEP(games[-1], action)))
    return games


def draw(text: str, **options) -> ET.Element:
    game = notation.text_to_state(RULES, text)
    return tree(render.render(RULES, game, **options))


def translation(element: ET.Element) -> tuple[float, float]:
    x, y = element.get("transform").partition("(")[2].partition(")")[0].split(",")
    return float(x), float(y)


def test_position_shows_every_piece_and_card_once():
    root = draw(MIDDLE)
    drawn = content(root)
    assert drawn["student red"] == drawn["student blue"] == 4
    assert drawn["master red"] == drawn["master blue"] == 1
    assert drawn["card"] == 5
    names = {"ox", "tiger", "boar", "crab", "dragon"}
    assert names <= set(words(root))
    assert {"ply 14", "Red", "Blue", "to move", *"abcde", *"12345"} <= set(words(root))
    assert root.find(f"{SVG}title").text == f"Onitama: {MIDDLE}"


def test_pieces_stand_on_their_squares():
    root = draw("2B2/5/5/5/r1R2 b ox,tiger|boar,crab|dragon 14")
    places = {
        group.get("class"): translation(group)
        for group in root.iter(f"{SVG}g")
        if group.get("class") in ("student red", "master red", "master blue")
    }
    (left, bottom), (middle, _), (_, top) = (
        places[kind] for kind in ("student red", "master red", "master blue")
    )
    assert middle - left == 2 * render.CELL
    assert bottom - top == 4 * render.CELL
    assert places["master blue"][0] == middle


def card_squares(root: ET.Element) -> dict[str, tuple[tuple[float, float], list]]:
    """Returns for each card its place, and its marked squares with colours."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "card":
            _, centre, *marked = group.iter(f"{SVG}rect")
            x, y = float(centre.get("x")), float(centre.get("y"))
            offsets = [
                (
                    round((float(mark.get("x")) - x) / render.CARD_CELL),
                    round((y - float(mark.get("y"))) / render.CARD_CELL),
                    mark.get("fill"),
                )
                for mark in marked
            ]
            found[group.find(f"{SVG}text").text] = (translation(group), offsets)
    return found


def test_cards_show_the_moves_of_their_owner_at_the_side_of_the_owner():
    drawn = card_squares(draw(MIDDLE))
    red, blue = svg.LIGHT.seats
    assert drawn["ox"][1] == [(0, 1, red), (1, 0, red), (0, -1, red)]
    assert drawn["crab"][1] == [(0, -1, blue), (2, 0, blue), (-2, 0, blue)]
    assert drawn["ox"][0][1] == drawn["tiger"][0][1] > drawn["crab"][0][1] == drawn["boar"][0][1]
    assert drawn["dragon"][1][0] == (-2, 1, red)
    blue_to_move = card_squares(draw(MIDDLE.replace(" r ", " b ")))
    assert blue_to_move["dragon"][1][0] == (2, -1, blue)
    assert blue_to_move["dragon"][0][0] < drawn["dragon"][0][0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5/5/2R2/5/5 b ox,tiger|boar,crab|dragon 9", ["wins", "Way of the Stone"]),
        ("2R2/5/2B2/5/5 b ox,tiger|boar,crab|dragon 9", ["wins", "Way of the Stream"]),
        ("2B2/5/2R2/5/5 b ox,tiger|boar,crab|dragon 200", ["draw", "ply limit"] * 2),
    ],
)
def test_end_of_the_game_is_written(text, expected):
    drawn = words(draw(text))
    assert [
        word for word in drawn if word in ("wins", "draw", "ply limit") or "Way" in word
    ] == expected
    assert "to move" not in drawn


def test_last_move_is_marked_and_the_captured_piece_is_gone():
    before, after = play(MIDDLE, "tiger:c2c4")
    plain, marked = render.render(RULES, after), render.render(RULES, after, before)
    marks = 'fill-opacity="0.35"'
    assert plain.as_svg().count(marks) == 0
    assert marked.as_svg().count(marks) == 2
    before, after = play("2B2/5/3b1/2R2/5 r boar,crab|ox,tiger|dragon 4", "crab:c2c3")
    assert render.render(RULES, after, before).as_svg().count("student blue") == 1


CAPTURE = ("2B2/5/2b2/2R2/5 r boar,crab|ox,tiger|dragon 4", "crab:c2c3", "ox:c5c4")


def test_captured_piece_stays_until_the_captor_arrives():
    games = play(*CAPTURE)
    text = check_film(render, RULES, games)
    students = [
        content(seen(text, time, len(games)))["student blue"] for time in (0.5, 1.1, 1.9, 2.5)
    ]
    assert students == [1, 1, 0, 0]


def test_pieces_and_cards_glide_from_where_they_were():
    games = play(*CAPTURE)
    found = starts(tree(render.animate(RULES, games[:2])))
    assert (0, render.CELL) in found  # the master moved one square up
    # The used card goes to Blue's side, the side card to the hand, the other hand card may shift.
    assert len(found) in (3, 4)


def test_report_variant_is_drawn_as_the_base_game():
    rules = report.OnitamaReport()
    text = "bbBbb/5/5/5/rrRrr r dragon,elephant|goose,monkey|rooster 0"
    game, base = report_notation.text_to_state(rules, text), notation.text_to_state(RULES, text)
    picture = report_render.render(rules, game)
    assert picture.as_svg() == render.render(RULES, base).as_svg()
    film = report_render.animate(rules, [game, game])
    assert film.as_svg() == render.animate(RULES, [base, base]).as_svg()
