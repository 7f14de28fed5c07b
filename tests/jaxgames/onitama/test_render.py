import collections
import xml.etree.ElementTree as ET

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.onitama import notation, render
from jaxgames.onitama.rules import Onitama
from jaxgames.pictures import animation, svg
from papers.onitama_report.game import notation as report_notation
from papers.onitama_report.game import render as report_render
from papers.onitama_report.game import rules as report
from tests.animations import seen

RULES = Onitama()
SVG = "{http://www.w3.org/2000/svg}"
STEP = jax.jit(RULES.step)
MIDDLE = "1bB1b/3b1/1b1r1/2R2/rr2r r ox,tiger|boar,crab|dragon 14"


def play(text: str, *moves: str) -> list:
    games = [notation.text_to_state(RULES, text)]
    for move in moves:
        action = notation.text_to_action(RULES, games[-1], move)
        games.append(jax.device_get(STEP(games[-1], action)))
    return games


def classes(root: ET.Element) -> collections.Counter:
    return collections.Counter(group.get("class") for group in root.iter(f"{SVG}g"))


def words(root: ET.Element) -> list[str]:
    return [text.text for text in root.iter(f"{SVG}text") if text.text]


def draw(text: str, **options) -> ET.Element:
    game = notation.text_to_state(RULES, text)
    return ET.fromstring(render.render(RULES, game, **options).as_svg())


def translation(element: ET.Element) -> tuple[float, float]:
    x, y = element.get("transform").partition("(")[2].partition(")")[0].split(",")
    return float(x), float(y)


def test_position_shows_every_piece_and_card_once():
    root = draw(MIDDLE)
    drawn = classes(root)
    assert drawn["student red"] == 4
    assert drawn["master red"] == drawn["master blue"] == 1
    assert drawn["student blue"] == 4
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


def test_dark_theme_differs_and_unknown_one_is_named():
    game = notation.text_to_state(RULES, MIDDLE)
    dark = render.render(RULES, game, theme="dark").as_svg()
    assert dark != render.render(RULES, game).as_svg()
    with pytest.raises(ValueError, match="unknown theme 'drak'"):
        render.render(RULES, game, theme="drak")


CAPTURE = ("2B2/5/2b2/2R2/5 r boar,crab|ox,tiger|dragon 4", "crab:c2c3", "ox:c5c4")


def test_each_frame_of_an_animation_shows_its_position():
    games = play(*CAPTURE)
    text = render.animate(RULES, games, seconds_per_move=2).as_svg()
    for frame, game in enumerate(games):
        moment = seen(text, frame + 0.9, len(games))
        still = ET.fromstring(render.render(RULES, game).as_svg())
        for kind in ("student red", "master red", "student blue", "master blue", "card", "label"):
            assert classes(moment)[kind] == classes(still)[kind], (frame, kind)
        assert sorted(words(moment)) == sorted(words(still))
    assert 'dur="10s"' in text
    rest = seen(text, len(games) + animation.HOLD - 0.1, len(games))
    assert sorted(words(rest)) == sorted(words(still))


def test_captured_piece_stays_until_the_captor_arrives():
    games = play(*CAPTURE)
    text = render.animate(RULES, games).as_svg()
    students = [
        classes(seen(text, time, len(games)))["student blue"] for time in (0.5, 1.1, 1.9, 2.5)
    ]
    assert students == [1, 1, 0, 0]


def test_pieces_and_cards_glide_from_where_they_were():
    games = play(*CAPTURE)
    root = ET.fromstring(render.animate(RULES, games[:2]).as_svg())
    starts = [a.get("values").split(";")[0] for a in root.iter(f"{SVG}animateTransform")]
    assert f"0,{render.CELL}" in starts  # the master moved one square up
    # The used card goes to Blue's side, the side card to the hand, the other hand card may shift.
    assert len(starts) in (3, 4)


def test_animation_needs_a_position():
    with pytest.raises(ValueError, match="at least one position, got none"):
        render.animate(RULES, [])


def test_env_renders_and_a_batch_is_refused():
    env = jaxgames.make("onitama", deal="boar,ox|elephant,horse|crab")
    state = env.init(jax.random.key(0))
    assert "crab" in env.render(state).as_svg()
    batch = jax.tree.map(lambda leaf: np.stack([leaf, leaf]), notation.text_to_state(RULES, MIDDLE))
    with pytest.raises(ValueError, match=r"got a batch of shape \(2,\)"):
        render.render(RULES, batch)


def test_report_variant_is_drawn_as_the_base_game():
    rules = report.OnitamaReport()
    text = "bbBbb/5/5/5/rrRrr r dragon,elephant|goose,monkey|rooster 0"
    game, base = report_notation.text_to_state(rules, text), notation.text_to_state(RULES, text)
    picture = report_render.render(rules, game)
    assert picture.as_svg() == render.render(RULES, base).as_svg()
    film = report_render.animate(rules, [game, game])
    assert film.as_svg() == render.animate(RULES, [base, base]).as_svg()


def test_one_position_is_no_film():
    game = RULES.init(jax.random.key(0))
    with pytest.raises(ValueError, match="takes a list of positions, in order, got OnitamaState"):
        render.animate(RULES, game)
    assert "<svg" in render.animate(RULES, [game]).as_svg()
    assert "<svg" in render.animate(RULES, iter([game, game])).as_svg()
