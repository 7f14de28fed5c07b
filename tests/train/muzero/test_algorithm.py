"""MuZero on a small game: what an unrolled model learns, and which parts of its loss count."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from configs.alphazero import ReplayConfig, SelfPlayConfig
from configs.muzero import LearnerConfig, MuZeroConfig
from jaxgames.env import Env
from jaxgames.internal import devices
from jaxgames.networks.config import ModelConfig
from tests import turn_nim
from tests.turn_nim import CHOOSING, TurnNim
from train.alphazero_learner import run_iteration
from train.muzero.algorithm import make_muzero
from train.steps import Steps

RULES = TurnNim()
ENV = Env("turn_nim", RULES)
CONFIG = MuZeroConfig(
    game="turn_nim",
    network=ModelConfig(
        channels=16,
        blocks=0,
        dynamics_blocks=0,
        policy_channels=8,
        value_channels=4,
        value_hidden=32,
        projection=8,
    ),
    selfplay=SelfPlayConfig(lanes=32, plies=12, simulations=6, random_opening_share=0.5),
    replay=ReplayConfig(capacity=8 * 384, reanalyse=0.25),
    learner=LearnerConfig(
        batch_size=128,
        updates=30,
        unroll=3,
        learning_rate=0.01,
        warmup_steps=10,
        consistency_loss_weight=0.1,
    ),
)
ITERATIONS = 20


@pytest.fixture(scope="module")
def learned():
    """The algorithm, its parameters after a short training, and the metrics."""
    algorithm = make_muzero(ENV, CONFIG)
    steps = Steps(ENV, CONFIG, devices.make_mesh(), algorithm)
    state = steps.initial_state(jax.random.key(0))
    rows = []
    for iteration in range(ITERATIONS):
        key = jax.random.fold_in(jax.random.key(1), iteration)
        state, numbers = run_iteration(steps, CONFIG, state, key)
        rows.append(numbers)
    batch = steps.sample(state.replay, jax.random.key(2))
    return algorithm, state.params, rows, batch


@pytest.mark.slow
def test_the_model_learns_to_predict_first_positions_and_those_that_follow(learned):
    _, _, rows, _ = learned
    first, last = rows[0], rows[-1]
    assert last["learner/unrolled_loss"] < 0.6 * first["learner/unrolled_loss"]
    assert last["learner/value_correlation"] > 0.7
    assert last["learner/unrolled_value_correlation"] > 0.6
    assert last["learner/unrolled_seat_loss"] < 0.02
    assert last["learner/unrolled_consistency_loss"] < -0.6


@pytest.mark.slow
def test_search_with_the_learned_model_makes_fewer_mistakes_than_before(learned):
    algorithm, params, _, _ = learned
    search = algorithm.make_search(CONFIG.selfplay.for_matches(16))
    positions = [p for p in turn_nim.all_positions() if len(set(turn_nim.outcomes(p).values())) > 1]
    states = turn_nim.batch(positions, 1)
    act = jax.jit(lambda params: search.act(params, (), states, jax.random.key(0))[0].action)
    fresh = algorithm.init(jax.random.key(5))
    before, after = (len(turn_nim.mistakes(positions, act(x))) for x in (fresh, params))
    assert after < 0.75 * before


@pytest.mark.slow
def test_the_model_knows_the_winner_after_the_last_stone_and_keeps_to_it(learned):
    algorithm, params, _, _ = learned
    model = algorithm.model
    state = turn_nim.batch([((0, 2, 0), CHOOSING)], 0)
    features = model.represent(params, jax.vmap(RULES.observe)(state, state.seat))
    step, predict = jax.jit(model.step), jax.jit(model.predict)
    seats, values = [0], [float(predict(params, features).values[0, 0])]
    # The first heap to take from, then both stones; after the end, anything.
    for action in (1, 4, 0):
        features, seat = step(params, features, jnp.array([action]))
        seats.append((seats[-1] + int(seat[0].argmax())) % 2)
        values.append(float(predict(params, features).values[0, 0]))
    assert seats == [0, 0, 1, 0]
    assert values[0] > 0.5 and values[1] > 0.5 and values[2] < -0.5 and values[3] > 0.5


@pytest.mark.slow
def test_unknown_positions_teach_nothing(learned):
    algorithm, params, _, batch = learned

    @jax.jit
    def gradient(batch):
        return jax.grad(algorithm.loss, has_aux=True)(params, batch)[0]

    none = jax.tree.map(jnp.zeros_like, batch.weight)
    targets = batch.targets
    blind = targets._replace(
        policy_weight=targets.policy_weight.at[:, 1:].set(0),
        value_weight=targets.value_weight.at[:, 1:].set(0),
    )
    unknown = batch._replace(weight=none, targets=blind)
    other = unknown._replace(
        seat=1 - batch.seat,
        targets=blind._replace(
            policy=blind.policy.at[:, 1:].set(1 / 6), values=blind.values.at[:, 1:].set(0.25)
        ),
    )
    wanted = gradient(unknown)
    jax.tree.map(np.testing.assert_array_equal, gradient(other), wanted)
    dynamics = jax.tree.leaves(wanted["dynamics"])
    assert all((leaf == 0).all() for leaf in dynamics)
    assert any((leaf != 0).any() for leaf in jax.tree.leaves(gradient(batch)["dynamics"]))


def test_what_does_not_fit_the_game_is_refused():
    tile = dataclasses.replace(CONFIG, network=dataclasses.replace(CONFIG.network, tower="tile"))
    with pytest.raises(ValueError, match=r"consistency_loss_weight=0\.1 is for games without"):
        make_muzero(jaxgames.make("tribes"), tile)
    learner = dataclasses.replace(CONFIG.learner, score_loss_weight=0.5)
    with pytest.raises(ValueError, match=r"score_loss_weight=0\.5 needs a game that counts points"):
        make_muzero(ENV, dataclasses.replace(CONFIG, learner=learner))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"selfplay": SelfPlayConfig(search="mctx")}, "mctx searches with rules"),
        ({"selfplay": SelfPlayConfig(reuse=True)}, "leave selfplay.reuse"),
        ({"selfplay": SelfPlayConfig(max_children=8)}, "leave selfplay.reuse"),
        ({"learner": LearnerConfig(unroll=97)}, r"learner.unroll=97 .* at most 96"),
        ({"network": ModelConfig()}, "belong together, got 0.1 and 0"),
        ({"learner": LearnerConfig()}, "belong together, got 0.0 and 8"),
    ],
)
def test_settings_that_exclude_each_other_are_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(CONFIG, **changes)
