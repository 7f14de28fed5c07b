"""Boards that are drawn by default, from what stands on their squares."""

import types

import pytest

from jaxgames.boards.squares import Piece
from jaxgames.pictures import square_board, svg
from jaxgames.pictures.click_paths import ClickPath
from tests.jaxgames.click_areas import areas

KING, PAWN = Piece(0, "K"), Piece(1)
RULES = types.SimpleNamespace(num_players=2)
BEFORE = ((KING, None, None), (None, None, PAWN))
AFTER = ((None, KING, None), (None, None, PAWN))
TEXTS = types.SimpleNamespace(
    state_to_text=lambda rules, game: "the position",
    playable_moves=lambda rules, game: {3: "Ka1-b1", 4: "pass", 7: "a1xc2=Q", 9: "z1-a12"},
)


def board(**more):
    module = types.SimpleNamespace(squares=lambda rules, game: game, **more)
    return square_board.completed(module, "The Game", TEXTS)


def test_squares_are_named_with_what_stands_on_them():
    picture = board().render(RULES, BEFORE)
    assert areas(picture) == {
        "square:a1": "a1, Seat 0 K",
        "square:b1": "b1",
        "square:c1": "c1",
        "square:a2": "a2",
        "square:b2": "b2",
        "square:c2": "c2, Seat 1",
    }
    assert picture.title == "The Game: the position"


def test_the_squares_that_a_move_names_are_its_clicks():
    assert board().click_paths(RULES, BEFORE) == [
        ClickPath(3, ("square:a1", "square:b1")),
        ClickPath(4),
        ClickPath(7, ("square:a1", "square:c2")),
        ClickPath(9),
    ]


def test_a_piece_that_has_moved_glides_and_both_squares_are_marked():
    before, after = (
        square_board.SquareDrawing(board(), TEXTS, RULES, game, svg.LIGHT, None)
        for game in (BEFORE, AFTER)
    )
    parts = {part.name: part.slide for part in after.parts(before)}
    (glides,) = (slide for slide in parts.values() if slide is not None)
    assert glides == (-square_board.CELL, 0)
    assert {"mark (0, 0)", "mark (0, 1)"} <= set(parts) and len(parts) == 4
    assert len(list(after.parts(None))) == 2, "without an earlier position nothing is marked"
    assert "<animateTransform" in board().animate(RULES, [BEFORE, AFTER]).as_svg()


def test_what_a_renderer_says_itself_counts():
    looks = [svg.SeatLook("White", "#ffffff"), svg.SeatLook("Black", "#101010")]
    own = board(seat_looks=lambda rules, game, theme: looks, click_paths=lambda rules, game: [])
    picture = own.render(RULES, BEFORE, theme="dark")
    assert areas(picture)["square:c2"] == "c2, Black" and "#101010" in picture.as_svg()
    assert own.click_paths(RULES, BEFORE) == []
    with pytest.raises(ValueError, match="no board to turn"):
        own.render(RULES, BEFORE, below=1)
