"""Targets, symmetries and gradient steps of the learner."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import jaxgames
from configs.alphazero import LearnerConfig
from jaxgames.env import Env
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network, make_network
from jaxgames.networks.prediction import PredictedScores
from jaxgames.search import action_slots
from jaxgames.testing import playouts
from tests import turn_nim
from tests.turn_nim import CHOOSING, TurnNim
from train import learner
from train.algorithm import PolicyValue
from train.targets import Samples

RULES = TurnNim()
PLAIN = LearnerConfig(augment=False)
KEY = jax.random.key(0)
NETWORK = make_network(
    Env("turn_nim", RULES),
    NetworkConfig(channels=8, blocks=1, policy_channels=4, value_channels=2, value_hidden=8),
)


def samples_of(game, policy, known, outcome=(1.0, -1.0), search_values=(0.25, -0.25)):
    size = game.seat.shape[0]
    return Samples(
        game=game,
        policy=jnp.asarray(policy, jnp.float16),
        search_values=jnp.broadcast_to(jnp.array(search_values, jnp.float16), (size, 2)),
        outcome=jnp.where(jnp.array(known)[:, None], jnp.array(outcome, jnp.float16), 0),
        outcome_known=jnp.array(known, bool),
    )


@pytest.fixture(scope="module")
def nim_samples():
    """Every position, for both seats, with the perfect policy and the true outcome."""
    positions = turn_nim.all_positions() * 2
    seats = np.repeat([0, 1], len(positions) // 2)
    policy, outcome = np.zeros((len(positions), 3)), np.zeros((len(positions), 2))
    for row, (position, seat) in enumerate(zip(positions, seats, strict=True)):
        worth = np.array(list(turn_nim.outcomes(position).values()))
        policy[row, : len(worth)] = (worth == worth.max()) / (worth == worth.max()).sum()
        outcome[row, [seat, 1 - seat]] = [worth.max(), -worth.max()]
    known = np.ones(len(positions), bool)
    game = turn_nim.batch(positions, seats)
    return samples_of(game, policy, known)._replace(outcome=jnp.array(outcome, jnp.float16))


@pytest.fixture(scope="module")
def onitama_samples():
    rules = jaxgames.make("onitama", deck="all", planes="board").rules
    games = playouts.play(rules, seed=1, num_games=128)
    states = jax.tree.map(lambda x: x[9][~np.asarray(games.over[9])][:96], games.states)
    _, filled = action_slots.legal_list(
        action_slots.pack(jax.vmap(rules.legal_actions)(states)), rules.max_legal_actions
    )
    weights = np.where(filled, np.random.default_rng(0).random(filled.shape), 0)
    policy = weights / weights.sum(axis=1, keepdims=True)
    return rules, samples_of(states, policy, np.ones(96, bool))


@pytest.fixture(scope="module")
def params():
    return jax.jit(NETWORK.init)(KEY)


make_batch = jax.jit(learner.make_batch, static_argnums=(0, 1))


@functools.partial(jax.jit, static_argnums=0)
def loss_and_gradient(config, params, batch):
    gradient, (metrics, _) = jax.grad(learner.loss, has_aux=True)(params, NETWORK, config, batch)
    return metrics, gradient


def test_batch_holds_what_the_mover_sees_and_is_told_of_its_own_value_first():
    game = turn_nim.batch([((2, 1, 0), CHOOSING), ((2, 1, 0), CHOOSING), ((0, 3, 0), 1)], [0, 1, 1])
    policy = [[0.25, 0.75, 0], [1, 0, 0], [0.125, 0.375, 0.5]]
    config = dataclasses.replace(PLAIN, search_value_share=0.25)
    batch = make_batch(RULES, config, samples_of(game, policy, [True] * 3), KEY)
    np.testing.assert_array_equal(batch.obs[0], batch.obs[1])
    np.testing.assert_array_equal(batch.mask, [[1, 1, 0] + [0] * 3] * 2 + [[0] * 3 + [1, 1, 1]])
    np.testing.assert_array_equal(
        batch.policy,
        [[0.25, 0.75, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0.125, 0.375, 0.5]],
    )
    mixed = 0.75 * 1 + 0.25 * 0.25
    np.testing.assert_array_equal(batch.values, [[mixed, -mixed], [-mixed, mixed], [-mixed, mixed]])
    np.testing.assert_array_equal(batch.value_weight, [1, 1, 1])


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_value_target_mixes_outcome_and_search_and_falls_back_to_the_search(share):
    game = turn_nim.batch([((2, 1, 0), CHOOSING)] * 2, 0)
    config = dataclasses.replace(PLAIN, search_value_share=share)
    samples = samples_of(game, [[1, 0, 0]] * 2, [True, False])
    batch = make_batch(RULES, config, samples, KEY)
    mixed = (1 - share) * 1 + share * 0.25
    np.testing.assert_allclose(batch.values, [[mixed, -mixed], [0.25, -0.25]], rtol=1e-6)
    np.testing.assert_array_equal(batch.value_weight, [1, share])


def test_unknown_outcome_teaches_no_value_without_a_share_of_the_search(params):
    game = turn_nim.batch([((2, 1, 0), CHOOSING), ((1, 1, 2), 2)], [0, 1])
    config = dataclasses.replace(PLAIN, search_value_share=0.0)
    gradients = []
    for guess in (0.25, -0.875):
        samples = samples_of(game, [[1, 0, 0]] * 2, [True, False])
        values = samples.search_values.at[1].set(jnp.array([guess, -guess], jnp.float16))
        batch = make_batch(RULES, config, samples._replace(search_values=values), KEY)
        gradients.append(loss_and_gradient(config, params, batch)[1])
    jax.tree.map(np.testing.assert_array_equal, *gradients)
    counted = loss_and_gradient(config, params, batch._replace(value_weight=jnp.ones(2)))[1]
    assert (counted["value"]["kernel"] != gradients[1]["value"]["kernel"]).any()


def test_loss_of_a_network_that_knows_nothing(params):
    positions = [((2, 1, 0), CHOOSING), ((2, 1, 1), CHOOSING), ((1, 0, 0), 0)]
    policy = [[0.5, 0.5, 0], [1, 0, 0], [1, 0, 0]]
    samples = samples_of(turn_nim.batch(positions, 0), policy, [True, True, False])
    config = dataclasses.replace(PLAIN, search_value_share=0.5, value_loss_weight=2.0)
    batch = make_batch(RULES, config, samples, KEY)
    zeros = jax.tree.map(jnp.zeros_like, params)
    metrics, _ = loss_and_gradient(config, zeros, batch)
    # Only legal actions share the probability: two, three and one of them.
    cross_entropy = np.log([2, 3, 1]).mean()
    entropy = np.log(2) / 3
    value_loss = np.mean([0.625**2, 0.625**2, 0.5 * 0.25**2])
    wanted = {
        "learner/loss": cross_entropy + 2 * value_loss,
        "learner/policy_loss": cross_entropy,
        "learner/policy_kl": cross_entropy - entropy,
        "learner/value_loss": value_loss,
        "learner/value_correlation": 0,
        "learner/target_entropy": entropy,
    }
    assert {name: float(x) for name, x in metrics.items()} == pytest.approx(wanted, rel=1e-5)


def test_augmented_batch_consists_of_samples_and_their_mirror_images(onitama_samples):
    rules, samples = onitama_samples
    plain = make_batch(rules, PLAIN, samples, KEY)
    augmented = make_batch(rules, dataclasses.replace(PLAIN, augment=True), samples, KEY)

    symmetry = rules.symmetries[0]
    mirrored_game = jax.jit(jax.vmap(symmetry.map_state))(samples.game)
    number = np.asarray(jax.jit(jax.vmap(symmetry.map_action))(samples.game))
    policy = np.zeros_like(plain.policy)
    np.put_along_axis(policy, number, np.asarray(plain.policy), axis=1)
    images = make_batch(rules, PLAIN, samples._replace(game=mirrored_game), KEY)
    images = images._replace(policy=policy)
    # The images are positions seen in a mirror, and their policy stays on legal moves.
    seen, mirrored = np.asarray(plain.obs), np.asarray(images.obs)
    np.testing.assert_array_equal(mirrored[..., :4], seen[:, :, ::-1, :4])
    assert (policy[~np.asarray(images.mask)] == 0).all()

    kept, flipped = (
        np.logical_and.reduce(
            [
                (np.asarray(a) == np.asarray(b)).reshape(len(policy), -1).all(axis=1)
                for a, b in zip(*map(jax.tree.leaves, (augmented, candidate)), strict=True)
            ]
        )
        for candidate in (plain, images)
    )
    assert (kept | flipped).all()
    assert 30 <= (flipped & ~kept).sum() <= 66


def test_loss_falls_and_the_perfect_policy_is_learned_from_a_fixed_batch(nim_samples, params):
    config = LearnerConfig(learning_rate=0.01, warmup_steps=10, decay_steps=400)
    optimizer = learner.make_optimizer(config)
    algorithm = PolicyValue(RULES, NETWORK, config)
    step = jax.jit(functools.partial(learner.gradient_step, algorithm.loss, optimizer))
    opt_state = optimizer.init(params)
    batch = make_batch(RULES, PLAIN, nim_samples, KEY)
    history = []
    for _ in range(200):
        params, opt_state, metrics = step(params, opt_state, batch)
        history.append(metrics)
    first, last = ({k: float(v) for k, v in history[i].items()} for i in (0, -1))
    assert last["learner/policy_kl"] < 0.2 * first["learner/policy_kl"]
    assert last["learner/value_loss"] < 0.3 * first["learner/value_loss"]
    assert last["learner/value_correlation"] > 0.8
    assert last["learner/gradient_norm"] > 0


def scalar_steps(config, gradients, start=0.0):
    """Returns the changes of a bias under a sequence of gradients."""
    optimizer = learner.make_optimizer(config)
    params = {"bias": jnp.full((1,), start)}

    def step(carry, gradient):
        params, state = carry
        updates, state = optimizer.update({"bias": gradient[None]}, state, params)
        return (optax.apply_updates(params, updates), state), updates["bias"][0]

    carry = (params, optimizer.init(params))
    return np.asarray(jax.jit(lambda g: jax.lax.scan(step, carry, g)[1])(jnp.array(gradients)))


def test_learning_rate_rises_linearly_falls_as_a_cosine_and_stays_at_its_end():
    config = LearnerConfig(
        learning_rate=0.1, warmup_steps=10, decay_steps=50, final_learning_rate_fraction=0.2
    )
    # Under a constant gradient every step of Adam is as long as the learning rate.
    rate = -scalar_steps(config, [0.5] * 80)
    np.testing.assert_allclose(rate[:11], np.arange(11) / 100, atol=1e-6)
    progress = np.arange(41) / 40
    cosine = 0.02 + 0.08 * (1 + np.cos(np.pi * progress)) / 2
    np.testing.assert_allclose(rate[10:51], cosine, atol=1e-5)
    np.testing.assert_allclose(rate[50:], 0.02, rtol=1e-4)


def test_warmup_longer_than_the_decay_is_allowed():
    config = LearnerConfig(learning_rate=0.1, warmup_steps=20, decay_steps=5)
    rate = -scalar_steps(config, [0.5] * 30)
    assert rate[20] == pytest.approx(0.1, rel=1e-3)
    assert rate[-1] == pytest.approx(0.01, rel=1e-3)


def test_large_gradients_are_scaled_down_to_the_limit():
    config = LearnerConfig(learning_rate=0.1, warmup_steps=0, max_grad_norm=2.0)
    huge, limit = scalar_steps(config, [1e6, 0.1, 0.1]), scalar_steps(config, [2.0, 0.1, 0.1])
    np.testing.assert_allclose(huge, limit, rtol=1e-6)
    loose = dataclasses.replace(config, max_grad_norm=1e9)
    assert abs(scalar_steps(loose, [1e6, 0.1, 0.1])[2] - huge[2]) > 1e-4


def test_weights_of_kernels_decay_and_biases_do_not(params):
    config = LearnerConfig(learning_rate=0.1, warmup_steps=0, weight_decay=0.5)
    optimizer = learner.make_optimizer(config)
    params = jax.tree.map(jnp.ones_like, params)
    zeros = jax.tree.map(jnp.zeros_like, params)
    updates, _ = jax.jit(optimizer.update)(zeros, optimizer.init(params), params)
    names = set()
    for path, leaf in jax.tree.leaves_with_path(updates):
        name = path[-1].key
        names.add(name)
        np.testing.assert_allclose(leaf, -0.05 if name == "kernel" else 0.0, rtol=1e-5)
    assert names == {"kernel", "bias"}


def with_points(samples, points):
    return samples._replace(scores=jnp.asarray(points, jnp.float16))


def test_points_are_told_to_the_observer_first_in_units_where_they_have_a_weight():
    game = turn_nim.batch([((2, 1, 0), CHOOSING)] * 2, [0, 1])
    samples = with_points(samples_of(game, [[1, 0, 0]] * 2, [True, False]), [[60, 20], [60, 20]])
    assert make_batch(RULES, PLAIN, samples, KEY).scores is None
    config = dataclasses.replace(PLAIN, score_loss_weight=0.5, score_unit=20.0)
    batch = make_batch(RULES, config, samples, KEY)
    np.testing.assert_array_equal(batch.scores.points, [[3, 1], [1, 3]])
    np.testing.assert_array_equal(batch.scores.lead, [[2, -2], [-2, 2]])
    np.testing.assert_array_equal(batch.score_weight, [1, 0])
    no_points = samples_of(game, [[1, 0, 0]] * 2, [True, False])
    assert make_batch(RULES, config, no_points, KEY).scores is None


def test_value_target_may_hold_the_lead():
    game = turn_nim.batch([((2, 1, 0), CHOOSING)] * 2, [0, 1])
    samples = with_points(samples_of(game, [[1, 0, 0]] * 2, [True, False]), [[60, 20], [60, 20]])
    config = dataclasses.replace(
        PLAIN, lead_value_share=0.5, score_unit=20.0, search_value_share=0.5
    )
    batch = make_batch(RULES, config, samples, KEY)
    mixed = 0.5 * (0.5 * 1 + 0.5 * np.tanh(2)) + 0.5 * 0.25
    np.testing.assert_allclose(batch.values, [[mixed, -mixed], [-0.25, 0.25]], rtol=1e-6)


def test_lead_is_over_the_best_other_seat():
    points = jnp.array([[5.0, 9.0, 7.0], [4.0, 4.0, 1.0]])
    np.testing.assert_array_equal(learner.lead_of(points), [[-4, 2, -2], [0, 0, -3]])


def test_loss_of_points_counts_known_games_and_adds_to_the_rest():
    config = NetworkConfig(
        tower="hex", channels=4, common_channels=4, blocks=0, policy_channels=2, value_hidden=4
    )
    network = Network(((3, 3, 2), (5,)), 6, 2, config, predicts_scores=True)
    zeros = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(network.init, KEY))
    batch = learner.Batch(
        obs=(jnp.ones((2, 3, 3, 2)), jnp.ones((2, 5))),
        mask=jnp.ones((2, 6), bool),
        policy=jnp.full((2, 6), 1 / 6),
        values=jnp.zeros((2, 2)),
        value_weight=jnp.ones(2),
    )
    scores = PredictedScores(
        jnp.array([[0.5, 0.25], [9.0, 9.0]]), jnp.array([[0.25, -0.25], [0.0, 0.0]])
    )
    told = batch._replace(scores=scores, score_weight=jnp.array([1.0, 0.0]))
    weighed = dataclasses.replace(PLAIN, score_loss_weight=4.0)
    without, _ = learner.loss(zeros, network, weighed, batch)[1]
    assert "learner/score_loss" not in without
    metrics, _ = learner.loss(zeros, network, weighed, told)[1]
    # Half the squared error below one: of points in the first game, and of leads.
    wanted = ((0.5**2 + 0.25**2) / 2 + 0.25**2) / 2 / 2
    assert metrics["learner/score_loss"] == pytest.approx(wanted, rel=1e-6)
    difference = metrics["learner/loss"] - without["learner/loss"]
    assert difference == pytest.approx(4 * wanted, rel=1e-5)
