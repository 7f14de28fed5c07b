"""What holds for every node of every tree, whatever the game, the position and the policy."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jaxgames
from jaxgames.search.tree import packing
from jaxgames.search.tree.arrays import OVER, ROOT
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.testing import playouts
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim

LANES = 32
SIMULATIONS = 32
ONITAMA = jaxgames.make("onitama", deck="all", planes="board").rules
SEARCHES = [
    TreeSearch(rules, RandomFunction(rules, spread=1.0), policy, SIMULATIONS, **settings)
    for rules, policy, settings in [
        (ONITAMA, Gumbel(), {}),
        (TurnNim(), Puct(), {"max_active": 20}),
        (ThreeNim(), Gumbel(max_considered=3), {"max_children": 4}),
    ]
]
EACH_SEARCH = pytest.mark.parametrize(
    "search",
    [
        pytest.param(
            search,
            id=type(search.rules).__name__,
            marks=pytest.mark.slow if search.rules is ONITAMA else (),
        )
        for search in SEARCHES
    ],
)


@functools.cache
def positions(rules):
    """Returns positions of random games, finished ones among them."""
    states = playouts.play(rules, seed=2).states
    return jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), states)


def draw(rules, seed):
    states = positions(rules)
    chosen = np.random.default_rng(seed).integers(len(jax.tree.leaves(states)[0]), size=LANES)
    return playouts.at(states, chosen)


@trees.jit_alike
def replay(search, tree, action):
    """Returns what becomes of each node's parent after an action, and what is said of that."""
    rules, (batch, nodes) = search.rules, tree.visits.shape
    words = jnp.take_along_axis(tree.state, tree.parent[..., None], axis=1).reshape(
        batch * nodes, -1
    )
    state = packing.unpack(words, jax.eval_shape(rules.init, jax.random.key(0)))
    action = action.reshape(-1)
    after = jax.vmap(lambda s, a: rules.step(s, a, None))(state, action)
    is_over = jax.vmap(rules.is_over)(after)
    said = search.evaluator((), after, None).values
    replayed = {
        "was over": jax.vmap(rules.is_over)(state),
        "legal": jax.vmap(lambda s, a: rules.legal_actions(s)[a])(state, action),
        "words": packing.pack(after),
        "seat": jnp.where(is_over, OVER, jax.vmap(rules.to_move)(after)),
        "value": jnp.where(is_over[:, None], jax.vmap(rules.returns)(after), said),
    }
    return jax.tree.map(lambda x: x.reshape(batch, nodes, *x.shape[1:]), replayed)


@EACH_SEARCH
@given(seed=st.integers(0, 2**32 - 1))
def test_every_node_is_what_the_rules_make_of_its_parent(search, seed):
    state = draw(search.rules, seed)
    _, found = jax.device_get(trees.decide_alike(search, state, jax.random.key(seed)))
    tree, number = found.tree, np.arange(SIMULATIONS + 1)
    is_below = (number > ROOT) & (number < tree.used[:, None])
    action = np.where(is_below, trees.actions(tree), 0)
    expected = jax.device_get(replay(search, tree, action))
    assert not expected["was over"][is_below].any()
    assert expected["legal"][is_below].all()
    np.testing.assert_array_equal(tree.state[is_below], expected["words"][is_below])
    np.testing.assert_array_equal(tree.seat[is_below], expected["seat"][is_below])
    values = expected["value"][..., : tree.value.shape[-1]]
    np.testing.assert_array_equal(tree.raw_value[is_below], values[is_below])
    np.testing.assert_array_equal(tree.state[:, ROOT], packing.pack(state))


@EACH_SEARCH
@given(seed=st.integers(0, 2**32 - 1))
def test_visits_and_values_add_up(search, seed):
    state = draw(search.rules, seed)
    decision, found = jax.device_get(trees.decide_alike(search, state, jax.random.key(seed)))
    tree, lanes, number = found.tree, np.arange(LANES)[:, None], np.arange(SIMULATIONS + 1)
    exists = number < tree.used[:, None]
    is_below, is_over = exists & (number > ROOT), tree.seat == OVER
    # Parents come before their children, and no edge leads to two nodes.
    assert (tree.parent < number)[is_below].all()
    edges = tree.parent * search.rules.num_actions + trees.actions(tree)
    for lane in range(LANES):
        assert len(set(edges[lane][is_below[lane]])) == is_below[lane].sum()
    # All simulations pass the root; those that pass a node stop there or go on to one child.
    assert (tree.visits[:, ROOT] == 1 + np.where(is_over[:, ROOT], 0, SIMULATIONS)).all()
    assert (tree.visits[exists] > 0).all() and (tree.visits[~exists] == 0).all()
    below = np.zeros_like(tree.visits)
    np.add.at(below, (np.where(is_below, lanes, 0), tree.parent), tree.visits * is_below)
    inner = exists & ~is_over
    assert (tree.visits[inner] == 1 + below[inner]).all() and (below[exists & is_over] == 0).all()
    # A value is the mean of what was found at the node and below.
    total = tree.value * tree.visits[..., None]
    sums = np.zeros_like(total)
    weighted = np.where(is_below[..., None], total, 0)
    np.add.at(sums, (np.where(is_below, lanes, 0), tree.parent), weighted)
    np.testing.assert_allclose(total[inner], (tree.raw_value + sums)[inner], atol=2e-4)
    ends = exists & is_over
    np.testing.assert_allclose(tree.value[ends], tree.raw_value[ends], atol=1e-6)
    # The decision is made of legal actions.
    going_on = ~is_over[:, ROOT]
    mask = np.asarray(jax.vmap(search.rules.legal_actions)(state))
    assert mask[np.arange(LANES), decision.action][going_on].all()
    assert (decision.policy[~mask] == 0).all()
    np.testing.assert_allclose(decision.policy[going_on].sum(axis=1), 1, rtol=1e-5)
