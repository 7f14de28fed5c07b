"""Agreement with solved positions is counted right."""

import jax
import numpy as np
import pytest

from benchmarks import solved_positions, strength
from benchmarks.solved_positions import Choices
from jaxgames.matches.statistics import Score
from jaxgames.onitama import endgames
from jaxgames.players.basic import FirstLegal
from jaxgames.players.player import Player
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "onitama"
ENDGAMES = 38  # in the committed sample


@pytest.fixture(scope="module")
def solved():
    return solved_positions.read_positions(COMMITTED, ENDGAMES, seed=0)


def first_best(solved):
    return solved.best.argmax(axis=1)


def second_rate(solved):
    """Returns for each position a legal move that is none of the best, if there is one."""
    legal = np.asarray(jax.vmap(solved_positions.RULES.legal_actions)(solved.games))
    others = legal & ~solved.best
    return others.any(axis=1), others.argmax(axis=1)


def test_best_moves_and_true_values_agree_with_all_positions(solved):
    choices = Choices(first_best(solved), solved.values * 0.1)
    found = solved_positions.agreement(solved, choices)
    decided = int((solved.values != 0).sum())
    assert found.value_sign == (1, 0, decided)
    assert found.optimal == (1, 0, ENDGAMES)
    assert found.keeps_value == (1, 0, ENDGAMES - decided)  # without tables only draws can tell
    assert sum(share.positions for share in found.optimal_by_distance.values()) == ENDGAMES


def test_other_moves_and_wrong_values_agree_with_none(solved):
    exists, moves = second_rate(solved)
    choices = Choices(np.where(exists, moves, first_best(solved)), -1.0 * solved.values)
    found = solved_positions.agreement(solved, choices)
    assert found.value_sign.mean == 0
    assert found.optimal.mean == pytest.approx(1 - exists.mean())
    assert found.keeps_value.mean < 0.5


def test_value_of_zero_counts_as_a_guess(solved):
    choices = Choices(first_best(solved), np.zeros(ENDGAMES))
    assert solved_positions.agreement(solved, choices).value_sign[:2] == (0.5, 0)


@pytest.mark.parametrize(("reply", "kept"), [(-5, True), (0, False), (7, False)])
def test_move_keeps_a_win_if_the_reply_is_lost(solved, monkeypatch, reply, kept):
    table = np.full(endgames.TABLE_SIZE + 1, reply, np.int16)
    monkeypatch.setattr(endgames, "solved", lambda card_set: table)
    with_tables = solved_positions.add_tables(solved)
    small = solved.values == 1
    small &= with_tables.has_table
    fast = solved.distances == 1
    # A best move of a win in 1 ends the game, whatever the table says; a slower one does not.
    exists, moves = second_rate(solved)
    actions = np.where(exists & ~fast, moves, first_best(solved))
    drawn = solved.values == 0
    actions[drawn] = first_best(solved)[drawn]
    found = solved_positions.agreement(with_tables, Choices(actions, np.zeros(ENDGAMES)))
    right = drawn.sum() + (small & fast).sum() + kept * (small & ~fast).sum()
    count = drawn.sum() + small.sum()
    assert found.keeps_value.positions == count
    assert found.keeps_value.mean == pytest.approx(right / count)


@pytest.mark.slow
def test_best_moves_of_won_positions_keep_the_win_by_our_own_tables(solved):
    one_set = max(set(solved.card_sets), key=solved.card_sets.count)
    chosen = np.array([cards == one_set for cards in solved.card_sets])
    part = solved._replace(
        games=jax.tree.map(lambda x: x[chosen], solved.games),
        values=solved.values[chosen],
        distances=solved.distances[chosen],
        best=solved.best[chosen],
        card_sets=[one_set] * int(chosen.sum()),
        has_table=solved.has_table[chosen],
    )
    part = solved_positions.add_tables(part)
    choices = Choices(first_best(part), part.values.astype(float))
    found = solved_positions.agreement(part, choices)
    assert found.keeps_value.mean == 1 and found.keeps_value.positions > 5


def test_player_is_asked_from_the_side_of_the_seat_to_move(solved):
    choices = solved_positions.choose(
        Player("first", FirstLegal(solved_positions.RULES), ()), solved
    )
    legal = np.asarray(jax.vmap(solved_positions.RULES.legal_actions)(solved.games))
    np.testing.assert_array_equal(choices.actions, legal.argmax(axis=1))
    assert choices.values.shape == (ENDGAMES,)


def test_sample_of_positions_repeats_with_its_seed():
    def texts(seed):
        return solved_positions.read_positions(COMMITTED, 9, seed).games.own_pieces.tolist()

    assert texts(1) == texts(1) != texts(2)
    assert len(texts(1)) == 9


def test_standard_errors_of_a_match_without_a_loss_are_finite():
    clean = Score(1.0, 0.0, games=400, wins=400, draws=0, losses=0)
    even = Score(0.5, 0.02, games=400, wins=200, draws=0, losses=200)
    uneven = Score(0.7, 0.05, games=400, wins=280, draws=0, losses=120)
    assert strength.standard_errors(clean) == pytest.approx(20)
    assert strength.standard_errors(even) == 0
    assert strength.standard_errors(uneven) == pytest.approx(4)


def test_repeated_games_are_told_of_below_the_matches():
    even = Score(0.5, 0.02, games=200, wins=100, draws=0, losses=100)
    met = strength.Contest("trained", "minimax", even, 9.0, is_direct=False, different=180)
    direct = strength.Contest("trained", "untrained", even, 9.0, is_direct=True, different=2)
    lines = strength.render([met, direct], {})
    assert [line for line in lines if "of the 200 games" in line] == [
        "- trained v untrained: only 2 of the 200 games are different, so the errors are too "
        "small: take more --opening-plies"
    ]
    assert "Repeated games:" not in strength.render([met, direct._replace(different=190)], {})
