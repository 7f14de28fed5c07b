"""The report's actors: sizes, wiring, and the mask that removes invalid actions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.networks.network import count_parameters
from papers.onitama_report import config
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.actor import VALIDITY_NET, WIRINGS, make_actor, masked_policy
from papers.onitama_report.tests.ddpg.layer_sizes import PREPROCESS, dense

ENV = jaxgames.make("onitama_report")
SMALL = NetworkConfig(channels=4, hidden=16)
KEY = jax.random.key(0)
BATCH = 16


HEAD, SHORT_HEAD = dense(256, 40), dense(40, 40)
SIZES = {
    "actions_only": PREPROCESS + HEAD,
    "val_after_actions": PREPROCESS + HEAD + SHORT_HEAD,
    "actions_after_val": PREPROCESS + HEAD + SHORT_HEAD,
    "val_branch_actions": PREPROCESS + 2 * HEAD,
    "dual": 2 * (PREPROCESS + HEAD),
}

TRUNK = {"preprocess", "actions"}
# Parts of an actor that the policy depends on, and those that the validities depend on.
REACHED = {
    "actions_only": (TRUNK, set()),
    "val_after_actions": (TRUNK, TRUNK | {"validity"}),
    "actions_after_val": (TRUNK | {"validity"}, {"preprocess", "validity"}),
    "val_branch_actions": (TRUNK, {"preprocess", "validity"}),
    "val_after_actions_multiply": (TRUNK | {"validity"}, TRUNK | {"validity"}),
    "actions_after_val_multiply": (TRUNK | {"validity"}, {"preprocess", "validity"}),
    "val_branch_actions_multiply": (TRUNK | {"validity"}, {"preprocess", "validity"}),
    "dual": (TRUNK | {*VALIDITY_NET}, {*VALIDITY_NET}),
}


@pytest.fixture(scope="module")
def obs():
    rng = np.random.default_rng(1)
    board, cards = ENV.observation_shape
    shapes = ((BATCH, *board), (BATCH, *cards))
    return tuple(jnp.asarray(rng.normal(size=shape), jnp.float32) for shape in shapes)


def test_every_setting_of_the_command_line_has_a_wiring():
    assert set(config.ARCHITECTURES) == set(WIRINGS)


@pytest.mark.parametrize("name", config.ARCHITECTURES)
def test_full_size_has_the_layers_of_the_report(name):
    network = make_actor(ENV, name, NetworkConfig())
    shapes = jax.eval_shape(network.init, KEY)
    assert count_parameters(shapes) == SIZES[name.removesuffix("_multiply")]
    inputs = (jax.ShapeDtypeStruct((3, 10, 5, 5), jnp.float32), jnp.zeros((3, 10)))
    output = jax.eval_shape(network.apply, shapes, *inputs)
    assert {x.shape for x in jax.tree.leaves(output)} == {(3, 40)}


# One of each order of the layers, with and without the product; then the others.
QUICK = ("actions_only", "actions_after_val", "val_branch_actions_multiply", "dual")


@pytest.mark.parametrize(
    "name",
    [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in config.ARCHITECTURES],
)
def test_losses_reach_the_parts_that_the_wiring_says(name, obs):
    network = make_actor(ENV, name, SMALL)
    params = network.init(KEY)
    weights = jnp.asarray(np.random.default_rng(2).normal(size=(2, BATCH, 40)), jnp.float32)

    @jax.jit
    def gradients(params):
        def total(params, part):
            output = network.apply(params, *obs)
            chosen = output.policy if part == 0 else output.validity_logits
            return 0.0 if chosen is None else (weights[part] * chosen).sum()

        return [jax.grad(total)(params, part) for part in (0, 1)], network.apply(params, *obs)

    found, output = gradients(params)
    for gradient, wanted in zip(found, REACHED[name], strict=True):
        reached = {
            part for part in params if any((x != 0).any() for x in jax.tree.leaves(gradient[part]))
        }
        assert reached == wanted

    np.testing.assert_allclose(output.actions.sum(axis=1), 1, rtol=1e-5)
    wanted = np.asarray(output.actions)
    if WIRINGS[name].multiplies:
        wanted = wanted * jax.nn.sigmoid(output.validity_logits)
        wanted = wanted / wanted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(output.policy, wanted, rtol=1e-4, atol=1e-6)


def test_layers_that_follow_the_other_see_nothing_else(obs):
    """With the first of two layers held still, the second says the same everywhere."""
    for name, first, second in (
        ("val_after_actions", "actions", "validity_logits"),
        ("actions_after_val", "validity", "actions"),
    ):
        network = make_actor(ENV, name, SMALL)
        params = network.init(KEY)
        params[first] = jax.tree.map(jnp.zeros_like, params[first])
        output = getattr(network.apply(params, *obs), second)
        np.testing.assert_array_equal(output, np.broadcast_to(output[0], output.shape))
        assert np.ptp(output[0]) > 0


def test_a_position_is_judged_alike_in_any_company(obs):
    network = make_actor(ENV, "dual", SMALL)
    params = network.init(KEY)
    _, moved = network.train(params, *obs)
    together = network.apply(moved, *obs).policy
    alone = network.apply(moved, *(x[:1] for x in obs)).policy
    np.testing.assert_allclose(alone, together[:1], rtol=1e-4, atol=1e-6)
    assert not np.allclose(network.apply(params, *obs).policy, together, rtol=1e-3)


def test_mask_removes_invalid_actions_and_normalises():
    policy = jnp.array([[0.5, 0.25, 0.25, 0.0], [0.7, 0.1, 0.2, 0.0]])
    mask = jnp.array([[False, True, True, False], [True, False, False, True]])
    found = masked_policy(policy, mask)
    np.testing.assert_allclose(found, [[0, 0.5, 0.5, 0], [1, 0, 0, 0]])


@pytest.mark.parametrize("share", [0.0, 1e-39])
def test_policy_with_nothing_on_valid_actions_becomes_uniform_over_them(share):
    policy = jnp.array([1.0, share, 0.0, share])
    mask = jnp.array([False, True, False, True])
    np.testing.assert_array_equal(masked_policy(policy, mask), [0, 0.5, 0, 0.5])


def test_unknown_architecture_and_unfit_game_are_refused():
    with pytest.raises(ValueError, match=r"'duel'; available: .*; did you mean 'dual'"):
        make_actor(ENV, "duel", SMALL)
    with pytest.raises(ValueError, match=r"board \[planes, height, width\] and a vector; onitama"):
        make_actor(jaxgames.make("onitama"), "dual", SMALL)
