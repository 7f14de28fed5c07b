"""What holds in every position of every game, and agreement with plain sums on any position."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxgames import testing
from jaxgames.murus_gallicus import notation, position
from jaxgames.murus_gallicus.board import NUM_CELLS, TARGETS
from jaxgames.murus_gallicus.position import Heights
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS
from jaxgames.testing import playouts as plays
from tests.jaxgames.murus_gallicus.positions import (
    is_over,
    legal_actions,
    read,
    returns,
    rules_of,
    step,
)

SEEDS = st.integers(0, 2**31 - 1)
NAMES = st.sampled_from(sorted(VARIANTS))
GAMES = 64
STONES = 16


@functools.lru_cache(maxsize=32)
def playouts(variant: str, seed: int):
    return jax.device_get(plays.play(rules_of(variant=variant), seed, GAMES))


def heights(stones) -> np.ndarray:
    """Returns `[plies, games, 56]`: stones of one side on each cell, in its own frame."""
    low, high = (
        np.asarray(jax.tree.map(jnp.asarray, board).cells()).astype(int)
        for board in (stones.low, stones.high)
    )
    return low + 2 * high


@pytest.mark.slow
@given(NAMES, SEEDS)
def test_both_sides_always_own_equally_many_stones_and_never_gain_any(variant, seed):
    games = playouts(variant, seed).states
    own, other = (heights(side).sum(-1) for side in (games.own, games.other))
    np.testing.assert_array_equal(own, other)
    assert (own[0] == STONES).all() and (np.diff(own, axis=0) <= 0).all()
    assert (np.diff(own, axis=0) >= -2).all()  # a double strike costs most


@given(NAMES, SEEDS)
def test_stacks_are_sound_seats_alternate_and_plies_count(variant, seed):
    trace = playouts(variant, seed)
    own, other = heights(trace.states.own), heights(trace.states.other)[..., ::-1]
    assert not ((own > 0) & (other > 0)).any()
    assert max(own.max(), other.max()) <= VARIANTS[variant].max_stack
    playing = ~trace.over[:-1]
    seat, ply = trace.states.seat, trace.states.ply
    assert (seat[1:] == 1 - seat[:-1])[playing].all()
    assert (ply[1:] == ply[:-1] + 1)[playing].all()


@pytest.mark.slow
@given(NAMES, SEEDS)
def test_acting_side_never_loses_by_its_own_action_unless_wins_are_delayed(variant, seed):
    trace = playouts(variant, seed)
    values = np.asarray(plays.map2(rules_of(variant=variant).returns)(trace.states))
    ends = trace.over[1:] & ~trace.over[:-1]
    mover = trace.states.seat[:-1][ends].astype(int)
    outcomes = values[1:][ends][np.arange(len(mover)), mover]
    assert (outcomes != 0).all()  # no random game comes near the limit
    if VARIANTS[variant].win_timing == "immediate":
        assert (outcomes == 1).all()


def test_every_random_game_of_a_thousand_ends_by_itself():
    trace = plays.play(rules_of(), 1, 1000)
    assert trace.over[-1].all()
    lengths = np.asarray(~trace.over).sum(0)
    assert lengths.min() >= 15 and lengths.max() < 120


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"repetition_draw": 2},
        {"breakthrough": False},
        {"redistribute_start": True},
        {"variant": "fire8", "win_timing": "delayed", "pie_rule": True},
        {"pie_rule": True, "redistribute_start": True, "repetition_draw": 3},
        {"variant": "basic", "redistribute_start": True},
    ],
)
def test_rules_with_options_keep_all_promises(options):
    testing.check_rules(MurusGallicus(**options))


# Any position against plain sums of heights


@st.composite
def boards(draw) -> tuple[str, Heights]:
    """Draws a variant and signed heights in the frame of the side to act, its own positive."""
    variant = draw(NAMES)
    tallest = VARIANTS[variant].max_stack
    cells = draw(st.permutations(range(NUM_CELLS)))
    board = np.zeros(NUM_CELLS, np.int8)
    for sign, part in ((1, cells[:16]), (-1, cells[16:32])):
        left = STONES
        for cell in part:
            height = min(draw(st.integers(0, tallest)), left)
            # In play no stone of the acting side stands on its far row, unless wins are delayed.
            if sign > 0 and cell >= NUM_CELLS - 8 and VARIANTS[variant].win_timing == "immediate":
                height = 0
            left -= height
            board[cell] = sign * height
    return variant, board


def plain_sum(board: Heights, move: position.LegalMove) -> Heights:
    """Returns the heights after a move: every effect is an addition to signed heights."""
    half = move.action // (8 * NUM_CELLS)
    direction = move.action // NUM_CELLS % 8
    after = board.copy()
    if board[move.origin] == 3:
        after[move.origin] -= 1
        after[move.target] += 1
    elif board[TARGETS[move.origin, direction, 1]] < 0:
        after[move.origin] -= 1 + half
        after[move.target] += 1 + half
    else:
        after[move.origin] = 0
        for distance in (1, 2):
            after[TARGETS[move.origin, direction, distance]] += 1
    return after


@given(boards(), st.sampled_from("rg"))
def test_legal_actions_successors_and_results_agree_with_plain_sums(drawn, side):
    variant, board = drawn
    rules = rules_of(variant=variant)
    roman = board if side == "r" else -board[::-1]
    game = read(f"{notation.board_text(roman)} {side}", variant=variant)
    np.testing.assert_array_equal(position.heights(game), board)
    assert bool(is_over(rules, game)) == (position.ending(rules, game) is not None)

    moves = position.legal_moves(rules, game)
    mask = np.asarray(legal_actions(rules, game))
    assert [move.action for move in moves] == np.flatnonzero(mask).tolist()
    assert len(moves) <= rules.max_legal_actions
    for move in moves[:: max(1, len(moves) // 8)]:
        after = jax.device_get(step(rules, game, move.action))
        np.testing.assert_array_equal(position.heights(after), -plain_sum(board, move)[::-1])
        winner = position.winner(rules, after)
        expected = [0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1]
        assert np.asarray(returns(rules, after)).tolist() == expected


@given(boards(), st.integers(0, 2**31 - 1))
def test_exchanging_the_colours_changes_nothing_but_the_seats(drawn, word):
    variant, board = drawn
    rules = rules_of(variant=variant)
    game = read(f"{notation.board_text(board)} r", variant=variant)
    turned = read(f"{notation.board_text(-board[::-1])} g", variant=variant)
    np.testing.assert_array_equal(legal_actions(rules, game), legal_actions(rules, turned))
    moves = position.legal_moves(rules, game)
    if not moves:
        return
    action = moves[word % len(moves)].action
    left, right = step(rules, game, action), step(rules, turned, action)
    plays.require_equal(left.replace(seat=right.seat), right, "colours are equal")
    np.testing.assert_array_equal(returns(rules, left), returns(rules, right)[::-1])
