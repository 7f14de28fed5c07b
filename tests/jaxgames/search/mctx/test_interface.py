"""What callers of the policies may pass and read: own functions, and fields of the tree."""

import functools

import jax
import jax.numpy as jnp
import mctx as theirs
import numpy as np
import pytest

import jaxgames.search.mctx as ours
from tests.jaxgames.search.mctx.random_models import ACTIONS, LANES, SIMULATIONS, inputs

FIELDS = (
    *("node_visits", "raw_values", "node_values", "parents", "action_from_parent"),
    *("children_index", "children_visits", "children_values", "children_rewards"),
    *("children_discounts", "root_invalid_actions"),
)


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
