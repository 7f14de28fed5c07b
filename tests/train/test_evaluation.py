"""Matches against opponents that do not learn."""

import jax
import jax.numpy as jnp
import pytest

from configs.alphazero import AlphaZeroConfig, EvaluationConfig
from jaxgames.env import Env
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network
from tests.points_nim import LOST, WON, PointsNim
from tests.three_nim import NUM_SEATS, SHARES, ThreeNim
from tests.turn_nim import TurnNim
from train.algorithm import PolicyValue
from train.evaluation import network_matches

ENV = Env("turn_nim", TurnNim())
NETWORK = make_network(ENV, NetworkConfig(channels=4, blocks=0, policy_channels=2))


def make(opponents, env=ENV, network=NETWORK, simulations=48, temperature=0.0):
    matches = EvaluationConfig(
        games=64, simulations=simulations, temperature=temperature, opponents=opponents
    )
    config = AlphaZeroConfig("turn_nim", evaluation=matches)
    return network_matches(env, PolicyValue(env.rules, network, config.learner), config)


@pytest.fixture(scope="module")
def evaluation():
    return make(("first_legal", "random"))


@pytest.fixture(scope="module")
def zeros():
    """Parameters of a network that finds all actions alike, so that it plays the first one."""
    shapes = jax.eval_shape(NETWORK.init, jax.random.key(0))
    return jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)


@pytest.fixture(scope="module")
def scores(evaluation, zeros):
    return evaluation(zeros, jax.random.key(1))


def test_each_opponent_meets_the_network_with_search_and_without(scores):
    assert set(scores) == {
        "evaluation/search/first_legal",
        "evaluation/network/first_legal",
        "evaluation/search/random",
        "evaluation/network/random",
    }
    assert all(isinstance(score, float) for score in scores.values())


def test_score_counts_both_seats(scores):
    # Two equal players without chance: each wins from the same seat.
    assert scores["evaluation/network/first_legal"] == 0.5


def test_search_of_the_true_rules_helps_even_an_empty_network(scores):
    assert scores["evaluation/search/random"] > scores["evaluation/network/random"] + 0.2
    assert scores["evaluation/search/random"] > 0.8


def test_same_key_gives_the_same_scores_and_parameters_matter(evaluation, zeros, scores):
    assert evaluation(zeros, jax.random.key(1)) == scores
    # A dislike of heap 0 changes the deterministic game against `first_legal`.
    zeros["policy_square"]["bias"] = jnp.array([-1.0, 1.0])
    changed = evaluation(zeros, jax.random.key(1))
    assert changed["evaluation/network/random"] != scores["evaluation/network/random"]


def test_unknown_opponents_are_refused_before_anything_is_played():
    for spec, message in (
        ("randm", "unknown agent 'randm'.*did you mean 'random'"),
        ("minimax:deep=2", "unknown field 'deep'.*did you mean 'depth'"),
        ("gumbel:network=/nowhere", "no network file or run folder at /nowhere"),
    ):
        with pytest.raises(ValueError, match=message):
            make(("random", spec))


def test_no_opponents_give_no_scores(zeros):
    alone = make(())
    assert alone(zeros, jax.random.key(0)) == {}


@pytest.fixture(scope="module")
def drawn(zeros):
    """Scores of a network that draws its moves, in a game that counts points."""
    evaluate = make(("first_legal",), Env("points_nim", PointsNim()), simulations=2, temperature=1)
    return evaluate(zeros, jax.random.key(0))


def test_temperature_lets_the_network_draw_its_moves(drawn):
    assert drawn["evaluation/network/first_legal"] != 0.5


def test_points_are_averaged_by_role_and_for_the_opponent(drawn):
    for name in ("search", "network"):
        won = drawn[f"evaluation/{name}/first_legal"]
        points = drawn[f"points/{name}/first_legal"]
        assert points == pytest.approx(LOST + (WON - LOST) * won)
        assert drawn[f"points/of_opponent/{name}/first_legal"] == pytest.approx(WON + LOST - points)
        # Both seats are played equally often, and nobody plays the third role.
        roles = [drawn[f"points/{name}/first_legal/{role}"] for role in ("first", "second")]
        assert sum(roles) / 2 == pytest.approx(points)
        assert f"points/{name}/first_legal/nobody" not in drawn


class BoardThreeNim(ThreeNim):
    """With an observation that the square tower takes."""

    def observe(self, state, player):
        return super().observe(state, player)[None, None]


def test_in_games_of_three_the_network_meets_two_copies_of_an_opponent():
    env = Env("three_nim", BoardThreeNim())
    network = make_network(env, NetworkConfig(channels=4, blocks=0, policy_channels=2))
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    blank = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
    evaluate = make(("first_legal",), env, network, simulations=2)
    numbers = evaluate(blank, jax.random.key(0))
    assert set(numbers) == {"evaluation/search/first_legal", "evaluation/network/first_legal"}
    # All play alike, each from every seat; gains are not zero-sum in this game.
    fair = (1 + sum(SHARES) / NUM_SEATS) / 2
    assert numbers["evaluation/network/first_legal"] == pytest.approx(fair)
