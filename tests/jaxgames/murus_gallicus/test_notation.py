"""Position and move text of Murus Gallicus: round trips, and what is refused with which words."""

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxgames.murus_gallicus import notation, position
from tests.jaxgames.murus_gallicus.positions import (
    START,
    is_over,
    legal_actions,
    play,
    read,
    rules_of,
    step,
)
from tests.jaxgames.states import same

RULES = rules_of()


def test_start_position_reads_as_the_one_that_is_set_up():
    assert same(read(START), jax.device_get(RULES.init(jax.random.key(0))))


def test_cells_are_named_from_the_side_of_the_romans():
    game = read("4c3/8/8/8/8/8/W2T4 g 7")
    assert [int(word) for word in jax.tree.leaves(game.other)] == [1, 0, 1 << 3, 0]
    # Seen by the Gauls, e7 is on their home row, three files from their left.
    assert [int(word) for word in jax.tree.leaves(game.own)] == [1 << 3, 0, 1 << 3, 0]
    assert (int(game.seat), int(game.ply)) == (1, 7)
    assert position.roman_heights(game)[[0, 3, 52]].tolist() == [1, 2, -3]
    assert position.heights(game)[[55, 52, 3]].tolist() == [-1, -2, 3]


def test_plies_are_written_only_when_some_were_played():
    assert notation.state_to_text(RULES, read(f"{START} 0")) == START
    assert notation.state_to_text(RULES, play(START, "a1-a3")).endswith(" g 1")


def test_fields_may_be_parted_by_any_blanks():
    assert same(read("  " + START.replace(" ", " \t") + "  12 "), read(f"{START} 12"))


@pytest.mark.parametrize(
    "text",
    [
        "3W4/3W4/8/8/8/8/8 g 35",  # the Romans have broken through
        "8/8/3w4/8/8/8/8 g 12",  # the Gauls cannot act
        "8/8/8/8/8/8/8 r",  # nobody can
        f"{START} 200",  # ply limit
    ],
)
def test_finished_games_can_be_read(text):
    assert notation.state_to_text(RULES, read(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected 2 to 4 fields \(board, side to act, .*\), got 0"),
        (START.split()[0], "got 1"),
        (f"{START} 0 swapped x", "got 5"),
        ("tttttttt/8/8/8/8/TTTTTTTT r", "expected 7 ranks, got 6"),
        (START.replace("8", "9", 1), "rank 6 '9': '9' is not one of WTCwtc12345678"),
        (START.replace("8", "80", 1), "rank 6 '80': '0' is not one of"),
        (START.replace("8", "7", 1), "rank 6 '7': expected 8 squares, got 7"),
        (START.replace("8", "8w", 1), "rank 6 '8w': expected 8 squares, got 9"),
        (START.replace("TT ", "TX "), "rank 1 'TTTTTTTX': 'X' is not one of"),
        (START.replace("8", "w7", 1), "at most 16 stones of the Gauls, got 17"),
        (START.replace("T ", "C "), "at most 16 stones of the Romans, got 17"),
        (START.replace(" r", " b"), "side to act 'b': expected 'r' or 'g'"),
        (START.replace(" r", " rg"), "side to act 'rg'"),
        (f"{START} -1", "plies played '-1': expected a number from 0 to 200"),
        (f"{START} 201", "plies played '201': expected a number from 0 to 200"),
        (f"{START} ²", "plies played '²'"),
        (f"{START} 3 swapped", "expected 3 fields without pie_rule, got 'swapped'"),
        ("3W4/8/8/8/8/8/8 r", "the Romans have a stone on their far row, so they have won already"),
        ("8/8/8/8/8/8/3w4 g", "the Gauls have a stone on their far row"),
    ],
)
def test_bad_position_names_the_part_at_fault(text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (f"{START} 3 swopped", {"pie_rule": True}, "expected the word 'swapped', got 'swopped'"),
        (
            START.replace(" r", " g"),
            {"redistribute_start": True},
            "the Romans act in ply 0",
        ),
        (f"{START} 4", {"redistribute_start": True}, "the Gauls act in ply 4"),
        (
            f"{START} 1",
            {"redistribute_start": True},
            "the Romans have 7 towers on their home row and 0 walls on their second row in ply 1",
        ),
        (
            "t7/8/8/8/8/8/TTTTTTTT r",
            {"redistribute_start": True},
            "the Gauls have 8 towers on their home row and 0 walls on their second row in ply 0",
        ),
        (
            "tttttttt/8/8/8/8/1WW5/T1TTTTTT r 2",
            {"redistribute_start": True},
            "7 towers on their home row and 1 walls on their second row in ply 2.*from ply 6 on",
        ),
        (
            "tttttttt/8/8/8/8/8/TTTTTTTT g 3",
            {"redistribute_start": True},
            "the Romans have 7 towers on their home row and 2 walls on their second row in ply 3",
        ),
        ("3W4/8/8/8/8/8/T7 r", {"max_stack": 2}, "so they have won already"),
    ],
)
def test_bad_position_under_options_names_the_part_at_fault(text, options, message):
    with pytest.raises(ValueError, match=message):
        read(text, **options)


def test_far_row_of_the_acting_side_may_hold_stones_when_that_does_not_win_at_once():
    for options in ({"variant": "delayed"}, {"breakthrough": False}):
        assert read("3W4/8/8/8/8/8/T7 r", **options) is not None


def test_move_text_names_cells_as_the_romans_do():
    assert notation.action_to_text(RULES, read(START), 0) == "a1-a3"
    assert notation.action_to_text(RULES, read(START.replace(" r", " g")), 0) == "h7-h5"


def test_strike_at_a_catapult_needs_the_number_of_stones():
    game = read("8/8/3c4/3T4/8/8/8 r")
    with pytest.raises(ValueError, match="'d4-d5' is not legal here; did you mean 'd4-d5-"):
        notation.text_to_action(RULES, game, "d4-d5")


def test_no_move_is_legal_after_a_draw_by_repetition():
    cycle = (
        *("g2-e2", "g6-e6", "e2-g2", "e6-g6", "f2-h2", "f6-h6"),
        *("g2-e2", "g6-e6", "h2-f2", "h6-f6", "f2-h2", "f6-h6"),
    )
    game = play("8/4w1tw/8/8/8/4W1TW/8 r", *cycle, repetition_draw=2)
    with pytest.raises(ValueError, match=r"the game is over \(repetition\)"):
        notation.text_to_action(rules_of(repetition_draw=2), game, "g2-e2")


# All that changes what is written; how games end in the variants is a test of properties.
OPTIONS = (
    {},
    {"breakthrough": False, "pie_rule": True},
    {"redistribute_start": True, "pie_rule": True, "variant": "fire3"},
)


@given(st.sampled_from(OPTIONS), st.integers(0, 2**31 - 1), st.integers(0, 60))
def test_text_round_trip_over_random_games(options, seed, plies):
    rules = rules_of(**options)
    rng = np.random.default_rng(seed)
    game = jax.device_get(rules.init(jax.random.key(0)))
    for _ in range(plies):
        assert (position.ending(rules, game) is None) == (not is_over(rules, game))
        if is_over(rules, game):
            break
        actions = np.flatnonzero(legal_actions(rules, game))
        moves = [notation.action_to_text(rules, game, action) for action in actions]
        assert len(set(moves)) == len(moves)
        read_back = [notation.text_to_action(rules, game, move) for move in moves]
        assert read_back == actions.tolist()
        game = jax.device_get(step(rules, game, int(rng.choice(actions))))
    text = notation.state_to_text(rules, game)
    assert same(read(text, **options), game)
