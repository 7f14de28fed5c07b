import math

import jax
import numpy as np
import pytest

from jaxgames.matches.statistics import count_different, repetition, score, wilson_interval


def test_score_counts_draws_half():
    own = np.array([1.0, 1.0, 0.0, -1.0])
    result = score(np.stack([own, -own], axis=1))
    assert result.mean == 0.625
    assert (result.games, result.wins, result.draws, result.losses) == (4, 2, 1, 1)


def test_second_player_has_the_opposite_score():
    own = np.array([1.0, 1.0, 0.0, -1.0])
    result = score(np.stack([own, -own], axis=1), player=1)
    assert result.mean == 0.375
    assert (result.wins, result.draws, result.losses) == (1, 1, 2)


def test_standard_error_is_that_of_groups():
    split = np.array([1.0, -1.0] * 10)  # the deal decides every game
    assert score(np.stack([split, -split], axis=1)).standard_error == 0
    swept = np.repeat([1.0, 1.0, 1.0, -1.0], 2)  # group means 1, 1, 1, 0
    expected = np.std([1, 1, 1, 0], ddof=1) / 2
    assert score(np.stack([swept, -swept], axis=1)).standard_error == pytest.approx(expected)


def test_one_group_has_no_finite_error():
    assert score(np.array([[1.0, -1.0], [1.0, -1.0]])).standard_error == math.inf


def test_games_must_come_in_whole_groups():
    with pytest.raises(ValueError, match=r"got \(3, 2\)"):
        score(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"got \(0, 2\)"):
        score(np.zeros((0, 2)))


@pytest.mark.parametrize(
    ("mean", "games", "low", "high"),
    [(0.5, 100, 0.4038, 0.5962), (1.0, 10, 0.7225, 1.0), (0.0, 10, 0.0, 0.2775)],
)
def test_wilson_interval_has_its_known_values(mean, games, low, high):
    assert wilson_interval(mean, games) == pytest.approx((low, high), abs=1e-4)


def test_wilson_interval_needs_a_share_of_some_games():
    with pytest.raises(ValueError, match=r"got 1.2 from 10"):
        wilson_interval(1.2, 10)
    with pytest.raises(ValueError, match=r"got 0.5 from 0"):
        wilson_interval(0.5, 0)


def test_games_differ_in_seats_actions_or_final_position():
    finals = {"board": np.array([[1, 0]] * 6, np.int8), "nothing": np.zeros((6, 0))}
    actions = np.array([9, 9, 9, 9, 9, 8], np.uint32)
    assert count_different(actions, finals, 2) == 3
    assert count_different(actions, finals, 3) == 4
    finals["board"][2, 1] = 1
    assert count_different(actions, finals, 2) == 4
    assert count_different(actions, (), 2) == 3
    keys = {"key": jax.random.split(jax.random.key(0), 6)}
    assert count_different(actions, keys, 2) == 6


def test_few_different_games_are_warned_of():
    assert repetition(89, 100, "opening_plies") == (
        "only 89 of the 100 games are different, so the errors are too small: "
        "take more opening_plies"
    )
    assert repetition(90, 100, "opening_plies") is None
    assert repetition(None, 100, "opening_plies") is None
