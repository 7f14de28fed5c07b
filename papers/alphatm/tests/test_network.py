"""AlphaTM's network: its sizes, its running averages, and that learning moves both."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from configs.alphazero import LearnerConfig
from configs.presets import preset
from jaxgames.env import Env
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network, count_parameters, make_network
from papers.alphatm.network import MOMENTUM
from papers.alphatm.preset import PRESETS
from tests.three_nim import ThreeNim
from train import learner

GAME = "terra_mystica_alphatm"
BOARD, ACTIONS = (4, 6, 5), 12
CONFIG = NetworkConfig(
    tower="alphatm",
    channels=4,
    blocks=2,
    policy_channels=3,
    value_channels=2,
    value_hidden=6,
    dtype="float32",
)
NETWORK = Network(BOARD, ACTIONS, 2, CONFIG)
KEY = jax.random.key(0)
apply, train = jax.jit(NETWORK.apply), jax.jit(NETWORK.train)


@pytest.fixture(scope="module")
def params():
    return jax.jit(NETWORK.init)(KEY)


@pytest.fixture(scope="module")
def batch():
    rng = np.random.default_rng(1)
    policy = rng.random((32, ACTIONS))
    values = rng.choice([-1.0, 1.0], 32)
    return learner.Batch(
        obs=jnp.asarray(3 + 2 * rng.normal(size=(32, *BOARD)), jnp.float32),
        mask=jnp.ones((32, ACTIONS), bool),
        policy=jnp.asarray(policy / policy.sum(axis=1, keepdims=True), jnp.float32),
        values=jnp.asarray(np.stack([values, -values], axis=1), jnp.float32),
        value_weight=jnp.ones(32),
    )


def averages(params):
    """Returns the running means and variances by path."""
    leaves = jax.tree.leaves_with_path(params)
    names = {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}
    return {name: leaf for name, leaf in names.items() if name.endswith(("mean", "var"))}


def test_full_size_has_the_layers_of_the_paper():
    config = preset("alphazero", GAME, "accelerator").network
    network = Network((9, 26, 206), 2143, 2, config)
    shapes = jax.eval_shape(network.init, KEY)
    block = 2 * (9 * 256 * 256 + 4 * 256)
    stem = 9 * 206 * 256 + 4 * 256
    policy = 4 * 256 * 64 + 4 * 64 + (117 * 64 + 1) * 2138 + 64 + 4 + (117 + 1) * 5
    value = 256 * 32 + 4 * 32 + (234 * 32 + 1) * 264 + 265
    assert count_parameters(shapes) == stem + 19 * block + policy + value
    obs = jax.ShapeDtypeStruct((3, 9, 26, 206), jnp.float32)
    logits, values = jax.eval_shape(network.apply, shapes, obs)
    assert (logits.shape, values.shape) == ((3, 2143), (3, 2))
    assert logits.dtype == values.dtype == jnp.float32


def test_a_position_is_evaluated_alike_in_any_company(params, batch):
    _, moved = train(params, batch.obs)
    logits, values = apply(moved, batch.obs)
    alone, _ = apply(moved, batch.obs[:1])
    np.testing.assert_allclose(alone, logits[:1], rtol=1e-4, atol=1e-5)
    assert (values == -values[:, ::-1]).all()


def test_learning_normalises_by_the_batch_and_moves_the_averages(params, batch):
    _, moved = train(params, batch.obs)
    assert all((leaf == 0).all() for name, leaf in averages(params).items() if "mean" in name)
    x = np.asarray(
        jax.lax.conv_general_dilated(
            batch.obs, params["stem"]["conv"]["kernel"], (1, 1), "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )
    )  # fmt: skip
    share = 1 - MOMENTUM
    np.testing.assert_allclose(
        moved["stem"]["norm"]["mean"], share * x.mean(axis=(0, 1, 2)), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(
        moved["stem"]["norm"]["var"], 1 - share + share * x.var(axis=(0, 1, 2)), rtol=1e-4
    )
    unmoved = jax.tree.map(jnp.array_equal, params, moved)
    assert unmoved["stem"]["conv"]["kernel"] and unmoved["stem"]["norm"]["scale"]


def test_running_averages_become_those_of_the_data(params, batch):
    moved = params
    for _ in range(60):
        (learning, *_), moved = train(moved, batch.obs)
    np.testing.assert_allclose(apply(moved, batch.obs)[0], learning, rtol=0.02, atol=0.02)


def test_gradient_steps_learn_and_leave_averages_to_the_network(params, batch):
    config = LearnerConfig(learning_rate=0.02, warmup_steps=1)
    optimizer = learner.make_optimizer(config)

    def loss(params, batch):
        return learner.loss(params, NETWORK, config, batch)

    step = jax.jit(functools.partial(learner.gradient_step, loss, optimizer))
    learned, opt_state, first = step(params, optimizer.init(params), batch)
    expected = averages(train(params, batch.obs)[1])
    for name, leaf in averages(learned).items():
        np.testing.assert_allclose(leaf, expected[name], rtol=1e-5, atol=1e-6)
    for _ in range(60):
        learned, opt_state, last = step(learned, opt_state, batch)
    assert last["learner/policy_kl"] < 0.5 * first["learner/policy_kl"]
    assert last["learner/value_loss"] < 0.5 * first["learner/value_loss"]
    assert last["learner/value_correlation"] > 0.5


def test_fresh_blocks_change_nothing(params, batch):
    flat = Network(BOARD, ACTIONS, 2, dataclasses.replace(CONFIG, blocks=0))
    without = {name: part for name, part in params.items() if name != "tower"}
    np.testing.assert_array_equal(
        apply(params, batch.obs)[0], jax.jit(flat.apply)(without, batch.obs)[0]
    )


@pytest.mark.parametrize(
    ("env", "words"),
    [
        (jaxgames.make("onitama_report"), r"network.tower=alphatm needs .*; onitama_report has"),
        (Env("three", ThreeNim()), r"is for games of two seats .*; three has 3"),
    ],
    ids=["no board", "three seats"],
)
def test_other_games_are_refused(env, words):
    with pytest.raises(ValueError, match=words):
        make_network(env, CONFIG)


@pytest.mark.parametrize("device_class", PRESETS)
def test_every_preset_is_valid_and_has_the_network_and_search_of_the_paper(device_class):
    config = preset("alphazero", GAME, device_class)
    assert (config.game, config.preset, config.network.tower) == (GAME, device_class, "alphatm")
    assert config.learner.search_value_share == 0 and config.selfplay.search == "puct"
    if device_class == "accelerator":
        assert (config.network.blocks, config.network.channels) == (19, 256)
        assert config.selfplay.simulations == 800
