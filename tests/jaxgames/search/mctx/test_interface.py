"""What callers of the policies may pass and read: own functions, fields of the tree, no rewards."""

import functools

import jax
import jax.numpy as jnp
import mctx as theirs
import numpy as np
import pytest

import jaxgames.search.mctx as ours
from jaxgames.internal import device_kind
from tests.jaxgames.search.mctx import random_models

ACTIONS, LANES, SIMULATIONS = 5, 8, 12
FIELDS = (
    *("node_visits", "raw_values", "node_values", "parents", "action_from_parent"),
    *("children_index", "children_visits", "children_values", "children_rewards"),
    *("children_discounts", "root_invalid_actions"),
)


def inputs(mctx):
    root, invalid = random_models.roots(mctx, 0, LANES, ACTIONS, jnp.float32)
    return root, random_models.model(mctx, ACTIONS, jnp.float32), invalid


def halved(tree, node_index):
    """Returns half of the Q-values of a transform: a function that the search does not know."""
    return ours.qtransform_by_min_max(tree, node_index, min_value=-2, max_value=2) / 2


def with_own_transform(mctx):
    root, model, invalid = inputs(mctx)
    key = jax.random.key(0)
    return mctx.muzero_policy(
        (), key, root, model, SIMULATIONS, invalid, max_depth=3, qtransform=halved
    )


@functools.cache
def own_transform_trees():
    return [jax.jit(functools.partial(with_own_transform, mctx))() for mctx in (ours, theirs)]


def test_an_own_transform_is_used_as_by_mctx():
    own, other = own_transform_trees()
    np.testing.assert_array_equal(own.action, other.action)
    np.testing.assert_allclose(own.action_weights, other.action_weights, atol=1e-6)


@pytest.mark.parametrize("name", FIELDS)
def test_fields_of_the_tree_are_those_of_mctx(name):
    own, other = (getattr(output.search_tree, name) for output in own_transform_trees())
    assert own.dtype == other.dtype
    np.testing.assert_allclose(own, other, atol=1e-6)


def test_priors_and_embeddings_of_the_tree_are_those_of_mctx():
    own, other = (output.search_tree for output in own_transform_trees())
    used = np.array(own.node_visits) > 0
    # Where no action is valid, our tree shows action 0 as the only one.
    used[:, 0] &= ~np.asarray(own.root_invalid_actions).all(axis=1)
    priors = [jax.nn.softmax(tree.children_prior_logits)[used] for tree in (own, other)]
    np.testing.assert_allclose(*priors, atol=1e-6)
    for mine, its in zip(own.embeddings, other.embeddings, strict=True):
        np.testing.assert_array_equal(mine[used], its[used])
    assert own.num_simulations == other.num_simulations == SIMULATIONS
    assert own.num_actions == other.num_actions == ACTIONS


def test_qvalues_and_one_lane_of_the_tree_are_those_of_mctx():
    own, other = (output.search_tree for output in own_transform_trees())
    nodes = jnp.arange(LANES) % 4
    np.testing.assert_allclose(own.qvalues(nodes), other.qvalues(nodes), atol=1e-6)
    own, other = (jax.tree.map(lambda x: x[2], tree) for tree in (own, other))
    np.testing.assert_array_equal(own.children_visits, other.children_visits)
    np.testing.assert_allclose(own.qvalues(1), other.qvalues(1), atol=1e-6)


def at_random(key, tree, node_index, depth=0):
    """Returns a random action, of odd number at odd depths if it was not visited."""
    wanted = jnp.arange(tree.num_actions) % 2 == depth % 2
    is_new = tree.children_visits[node_index] == 0
    return jax.random.categorical(key, 2.0 * wanted + is_new).astype(jnp.int32)


def searched(mctx):
    root, model, _ = inputs(mctx)
    tree = mctx.search(
        (),
        jax.random.key(5),
        root=root,
        recurrent_fn=model,
        root_action_selection_fn=at_random,
        interior_action_selection_fn=at_random,
        num_simulations=SIMULATIONS,
    )
    return tree.children_index, tree.node_values


def test_own_selection_functions_get_the_keys_and_depths_of_mctx():
    own, other = (jax.jit(functools.partial(searched, mctx))() for mctx in (ours, theirs))
    np.testing.assert_array_equal(own[0], other[0])
    np.testing.assert_allclose(own[1], other[1], atol=1e-6)


def test_the_names_are_those_of_mctx_and_serve_as_types():
    assert set(ours.__all__) == set(theirs.__all__)
    for mctx in (ours, theirs):
        assert mctx.Tree[mctx.GumbelMuZeroExtraData] and mctx.PolicyOutput[None]


@pytest.mark.parametrize("policy", ["gumbel_muzero_policy", "muzero_policy"])
def test_policies_work_in_programs_with_strict_promotion(policy):
    root, model, invalid = inputs(ours)

    def decide(key):
        found = getattr(ours, policy)((), key, root, model, 4, invalid)
        tree = found.search_tree
        return (
            found.action,
            tree.children_visits,
            tree.summary(),
            tree.qvalues(jnp.zeros(LANES, int)),
        )

    with jax.numpy_rank_promotion("raise"), jax.numpy_dtype_promotion("strict"):
        action, visits, *_ = jax.eval_shape(decide, jax.random.key(0))
    assert action.shape == (LANES,) and visits.shape == (LANES, 5, ACTIONS)


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


def several(mctx, over):
    """Returns trees with a further axis."""
    root, model, invalid = inputs(mctx)

    def one(key):
        return mctx.gumbel_muzero_policy((), key, root, model, 6, invalid).search_tree

    keys = jax.random.split(jax.random.key(0), 3)
    if over == "vmap":
        return jax.vmap(one)(keys)
    return jax.lax.scan(lambda carry, key: (carry, one(key)), 0, keys)[1]


@pytest.mark.slow
@pytest.mark.parametrize("over", ["scan", "vmap"])
def test_trees_with_further_axes_have_the_fields_of_mctx(over):
    own, other = (jax.jit(functools.partial(several, mctx, over))() for mctx in (ours, theirs))
    for name in FIELDS:
        np.testing.assert_allclose(getattr(own, name), getattr(other, name), atol=1e-6)


@pytest.mark.parametrize("over", ["scan", "vmap"])
def test_trees_with_further_axes_have_the_shapes_of_mctx(over):
    own, other = (jax.eval_shape(functools.partial(several, mctx, over)) for mctx in (ours, theirs))

    def shape(tree, name):
        return jax.eval_shape(lambda tree: getattr(tree, name), tree).shape

    for name in (*FIELDS, "children_prior_logits"):
        assert shape(own, name) == shape(other, name) == (3, *shape(other, name)[1:])
    with pytest.raises(ValueError, match="summary takes a tree of shape"):
        own.summary()
    with pytest.raises(ValueError, match="qvalues takes one index for each lane"):
        own.qvalues(0)


def test_qvalues_of_a_batch_take_an_index_for_each_lane():
    own, _ = (output.search_tree for output in own_transform_trees())
    with pytest.raises(ValueError, match=r"the tree has lanes \(8,\), the indices \(\)"):
        own.qvalues(0)


def test_results_are_mappings_of_their_fields():
    output, other = own_transform_trees()
    assert list(output) == ["action", "action_weights", "search_tree"] == list(output.keys())
    np.testing.assert_array_equal(output["action"], output.action)
    assert dict(**output)["search_tree"] is output.search_tree
    assert output.get("reward") is None and len(output) == 3 and "action" in output
    assert set(output.search_tree.summary()) == set(other.search_tree.summary())
    root, _, _ = inputs(ours)
    again = ours.RootFnOutput.from_tuple(root.to_tuple())
    assert again.value is root.value and ours.RootFnOutput(**root).value is root.value
    with pytest.raises(KeyError, match="rewards"):
        output["rewards"]


def test_own_transforms_see_the_number_of_simulations():
    def transform(tree, node_index):
        return tree.qvalues(node_index) / tree.num_simulations

    root, model, _ = inputs(ours)
    found = jax.eval_shape(
        lambda key: ours.muzero_policy((), key, root, model, 4, qtransform=transform),
        jax.random.key(0),
    )
    assert found.search_tree.num_simulations == 4


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
