"""Points in the metrics of games that count any."""

import jax
import numpy as np
import pytest

import jaxgames
from configs.alphazero import AlphaZeroConfig, LearnerConfig, SelfPlayConfig
from jaxgames.env import Env
from jaxgames.internal import devices
from jaxgames.networks.config import NetworkConfig
from tests.points_nim import LOST, WON, PointsNim
from train.metrics import mean_points
from train.steps import Steps, summarise

CONFIG = AlphaZeroConfig(
    game="points_nim",
    network=NetworkConfig(channels=4, blocks=0, policy_channels=2),
    selfplay=SelfPlayConfig(lanes=16, plies=32, simulations=2),
)


def test_means_are_over_all_seats_and_of_the_roles_that_were_played():
    points, seats = np.array([30.0, 0.0, 50.0]), np.array([2, 0, 1])
    means = mean_points("area", points, seats, ("a", "b", "c"))
    assert means == pytest.approx({"area": 80 / 3, "area/a": 15, "area/c": 50})
    assert mean_points("area", np.zeros(2), np.zeros(2), ("a", "b")) == {}
    assert mean_points("area", np.array([6.0]), np.array([2]), ()) == {"area": 3}


def test_selfplay_reports_the_points_of_games_that_ended():
    steps = Steps(Env("points_nim", PointsNim()), CONFIG, devices.make_mesh())
    state = steps.initial_state(jax.random.key(0))
    _, replay, stats = steps.selfplay(state.params, state.lanes, state.replay, jax.random.key(1))
    numbers = summarise(stats, 16 * 32, steps.roles)
    assert numbers["selfplay/games"] > 16
    assert numbers["selfplay/points"] == pytest.approx((WON + LOST) / 2)
    won = numbers["selfplay/seat_0_win_rate"]
    assert numbers["selfplay/points/first"] == pytest.approx(LOST + (WON - LOST) * won)
    assert "selfplay/points/nobody" not in numbers
    known = np.asarray(replay.samples.outcome_known)
    assert set(np.asarray(replay.samples.scores)[known].ravel().tolist()) == {WON, LOST}


def test_weight_of_points_needs_a_network_that_predicts_them():
    learner = LearnerConfig(score_loss_weight=0.5)
    config = AlphaZeroConfig(game="onitama", learner=learner)
    with pytest.raises(ValueError, match=r"score_loss_weight=0\.5 needs a game that counts points"):
        Steps(jaxgames.make("onitama"), config, devices.make_mesh())
