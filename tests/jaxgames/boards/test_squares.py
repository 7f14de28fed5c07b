"""Boards of squares as text, and the names of squares."""

import numpy as np
import pytest

from jaxgames.boards import squares

SYMBOLS = ".xoK"


def test_a_board_reads_back_as_it_was_written():
    cells = np.random.default_rng(0).integers(0, len(SYMBOLS), (5, 12)).astype(np.int8)
    cells[2] = 0  # a run of two digits
    text = squares.board_text(cells, SYMBOLS)
    assert text.split("/")[2] == "12"
    assert np.array_equal(squares.read_board(text, 5, 12, SYMBOLS), cells)


def test_the_first_rank_is_the_nearest_and_the_last_one_in_the_text():
    cells = np.zeros((2, 3), np.int8)
    cells[0, 2] = 1
    assert squares.name(0, 2) == "c1"
    assert squares.board_text(cells, SYMBOLS) == "3/2x"


@pytest.mark.parametrize(
    ("text", "files", "message"),
    [
        ("3", 3, "board '3': expected 2 ranks, got 1"),
        ("3/3/3", 3, "expected 2 ranks, got 3"),
        ("3/33", 3, "board, rank 1 '33': expected 3 squares, got 6"),
        ("xx/3", 3, "board, rank 2 'xx': expected 3 squares, got 2"),
        ("3/4", 3, "board, rank 1 '4': '4' is not one of xoK123"),
        ("12/13", 12, "board, rank 1 '13': '13' is not one of xoK and 1 to 12"),
        ("12/115", 12, "board, rank 1 '115': expected 12 squares, got 16"),
        ("3/2.", 3, "'.' is not one of xoK123"),
        ("3/2\n", 3, r"'\n' is not one of xoK123"),
        ("3/-2", 3, "'-' is not one of xoK123"),
        ("3/x0", 3, "'0' is not one of xoK123"),
        ("3/²1x", 3, "'²' is not one of xoK123"),
        ("3/٣2", 3, "'٣' is not one of xoK123"),
    ],
)
def test_other_texts_are_refused_by_the_place_at_fault(text, files, message):
    with pytest.raises(ValueError, match="board") as found:
        squares.read_board(text, 2, files, SYMBOLS)
    assert message in str(found.value)
