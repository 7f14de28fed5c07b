"""One example for each sentence of the rules, from positions written as text."""

import jax
import pytest

import jaxgames
from jaxgames.murus_gallicus import notation
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS
from tests.jaxgames.murus_gallicus.positions import (
    GAULS_WIN,
    NOBODY,
    ROMANS_WIN,
    START,
    after,
    legal,
    result,
    rules_of,
)

# Set-up


def test_each_side_starts_with_a_tower_on_each_cell_of_its_home_row_and_romans_begin():
    env = jaxgames.make("murus_gallicus")
    state = env.init(jax.random.key(0))
    assert env.state_to_text(state) == START
    assert state.current_player == 0
    assert state.legal_action_mask.sum() == 32


def test_state_has_thirty_five_bytes_for_every_preset():
    for variant in VARIANTS:
        game = jax.eval_shape(MurusGallicus(variant=variant).init, jax.random.key(0))
        assert sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(game)) == 35


# Moves


def test_tower_drops_its_stones_on_the_next_two_cells():
    assert after(START, "c1-c3") == "tttttttt/8/8/8/2W5/2W5/TT1TTTTT g"
    assert after(START, "c1-c3", "d7-b5") == "ttt1tttt/2w5/1w6/8/2W5/2W5/TT1TTTTT r"


def test_tower_moves_in_all_eight_directions():
    lines = {"d4-d6", "d4-f6", "d4-f4", "d4-f2", "d4-d2", "d4-b2", "d4-b4", "d4-b6"}
    assert legal("t7/8/8/3T4/8/8/8 r") == lines


def test_tower_moves_only_where_both_cells_are_on_the_board():
    assert legal("7t/8/8/8/8/1T6/8 r") == {"b2-b4", "b2-d4", "b2-d2"}


def test_move_onto_walls_makes_towers_and_onto_towers_catapults():
    position = "8/8/8/8/1WTTC3/8/8 r"
    assert after(position, "c3-a3") == "8/8/8/8/WT1TC3/8/8 g"
    assert after(position, "d3-b3") == "8/8/8/8/1TC1C3/8/8 g"
    assert after(START, "a1-c1") == "tttttttt/8/8/8/8/8/1CCTTTTT g"


def test_friendly_catapult_blocks_a_move_on_either_cell():
    moves = legal("8/8/8/8/1WTTC3/8/8 r")
    assert not {"d3-f3", "c3-e3"} & moves


def test_enemy_stone_on_the_first_or_the_second_cell_blocks_a_move():
    for enemy in "wtc":
        moves = legal(f"8/8/3{enemy}4/8/3T4/8/8 r")
        assert "d3-d5" not in moves and "d3-f5" in moves
    assert "d3-d5" not in legal("8/8/8/3t4/3T4/8/8 r")


def test_nothing_is_forced_and_there_is_no_pass():
    assert legal("8/8/3w4/3T4/8/8/8 r") == {
        *("d4-d5", "d4-f6", "d4-f4", "d4-f2", "d4-d2", "d4-b2", "d4-b4", "d4-b6"),
    }


# Strikes


def test_single_strike_removes_a_wall_and_leaves_a_wall():
    assert after("7t/8/3w4/3T4/8/8/8 r", "d4-d5") == "7t/8/8/3W4/8/8/8 g"


def test_single_strike_at_a_catapult_leaves_a_tower_and_a_wall():
    assert after("8/8/3c4/3T4/8/8/8 r", "d4-d5-1") == "8/8/3t4/3W4/8/8/8 g"


def test_double_strike_gives_the_tower_for_two_stones_of_a_catapult():
    position = "8/8/3c4/3T4/8/8/8 r"
    assert after(position, "d4-d5-2") == "8/8/3w4/8/8/8/8 g"
    assert result(position, "d4-d5-2") == (True, ROMANS_WIN)  # a wall cannot act


def test_tower_strikes_in_all_eight_directions_but_never_a_tower():
    around = "8/8/2{0}{0}{0}3/2{0}T{0}3/2{0}{0}{0}3/8/8 r"
    names = {"c3", "c4", "c5", "d3", "d5", "e3", "e4", "e5"}
    assert legal(around.format("w")) == {f"d4-{name}" for name in names}
    right = names - {"c3", "c4", "c5"}
    both = {f"d4-{name}-{stones}" for name in right for stones in (1, 2)}
    assert legal("8/8/3cc3/3Tc3/3cc3/8/8 r") == both | {"d4-b2", "d4-b4", "d4-b6"}
    assert legal("8/8/2ttt3/2tTt3/3tt3/8/8 r") == {"d4-b2"}


def test_wall_never_acts_and_a_catapult_neither_moves_nor_strikes():
    assert legal("7t/8/8/2wwwC2/W7/1W6/2T5 r") == {
        *("c1-c3", "c1-a3", "c1-e3", "c1-e1", "c1-a1"),
        *("f4-f6", "f4-f7", "f4-d6", "f4-c7", "f4-h6", "f4-h4", "f4-d4", "f4-c4"),
    }


# Shots


def test_catapult_fires_two_or_three_cells_to_the_sides_and_forward():
    moves = legal("t7/8/8/8/3C4/8/8 r")
    near = {"d3-d5", "d3-f5", "d3-b5", "d3-f3", "d3-b3"}
    far = {"d3-d6", "d3-g6", "d3-a6", "d3-g3", "d3-a3"}
    assert moves == near | far


def test_forward_is_towards_the_far_row_of_each_side():
    moves = legal("8/8/8/3c4/8/8/7T g")
    assert moves == {
        *("d4-d2", "d4-b2", "d4-f2", "d4-b4", "d4-f4"),
        *("d4-d1", "d4-a1", "d4-g1", "d4-a4", "d4-g4"),
    }


def test_shot_at_an_empty_cell_puts_a_wall_there():
    position = "8/8/8/1w1t1c2/8/1C6/8 r"
    assert after(position, "b2-b5") == "8/8/1W6/1w1t1c2/8/1T6/8 g"
    assert after(position, "b2-d2") == "8/8/8/1w1t1c2/8/1T1W4/8 g"


@pytest.mark.parametrize(("stack", "rest"), [("w", "1"), ("t", "w"), ("c", "t")])
def test_shot_at_an_enemy_takes_one_stone_and_the_thrown_stone_is_lost(stack, rest):
    position = f"t7/8/8/3{stack}4/8/1C6/8 r"
    board = f"t7/8/8/3{rest}4/8/1T6/8".replace("314", "8")
    assert after(position, "b2-d4") == f"{board} g"


def test_shot_flies_over_everything():
    for between in ("ww", "Tc", "CC"):
        position = f"7t/8/8/1{between[0]}6/1{between[1]}6/1C6/8 r"
        assert "b2-b5" in legal(position)


def test_own_stacks_cannot_be_fired_at():
    moves = legal("7t/8/8/1W1T4/8/1C1C4/8 r")
    assert not {"b2-b4", "b2-d4", "b2-d2"} & moves
    assert {"b2-b5", "b2-e5", "b2-e2"} <= moves


# The end


def test_stone_on_the_far_row_wins_at_once():
    assert after("8/8/3T4/8/8/8/8 r", "d5-d7") == "3W4/3W4/8/8/8/8/8 g"
    assert result("t7/8/3T4/8/8/8/8 r", "d5-d7") == (True, ROMANS_WIN)
    assert result("8/8/8/8/3t4/8/T7 g", "d3-d1") == (True, GAULS_WIN)


def test_fired_stone_that_lands_on_the_far_row_wins():
    assert result("t7/8/8/3C4/8/8/8 r", "d4-d7") == (True, ROMANS_WIN)
    assert result("t7/8/3C4/8/8/8/8 r", "d5-d7") == (True, ROMANS_WIN)


def test_shot_that_hits_an_enemy_on_the_far_row_puts_no_stone_there():
    assert result("3t3t/8/8/3C4/8/8/8 r", "d4-d7") == (False, NOBODY)


def test_nothing_reaches_the_far_row_from_the_row_before_it():
    assert legal("t7/3T4/8/8/8/8/8 r") == {"d6-f6", "d6-b6", "d6-f4", "d6-d4", "d6-b4"}
    assert legal("t7/3C4/8/8/8/8/8 r") == {"d6-f6", "d6-g6", "d6-b6", "d6-a6"}


def test_side_without_a_legal_action_loses_when_it_is_to_act():
    assert result("8/8/8/8/3w4/8/T7 g") == (True, ROMANS_WIN)
    # The Gauls' tower at the edge is shut in by towers, which cannot be struck.
    assert result("8/8/6TT/6Tt/6TT/8/8 g") == (True, ROMANS_WIN)
    # It does not lose while the other side is to act.
    assert result("8/8/8/3T4/8/3w4/8 r") == (False, NOBODY)


def test_acting_side_wins_by_taking_the_last_action_from_the_other():
    assert result("8/8/3c4/3T4/8/8/8 r", "d4-d5-1") == (False, NOBODY)
    assert result("8/8/8/3w4/3T4/8/8 r", "d3-d4") == (True, ROMANS_WIN)


def test_own_last_action_may_be_followed_by_a_loss_one_ply_later():
    # The Romans give up their only tower; the Gauls move, and then the Romans cannot.
    position = "t7/8/8/8/8/8/7T r"
    assert result(position, "h1-h3") == (False, NOBODY)
    assert result(position, "h1-h3", "a7-a5") == (True, GAULS_WIN)


def test_game_is_drawn_after_two_hundred_plies():
    position = "8/4w1tw/8/8/8/4W1TW/8 r"
    assert result(f"{position} 198", "g2-e2") == (False, NOBODY)
    assert result(f"{position} 199", "g2-e2") == (True, NOBODY)


def test_two_hundredth_ply_may_still_win():
    assert result("t7/8/3T4/8/8/8/8 r 199", "d5-d7") == (True, ROMANS_WIN)
    assert result("8/8/8/3w4/3T4/8/8 r 199", "d3-d4") == (True, ROMANS_WIN)


def test_both_sides_lose_equally_many_stones_in_every_exchange():
    for position, move in (
        ("8/8/3c4/3T4/8/8/8 r", "d4-d5-1"),
        ("8/8/3c4/3T4/8/8/8 r", "d4-d5-2"),
        ("t7/8/8/3w4/8/1C6/8 r", "b2-d4"),
    ):
        lost = [stones(position) - stones(after(position, move)) for stones in (romans, gauls)]
        assert lost[0] == lost[1] > 0


def romans(text: str) -> int:
    return sum(text.count(symbol) * height for height, symbol in enumerate("WTC", 1))


def gauls(text: str) -> int:
    board = text.split()[0]
    return sum(board.count(symbol) * height for height, symbol in enumerate("wtc", 1))


# Action numbers


@pytest.mark.parametrize(
    ("position", "move", "action"),
    [
        (START, "a1-a3", 0),
        (START.replace(" r", " g"), "h7-h5", 0),
        ("8/8/3c4/3T4/8/8/8 r", "d4-d5-1", 27),
        ("8/8/3c4/3T4/8/8/8 r", "d4-d5-2", 475),
        ("8/8/8/1w1t1c2/8/1C6/8 r", "b2-b4", 9),
        ("8/8/8/1w1t1c2/8/1C6/8 r", "b2-b5", 457),
        ("8/8/8/1w1t1c2/8/1C6/8 r", "b2-d4", 65),
        ("8/8/8/1w1t1c2/8/1C6/8 r", "b2-d2", 121),
        ("8/8/8/1w1t1c2/8/1C6/8 r", "b2-e2", 569),
    ],
)
def test_action_numbers_of_the_worked_examples(position, move, action):
    rules = rules_of()
    game = notation.text_to_state(rules, position)
    assert notation.text_to_action(rules, game, move) == action
    assert notation.action_to_text(rules, game, action) == move
