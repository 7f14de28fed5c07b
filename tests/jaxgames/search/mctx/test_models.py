"""What models may hold and return: parameters, rewards, priors, types and shapes of numbers."""

import functools

import jax
import jax.numpy as jnp
import mctx as theirs
import numpy as np
import pytest

import jaxgames.search.mctx as ours
from jaxgames.internal import device_kind
from tests.jaxgames.search.mctx import random_models
from tests.jaxgames.search.mctx.random_models import ACTIONS, LANES, SIMULATIONS, inputs


@pytest.mark.parametrize(
    "parts", [pytest.param(("reward",), marks=pytest.mark.slow), ("reward", "discount")]
)
def test_a_model_may_leave_out_rewards_and_discounts(parts):
    root, model, invalid = inputs(ours)
    fixed = {"reward": jnp.zeros(LANES), "discount": jnp.ones(LANES)}

    def without(params, key, action, embedding, kept):
        output, embedding = model(params, key, action, embedding)
        left = {name: fixed[name] if kept else None for name in parts}
        return output.replace(**left), embedding

    def policy(kept):
        found = ours.gumbel_muzero_policy(
            (), jax.random.key(1), root, functools.partial(without, kept=kept), 8, invalid
        )
        assert (found.search_tree.nodes.reward is None) == (not kept)
        return found.action_weights, found.search_tree.summary()

    jax.tree.map(
        np.testing.assert_array_equal,
        *(jax.jit(policy, static_argnums=0)(x) for x in (True, False)),
    )


def scaled_twice(mctx, params, key, action, embedding):
    output, embedding = random_models.model(mctx, ACTIONS, jnp.float32)((), key, action, embedding)
    for _ in range(params["times"]):
        output = output.replace(value=params["activation"](output.value * params["scale"]))
    return output, embedding


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.slow)])
def test_parameters_may_hold_functions_and_numbers(device):
    params = {"activation": jax.nn.relu, "times": 2, "scale": jnp.float32(0.5)}

    def decided(mctx):
        root, _, invalid = inputs(mctx)
        model = functools.partial(scaled_twice, mctx)
        found = mctx.gumbel_muzero_policy(params, jax.random.key(3), root, model, 4, invalid)
        return found.action, found.action_weights

    with device_kind.assumed(device):
        own, other = (jax.jit(functools.partial(decided, mctx))() for mctx in (ours, theirs))
    np.testing.assert_array_equal(own[0], other[0])
    np.testing.assert_allclose(own[1], other[1], atol=1e-6)


def test_functions_and_numbers_may_be_parameters_with_chance_too():
    root, _, invalid = inputs(ours)
    act, draw = models_of(ours, "stochastic_muzero_policy")

    def of_params(model, params, *others):
        return params["activation"](model((), *others))

    models = (functools.partial(of_params, model) for model in (act, draw))
    params = {"activation": lambda output: output}
    jax.eval_shape(
        lambda key: ours.stochastic_muzero_policy(params, key, root, *models, 4, invalid).action,
        jax.random.key(3),
    )


@pytest.mark.parametrize("device", [pytest.param("cpu", marks=pytest.mark.slow), "tpu"])
@pytest.mark.parametrize("policy", ["gumbel_muzero_policy", "muzero_policy"])
@pytest.mark.parametrize(
    "logit", [-jnp.inf, pytest.param(jnp.nan, marks=pytest.mark.slow)], ids=["none", "nan"]
)
def test_positions_without_a_prior_have_the_nodes_of_mctx(policy, device, logit):
    def decided(mctx):
        root, _, _ = inputs(mctx)
        model = random_models.model(mctx, ACTIONS, jnp.float32)

        def without_prior(params, key, action, embedding):
            output, embedding = model(params, key, action, embedding)
            return output.replace(prior_logits=jnp.full((LANES, ACTIONS), logit)), embedding

        found = getattr(mctx, policy)((), jax.random.key(4), root, without_prior, SIMULATIONS)
        tree = found.search_tree
        return found.action, tree.parents, tree.action_from_parent, tree.node_visits

    with device_kind.assumed(device):
        own, other = (jax.jit(functools.partial(decided, mctx))() for mctx in (ours, theirs))
    jax.tree.map(np.testing.assert_array_equal, own, other)


POLICIES = ("gumbel_muzero_policy", "muzero_policy", "stochastic_muzero_policy")
# All keep and read the same tree; the last one has two kinds of nodes in it.
SLOWLY = [POLICIES[0], *(pytest.param(x, marks=pytest.mark.slow) for x in POLICIES[1:])]


def models_of(mctx, policy, change=lambda output: output):
    """Returns the functions of a policy; `change` is applied to what they predict."""
    if policy == "stochastic_muzero_policy":
        functions = random_models.chance_models(mctx, ACTIONS, 3, jnp.float32)
    else:
        functions = [random_models.model(mctx, ACTIONS, jnp.float32)]

    def changed(function, params, key, action, embedding):
        output, embedding = function(params, key, action, embedding)
        return change(output), embedding

    return [functools.partial(changed, function) for function in functions]


def decided(mctx, policy, change=lambda output: output):
    root, _, invalid = inputs(mctx)
    models = models_of(mctx, policy, change)
    found = getattr(mctx, policy)(
        (), jax.random.key(2), change(root), *models, SIMULATIONS, invalid
    )
    summary = found.search_tree.summary()
    return found.action, found.action_weights, summary.visit_counts, summary.value


def rounded(dtype, then, logits):
    """Returns a function that rounds the numbers of a model to one type and gives them another."""

    def change(output):
        fields = {
            name: value.astype(dtype).astype(then)
            for name, value in output.items()
            if name != "embedding" and (logits or not name.endswith("logits"))
        }
        return output.replace(**fields)

    return change


@pytest.mark.parametrize("policy", SLOWLY)
def test_values_of_16_bits_are_kept_in_32(policy):
    low, high = (
        jax.jit(
            functools.partial(decided, ours, policy, rounded(jnp.bfloat16, dtype, logits=False))
        )()
        for dtype in (jnp.bfloat16, jnp.float32)
    )
    assert low[3].dtype == jnp.float32
    jax.tree.map(np.testing.assert_array_equal, low, high)


@pytest.mark.parametrize("policy", POLICIES)
def test_models_may_compute_in_16_bits(policy):
    change = rounded(jnp.float16, jnp.float16, logits=True)
    action, weights, visits, value = jax.eval_shape(
        functools.partial(decided, ours, policy, change)
    )
    assert action.shape == value.shape == (LANES,)
    assert weights.shape == visits.shape == (LANES, ACTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_searches_of_models_in_16_bits_have_finite_values(policy):
    change = rounded(jnp.float16, jnp.float16, logits=True)
    action, weights, visits, value = jax.jit(functools.partial(decided, ours, policy, change))()
    assert action.shape == (LANES,)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-2)
    assert (visits.sum(axis=1) > 0).all() and np.isfinite(value).all()


def whole_numbers(output):
    """Returns values, rewards and discounts as integers."""
    fields = {
        name: jnp.round(2 * value).astype(jnp.int32)
        for name, value in output.items()
        if not name.endswith("logits") and name != "embedding"
    }
    return output.replace(**fields)


@pytest.mark.parametrize("policy", SLOWLY[:2])
def test_models_may_return_whole_numbers_as_in_mctx(policy):
    def searched(mctx):
        root, _, invalid = inputs(mctx)
        models = models_of(mctx, policy, whole_numbers)
        return getattr(mctx, policy)((), jax.random.key(2), root, *models, SIMULATIONS, invalid)

    own, other = (jax.jit(functools.partial(searched, mctx))() for mctx in (ours, theirs))
    np.testing.assert_array_equal(own.action, other.action)
    np.testing.assert_allclose(own.action_weights, other.action_weights, atol=1e-6)


ONES = jnp.ones(LANES)


@pytest.mark.parametrize(
    ("of_root", "of_model", "invalid", "message"),
    [
        ({}, {}, (LANES, 1), r"invalid_actions must have the shape \(8, 5\), got \(8, 1\)"),
        ({}, {}, (ACTIONS,), r"invalid_actions must have the shape \(8, 5\), got \(5,\)"),
        ({"value": ONES[:, None]}, {}, None, r"root.value must have the shape \(8,\), got"),
        ({"prior_logits": ONES}, {}, None, r"root.prior_logits must have the shape \[B, num_"),
        ({"embedding": {"h": ONES[:3]}}, {}, None, r"root.embedding\['h'\] must begin with .* 8"),
        ({}, {"value": ONES[:, None]}, None, r"value of RecurrentFnOutput must have .* \(8, 1\)"),
        ({}, {"discount": 0.9}, None, r"discount of RecurrentFnOutput must have .*, got \(\)"),
    ],
)
@pytest.mark.parametrize("policy", POLICIES[:2])
def test_wrong_shapes_are_named(policy, of_root, of_model, invalid, message):
    root, _, _ = inputs(ours)
    (model,) = models_of(ours, policy, lambda output: output.replace(**of_model))
    mask = None if invalid is None else jnp.zeros(invalid, dtype=bool)
    with pytest.raises(ValueError, match=message):
        getattr(ours, policy)((), jax.random.key(0), root.replace(**of_root), model, 2, mask)
