"""What the named variants and the single options change, and which values are refused."""

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.murus_gallicus import board, notation, opening, position, repetition
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS
from tests.jaxgames.murus_gallicus.positions import (
    GAULS_WIN,
    NOBODY,
    ROMANS_WIN,
    START,
    after,
    legal,
    legal_actions,
    observe,
    play,
    read,
    result,
    rules_of,
    step,
    text_after,
)

# Variants


def test_basic_game_has_no_stack_of_three():
    moves = legal(START, variant="basic")
    assert len(moves) == 20
    assert not {"a1-c1", "c1-a1"} & moves  # two towers in the way are full
    assert "b2-b4" not in legal("t7/8/8/8/1T6/1T6/8 r", variant="basic")
    assert "b2-b4" in legal("t7/8/8/8/1W6/1T6/8 r", variant="basic")
    with pytest.raises(ValueError, match="'C' is a stack of 3 stones, but max_stack is 2"):
        read("t7/8/8/8/1C6/8/8 r", variant="basic")


def test_fire3_has_the_three_forward_directions_only():
    position = "t7/8/8/8/3C4/8/8 r"
    ahead = {"d3-d5", "d3-f5", "d3-b5", "d3-d6", "d3-g6", "d3-a6"}
    assert legal(position, variant="fire3") == ahead
    assert legal("8/8/8/3c4/8/8/7T g", variant="fire3") == {
        *("d4-d2", "d4-b2", "d4-f2", "d4-d1", "d4-a1", "d4-g1")
    }


def test_fire8_also_has_the_three_directions_backward():
    position = "t7/8/8/3C4/8/8/8 r"
    back = {"d4-d2", "d4-f2", "d4-b2", "d4-d1", "d4-g1", "d4-a1"}
    assert legal(position, variant="fire8") == legal(position) | back


DELAYED_WIN = "1t6/8/3T4/8/8/8/T7 r"


@pytest.mark.parametrize("variant", ["delayed", "designer"])
def test_delayed_win_needs_the_stone_to_survive_one_enemy_turn(variant):
    assert result(DELAYED_WIN, "d5-d7", variant=variant) == (False, NOBODY)
    assert result(DELAYED_WIN, "d5-d7", "b7-b5", variant=variant) == (True, ROMANS_WIN)


def test_delayed_win_is_averted_by_striking_the_stone():
    near = "4t3/8/3T4/8/8/8/T7 r"
    assert result(near, "d5-d7", "e7-d7", variant="delayed") == (False, NOBODY)
    assert after(near, "d5-d7", "e7-d7", variant="delayed") == "4w3/3W4/8/8/8/8/T7 r"


def test_delayed_win_is_averted_by_a_sideways_shot():
    near = "6c1/8/3T4/8/8/8/T7 r"
    assert after(near, "d5-d7", "g7-d7", variant="delayed") == "6t1/3W4/8/8/8/8/T7 r"
    assert result(near, "d5-d7", "g7-d7", variant="delayed") == (False, NOBODY)


def test_delayed_win_is_tested_before_the_legal_actions_so_an_action_may_lose():
    # The Romans' wall waits on d7; the Gauls' last move lets it win although no Roman can act.
    assert result("t2W4/8/8/8/8/8/W7 g", "a7-a5", variant="delayed") == (True, ROMANS_WIN)
    # Without that wall, the same move wins for the Gauls.
    assert result("t7/3W4/8/8/8/8/W7 g", "a7-a5", variant="delayed") == (True, GAULS_WIN)


def test_stuck_side_loses_in_the_delayed_game_too():
    assert result("3W4/8/8/8/8/8/T7 g", variant="delayed") == (True, ROMANS_WIN)


def test_stone_on_the_far_row_is_an_ordinary_stone_in_the_delayed_game():
    assert legal("t2W4/8/8/8/8/8/T7 g", variant="delayed") == {"a7-c7", "a7-c5", "a7-a5"}
    assert legal("t1W5/8/8/8/8/8/T7 g", variant="delayed") == {"a7-c5", "a7-a5"}


def test_without_breakthrough_only_the_lack_of_actions_decides():
    position = "t7/8/3T4/8/8/8/T7 r"
    assert result(position, "d5-d7", breakthrough=False) == (False, NOBODY)
    assert read("t2W4/8/8/8/8/8/T7 r", breakthrough=False) is not None
    assert result("8/8/8/3w4/3T4/8/8 r", "d3-d4", breakthrough=False) == (True, ROMANS_WIN)
    assert result("3W4/8/8/8/8/8/8 r", breakthrough=False) == (True, GAULS_WIN)


def test_options_that_change_something_together_are_allowed():
    assert MurusGallicus(variant="basic", max_stack=3, fire_directions=8).terms.has_catapults
    assert legal(START, "c1-c3", pie_rule=True, max_plies=2) >= {"swap"}
    assert not MurusGallicus(variant="fire3", breakthrough=False).breakthrough
    assert MurusGallicus(repetition_draw=2, max_plies=9).repetition_draw == 2


def test_single_options_override_the_variant():
    assert MurusGallicus(variant="fire3", win_timing="delayed").terms == (3, 3, "delayed")
    assert MurusGallicus(variant="delayed", max_stack=2).terms == (2, 5, "delayed")
    assert MurusGallicus(fire_directions=8).terms == VARIANTS["fire8"]
    assert MurusGallicus(variant="designer").terms == VARIANTS["delayed"]


# Limits


def test_own_ply_limit_is_counted_by_the_environment():
    env = jaxgames.make("murus_gallicus", max_plies=2)
    assert env.max_steps == 2
    take, state = jax.jit(env.step), env.init(jax.random.key(0))
    ended = []
    for move in ("a1-a3", "a7-a5"):
        state = take(state, env.text_to_action(state, move))
        ended.append((bool(state.terminated), bool(state.truncated), state.rewards.tolist()))
    assert ended == [(False, False, NOBODY), (True, False, NOBODY)]


CYCLE_START = "8/4w1tw/8/8/8/4W1TW/8 r"
CYCLE = [
    *("g2-e2", "g6-e6", "e2-g2", "e6-g6", "f2-h2", "f6-h6"),
    *("g2-e2", "g6-e6", "h2-f2", "h6-f6", "f2-h2", "f6-h6"),
]


def ends_after(moves: int, **options) -> tuple[bool, list[float]]:
    played = (CYCLE * 3)[:moves]
    return result(CYCLE_START, *played, **options)


@pytest.mark.parametrize("times", [2, 3])
def test_repetition_draw_ends_the_game_at_that_occurrence(times):
    end = 12 * (times - 1)
    assert ends_after(end - 1, repetition_draw=times) == (False, NOBODY)
    assert ends_after(end, repetition_draw=times) == (True, NOBODY)
    assert ends_after(end) == (False, NOBODY)


def test_fingerprints_tell_seats_and_single_stones_apart():
    texts = (
        START,
        START.replace(" r", " g"),
        "tttttttt/8/8/8/8/8/TTTTTTTW r",
        "tttttttt/8/8/8/8/7W/TTTTTTT1 r",
        "tttttttt/8/8/8/8/W7/TTTTTTT1 r",
    )
    games = [read(text) for text in texts]
    marks = {
        tuple(np.asarray(repetition.fingerprint(game.own, game.other, game.seat)).tolist())
        for game in games
    }
    assert len(marks) == len(texts) and all(0 not in mark for mark in marks)


def test_history_holds_the_position_before_each_ply():
    game = play(CYCLE_START, *CYCLE[:5], repetition_draw=2)
    assert (game.history[:5] != 0).all() and not game.history[5:].any()
    assert len(np.unique(game.history[:5], axis=0)) == 5


def test_read_position_has_no_past():
    game = read(f"{CYCLE_START} 12", repetition_draw=2)
    assert not game.history.any()
    assert rules_of(repetition_draw=2).occurrences(game) == 1


def test_no_position_can_recur_sooner_than_the_options_say():
    cells = np.eye(board.NUM_CELLS, dtype=np.int64)
    origin, _ = np.indices((board.NUM_CELLS, board.NUM_DIRECTIONS))
    one, two, three = np.moveaxis(board.TARGETS[..., 1:], -1, 0)
    moves = (cells[one] + cells[two] - 2 * cells[origin])[two >= 0]
    shots = [(cells[target] - cells[origin])[target >= 0] for target in (two, three)]
    # A number for each change of the stones of a side, so that sums are those of numbers.
    number = np.random.default_rng(0).integers(-(2**40), 2**40, board.NUM_CELLS)
    move = moves @ number
    change = np.concatenate([moves, *shots]) @ number
    pairs = (change[:, None] + change).ravel()
    assert not np.isin(-move, change).any()  # two that cancel out, a move among them
    assert not np.isin(-move, pairs).any()  # three
    assert repetition.LEAST_CYCLE == 2 * 4


# First turns


def test_redistribution_takes_a_tower_off_and_puts_two_walls():
    set_up = ("-c1", "+b2", "+g2")
    assert text_after(START, *set_up[:2], redistribute_start=True) == (
        "tttttttt/8/8/8/8/1W6/TT1TTTTT r 2"
    )
    position = text_after(START, *set_up, redistribute_start=True)
    assert position == "tttttttt/8/8/8/8/1W4W1/TT1TTTTT g 3"


def test_both_sides_redistribute_in_their_first_turn_and_then_play_on():
    set_up = ("-c1", "+b2", "+g2", "-a7", "+a6", "+h6")
    game = play(START, *set_up, redistribute_start=True)
    text = notation.state_to_text(rules_of(redistribute_start=True), game)
    assert text == "1ttttttt/w6w/8/8/8/1W4W1/TT1TTTTT r 6"
    assert position.side_to_act(game) == 0
    moves = legal(START, *set_up, redistribute_start=True)
    assert "a1-a3" in moves and not any(move[0] in "+-" for move in moves)
    assert after(START, *set_up, "b1-b3", redistribute_start=True) == (
        "1ttttttt/w6w/8/8/1W6/1T4W1/T2TTTTT g"
    )


def test_each_step_of_the_redistribution_offers_only_its_own_actions():
    options = {"redistribute_start": True}
    assert legal(START, **options) == {f"-{file}1" for file in "abcdefgh"}
    assert legal(START, "-c1", **options) == {f"+{file}2" for file in "abcdefgh"}
    assert legal(START, "-c1", "+b2", **options) == {f"+{file}2" for file in "acdefgh"}
    gauls = ("-c1", "+b2", "+g2")
    assert legal(START, *gauls, **options) == {f"-{file}7" for file in "abcdefgh"}
    assert legal(START, *gauls, "-c7", "+b6", **options) == {f"+{file}6" for file in "acdefgh"}


def test_redistribution_is_numbered_as_the_acting_side_sees_its_files():
    rules = rules_of(redistribute_start=True)
    romans = read(START, redistribute_start=True)
    assert notation.text_to_action(rules, romans, "-a1") == 896
    gauls = play(START, "-c1", "+b2", "+g2", redistribute_start=True)
    assert notation.text_to_action(rules, gauls, "-h7") == 896
    gauls = jax.device_get(step(rules, gauls, 896))
    assert notation.text_to_action(rules, gauls, "+h6") == 904
    assert rules.num_actions == 912


def test_redistribution_is_three_plies_of_one_seat_whose_last_completes_the_action():
    rules = rules_of(redistribute_start=True)
    game = read(START, redistribute_start=True)
    seats, complete = [], []
    for move in ("-c1", "+b2", "+g2", "-c7", "+b6", "+g6", "b1-b3"):
        action = notation.text_to_action(rules, game, move)
        seats.append(int(rules.to_move(game)))
        complete.append(bool(rules.completes_action(game, action)))
        game = jax.device_get(step(rules, game, action))
    assert seats == [0, 0, 0, 1, 1, 1, 0] and int(rules.to_move(game)) == 1
    assert complete == [False, False, True, False, False, True, True]


def test_the_version_is_of_the_option():
    assert jaxgames.make("murus_gallicus", redistribute_start=True).version == "2"
    assert jaxgames.make("murus_gallicus-v1").version == "1"
    with pytest.raises(ValueError, match="murus_gallicus has version 2, not 1"):
        jaxgames.make("murus_gallicus-v1", redistribute_start=True)


def test_pie_rule_lets_the_second_seat_take_over_the_romans():
    options = {"pie_rule": True}
    assert "swap" in legal(START, "c1-c3", **options)
    swapped = play(START, "c1-c3", "swap", **options)
    text = notation.state_to_text(rules_of(**options), swapped)
    # It is still the Gauls' turn, but now seat 0 plays them.
    assert text == "tttttttt/8/8/8/2W5/2W5/TT1TTTTT g 2 swapped"
    assert int(swapped.seat) == 0
    onward = play(START, "c1-c3", "swap", "a7-a5", **options)
    assert int(onward.seat) == 1 and position.side_to_act(onward) == 0


def test_swap_is_offered_once_and_only_after_the_first_turn():
    options = {"pie_rule": True}
    assert "swap" not in legal(START, **options)
    assert "swap" not in legal(START, "c1-c3", "swap", **options)
    assert "swap" not in legal(START, "c1-c3", "a7-a5", **options)
    rules = rules_of(**options)
    assert rules.num_actions == opening.SWAP + 1 == 913
    mask = legal_actions(rules, play(START, "c1-c3", **options))
    assert mask[opening.SWAP] and not mask[opening.TAKE : opening.SWAP].any()


def test_outcome_goes_to_the_seat_that_plays_the_winning_side():
    position = "t7/8/3T4/8/8/8/8 r 6"
    assert result(position, "d5-d7", pie_rule=True) == (True, [1, -1])
    assert result(f"{position} swapped", "d5-d7", pie_rule=True) == (True, [-1, 1])


def test_swap_after_a_redistribution_comes_before_that_of_the_gauls():
    options = {"pie_rule": True, "redistribute_start": True}
    romans = ("-c1", "+b2", "+g2")
    assert "swap" in legal(START, *romans, **options)
    assert legal(START, *romans, "swap", **options) == {f"-{file}7" for file in "abcdefgh"}
    game = play(START, *romans, "swap", "-c7", "+b6", "+g6", **options)
    assert notation.state_to_text(rules_of(**options), game).endswith(" r 7 swapped")
    assert "swap" not in legal(START, *romans, "swap", "-c7", **options)
    assert int(game.seat) == 1


# Observation of the options


def test_options_add_constant_planes():
    options = {"redistribute_start": True, "pie_rule": True, "repetition_draw": 4}
    rules = rules_of(**options)
    planes = [
        np.asarray(observe(rules, play(START, *moves, **options), 0))[..., 8:]
        for moves in ((), ("-c1",), ("-c1", "+b2"), ("-c1", "+b2", "+g2"))
    ]
    expected = [(1, 0, 0), (2 / 3, 0, 0), (1 / 3, 0, 0), (1, 1, 0)]
    for seen, values in zip(planes, expected, strict=True):
        np.testing.assert_allclose(seen, np.broadcast_to(np.float32(values), (7, 8, 3)))
    assert jaxgames.make("murus_gallicus", **options).observation_shape == (7, 8, 11)


def test_repetitions_are_observed():
    rules = rules_of(repetition_draw=4)
    seen = observe(rules, play(CYCLE_START, *CYCLE * 2, repetition_draw=4), 0)
    assert (np.asarray(seen)[..., 8] == 0.5).all()


# Wrong options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "fire"}, "unknown variant 'fire'; available: basic, default, .*mean 'fire"),
        ({"variant": "DELAY"}, "did you mean 'delayed'"),
        ({"variant": 3}, "unknown variant '3'"),
        ({"variant": ["fire3"]}, "unknown variant"),
        ({"max_stack": 4}, "max_stack must be one of None, 2, 3, got 4"),
        ({"max_stack": 2.0}, "max_stack must be one of None, 2, 3, got 2.0"),
        ({"fire_directions": 6}, "fire_directions must be one of None, 3, 5, 8, got 6"),
        ({"win_timing": "late"}, "win_timing must be one of None, 'immediate', 'delayed', got 'l"),
        ({"breakthrough": 1}, "breakthrough must be True or False, got 1"),
        ({"pie_rule": "yes"}, "pie_rule must be True or False, got 'yes'"),
        ({"redistribute_start": None}, "redistribute_start must be True or False, got None"),
        ({"max_plies": 0}, "max_plies must be an integer from 1 to 65535, got 0"),
        ({"max_plies": 65536}, "max_plies must be an integer from 1 to 65535, got 65536"),
        ({"max_plies": True}, "max_plies must be an integer"),
        ({"max_plies": 5, "redistribute_start": True}, "max_plies must be an integer from 6"),
        (
            {"repetition_draw": 1},
            "repetition_draw must be 0 .off. or an integer from 2 to 25: .* 1$",
        ),
        ({"repetition_draw": 26}, "an integer from 2 to 25: .* max_plies is 200; got 26"),
        ({"repetition_draw": -3}, "got -3"),
        ({"repetition_draw": True}, "got True"),
        # Without any effect on the game:
        ({"variant": "basic", "fire_directions": 8}, "fire_directions must be None .* got 8"),
        ({"max_stack": 2, "fire_directions": 5}, "fire_directions must be None .* got 5"),
        ({"variant": "fire3", "max_stack": 2}, "variant 'fire3' .* max_stack must be 3, got 2"),
        ({"breakthrough": False, "win_timing": "delayed"}, "win_timing must be None .* 'delayed'"),
        ({"breakthrough": False, "win_timing": "immediate"}, "must be None .* got 'immediate'"),
        ({"breakthrough": False, "variant": "delayed"}, "breakthrough must be True .*='delayed'"),
        ({"breakthrough": False, "variant": "designer"}, "breakthrough must be True .*='designer'"),
        ({"pie_rule": True, "max_plies": 1}, "max_plies must be an integer from 2 to 65535, got 1"),
        ({"repetition_draw": 2, "max_plies": 8}, "must be 0 .off.: .* 8 plies .* is 8; got 2"),
        ({"varient": "basic"}, "unknown option 'varient'.*did you mean 'variant'"),
    ],
)
def test_bad_option_is_named_with_what_is_allowed(options, message):
    with pytest.raises(ValueError, match=message):
        jaxgames.make("murus_gallicus", **options)
