import itertools
import math

import numpy as np
import pytest

from agents.arena.elo import Game, maximum_likelihood, sequential

FOR_THREE_TO_ONE = 400 * math.log10(3)  # rating difference at an expected score of 75 %


def played(first, second, wins, draws, losses):
    scores = [1.0] * wins + [0.5] * draws + [0.0] * losses
    return [Game(first, second, score) for score in scores]


def simulated(ratings, draw_strength, games_per_pair, generator):
    games = []
    for first, second in itertools.combinations(range(len(ratings)), 2):
        one, other = 10 ** (ratings[first] / 400), 10 ** (ratings[second] / 400)
        chances = np.array([one, draw_strength * math.sqrt(one * other), other])
        scores = generator.choice([1.0, 0.5, 0.0], games_per_pair, p=chances / chances.sum())
        games += [Game(first, second, float(score)) for score in scores]
    return games


def test_sequential_update_has_its_known_values():
    np.testing.assert_allclose(sequential([Game(0, 1, 1.0)], 2), [1016, 984])
    np.testing.assert_allclose(sequential([Game(0, 1, 0.5)], 2), [1000, 1000])
    after_two = sequential([Game(0, 1, 1.0), Game(0, 1, 1.0)], 2)
    gain = 32 * (1 - 1 / (1 + 10 ** (-32 / 400)))
    np.testing.assert_allclose(after_two, [1016 + gain, 984 - gain])


def test_sequential_update_keeps_the_sum_and_depends_on_the_order():
    games = [Game(0, 1, 1.0), Game(0, 1, 0.0)]
    there, back = sequential(games, 2), sequential(games[::-1], 2)
    assert there.sum() == pytest.approx(2000)
    assert back[0] - there[0] == pytest.approx(2.94, abs=0.01)


def test_maximum_likelihood_of_two_players_is_the_log_odds():
    first, second = maximum_likelihood(played(0, 1, 300, 0, 100), 2, anchor=1)
    assert first.value - second.value == pytest.approx(FOR_THREE_TO_ONE, abs=0.5)
    # The standard error of log-odds is 1 / sqrt(n p q).
    error = 400 / math.log(10) / math.sqrt(400 * 0.75 * 0.25)
    assert first.high - first.value == pytest.approx(1.96 * error, rel=0.01)
    assert second == (1000, 1000, 1000)


def test_draws_leave_the_ratio_of_wins_and_losses():
    first, second = maximum_likelihood(played(0, 1, 300, 77, 100), 2)
    assert second.value - first.value == pytest.approx(-FOR_THREE_TO_ONE, abs=0.5)


def test_order_of_games_and_of_players_in_a_game_is_irrelevant():
    games = played(0, 1, 20, 3, 10) + played(1, 2, 15, 2, 11) + played(0, 2, 30, 4, 5)
    turned = [Game(game.second, game.first, 1 - game.score) for game in games[::-1]]
    for rating, other in zip(
        maximum_likelihood(games, 3), maximum_likelihood(turned, 3), strict=True
    ):
        assert rating == pytest.approx(other, abs=1e-2)


def test_known_ratings_lie_in_95_percent_of_the_intervals():
    truth = np.array([1000.0, 1130.0, 1400.0, 950.0, 1250.0])
    generator = np.random.default_rng(0)
    inside, total = 0, 0
    for repeat in range(60):
        draw_strength = 0.4 * (repeat % 2)
        games = simulated(truth, draw_strength, 100, generator)
        ratings = maximum_likelihood(games, len(truth))
        inside += sum(
            rating.low <= value <= rating.high
            for rating, value in zip(ratings[1:], truth[1:], strict=True)
        )
        total += len(truth) - 1
    assert 0.9 < inside / total < 0.985


def test_a_perfect_record_has_a_finite_rating_and_a_wide_interval():
    _, best = maximum_likelihood(played(0, 1, 0, 0, 200), 2)
    assert 1900 < best.value < 3500
    assert best.high - best.low > 1000


def test_nothing_but_draws_means_equal_ratings():
    for rating in maximum_likelihood(played(0, 1, 0, 50, 0), 2):
        assert rating.value == pytest.approx(1000, abs=1e-3)


def test_players_who_never_met_even_indirectly_are_refused():
    with pytest.raises(
        ValueError, match=r"no chain of games connects player 0 with players \[2, 3\]"
    ):
        maximum_likelihood(played(0, 1, 3, 0, 1) + played(2, 3, 1, 0, 1), 4)


@pytest.mark.parametrize("game", [Game(0, 0, 1.0), Game(0, 2, 1.0), Game(0, 1, 0.75)])
def test_impossible_games_are_refused(game):
    with pytest.raises(ValueError, match="expected two different players below 2"):
        maximum_likelihood([game], 2)


def test_unknown_anchor_is_refused():
    with pytest.raises(ValueError, match="anchor must be from 0 to 1, got 2"):
        maximum_likelihood(played(0, 1, 1, 0, 1), 2, anchor=2)
