"""What the curves are made of, against numbers worked out by hand."""

import numpy as np

from papers.onitama_report.ddpg import plots


def test_smoothing_averages_over_the_last_episodes():
    episodes = np.array([10.0, 20.0, 40.0, 50.0])
    values = np.array([1.0, 0.0, np.nan, 0.5])
    weights = np.array([10.0, 10.0, 0.0, 10.0])
    found = plots.smooth(episodes, values, weights, 30)
    np.testing.assert_allclose(found, [1, 0.5, 0, 0.5])
    np.testing.assert_allclose(plots.smooth(episodes, values, weights, 100)[3], 0.5)
    assert np.isnan(plots.smooth(episodes, values, weights, 1)[2])


def test_win_rates_weigh_as_many_as_the_games_of_their_iteration():
    def row(episodes, **others):
        return {"play/episodes/x": episodes} | {f"play/{k}/x": v for k, v in others.items()}

    rows = [
        row(2, win_rate=1.0, valid_rate=0.5),
        row(2, valid_rate=0.75),  # no game ended
        {"play/episodes/y": 5, "play/win_rate/y": 0.5},
        row(8, win_rate=0.0, valid_rate=1.0),
    ]
    episodes, values, weights = plots.figures(rows, "x", "play/win_rate")
    np.testing.assert_array_equal(episodes, [2, 2, 8])
    np.testing.assert_array_equal(values, [1, np.nan, 0])
    np.testing.assert_array_equal(weights, [2, 0, 6])
    # 2 of 8 games were won.
    np.testing.assert_allclose(plots.smooth(episodes, values, weights, 50), [1, 1, 0.25])
    episodes, values, weights = plots.figures(rows, "x", "play/valid_rate")
    np.testing.assert_array_equal(values, [0.5, 0.75, 1])
    np.testing.assert_array_equal(weights, [1, 1, 1])
