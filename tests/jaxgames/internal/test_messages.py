"""What all notations share: a move text and its action, given the legal moves."""

import re

import pytest

from jaxgames.boards.notation import GameNotation
from jaxgames.internal import messages

MOVES = {3: "a1-a3", 7: "b1-b3", 12: "swap"}
PATTERN = re.compile(r"[a-h][1-7]-[a-h][1-7]|swap")


def test_texts_and_actions_find_each_other():
    for action, text in MOVES.items():
        assert messages.find_text(MOVES, action) == text
        assert messages.find_action(MOVES, text, PATTERN, "a1-a3") == action


@pytest.mark.parametrize("action", [-1, 0, 13])
def test_illegal_action_is_named_with_the_legal_ones(action):
    with pytest.raises(ValueError, match=f"action {action} is not legal here; .* 3, 7, 12"):
        messages.find_text(MOVES, action)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1-a4", "move 'a1-a4' is not legal here; did you mean 'a1-a3'"),
        ("swop", "move 'swop' is not of the form a1-a3; did you mean 'swap'"),
        ("A1-A4", "move 'A1-A4' is not legal here; did you mean 'a1-a3'"),
        ("SWOP", r"did you mean 'swap'\? Legal moves: a1-a3, b1-b3, swap$"),
        ("resign", "move 'resign' is not of the form a1-a3[.] Legal moves: a1-a3, b1-b3, swap"),
        ("", "Legal moves: a1-a3, b1-b3, swap"),
    ],
)
def test_wrong_text_is_named_with_the_nearest_and_all_legal_moves(text, message):
    with pytest.raises(ValueError, match=message):
        messages.find_action(MOVES, text, PATTERN, "a1-a3")


def test_unknown_name_is_offered_the_nearest_in_any_case():
    names = ("ms2", "negaScout")
    expected = "unknown agent 'NEGASCOUT'; available: ms2, negaScout; did you mean 'negaScout'?"
    assert messages.unknown("agent", "NEGASCOUT", names) == expected
    assert (
        messages.unknown("agent", "xyz", names) == "unknown agent 'xyz'; available: ms2, negaScout"
    )
    assert messages.unknown("agent", "xyz", ()) == "unknown agent 'xyz'; available: none"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("build e7", "build E7"),
        ("convert 2W to 2C", "convert 1w to 1c"),
        ("leech 1 from witches", "leech"),
        ("biuld E7", "build E7"),
    ],
)
def test_choices_with_the_same_first_word_come_first(text, nearest):
    commands = ("build I7", "build E7", "convert 2c to 1vp", "convert 1w to 1c", "leech")
    hint = messages.hint(text, (*commands, "faction witches"))
    assert hint == f"; did you mean {nearest!r}?"


@pytest.mark.parametrize("moves", [["a1-a3"], (1, 2), None, "a1-a3"])
def test_moves_that_are_no_dict_are_named(moves):
    notation = GameNotation(lambda rules, text: None, lambda rules, game: moves, re.compile(""), "")
    for ask in (
        lambda: notation.action_to_text(None, None, 0),
        lambda: notation.text_to_action(None, None, "a1-a3"),
        lambda: messages.check_moves(moves),
    ):
        with pytest.raises(ValueError, match=r"playable_moves must return a dict, .*; got "):
            ask()
