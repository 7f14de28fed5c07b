"""Subtrees that are kept: what is left of a tree after moves, and how the search goes on."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.batching.trees import choose
from jaxgames.search.tree import packing, reuse
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.testing import playouts
from tests import three_nim, turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim

KEY = jax.random.key(11)
SIMULATIONS = 12
MOST = SIMULATIONS + 1  # nodes that are kept
SPREAD = 1.5
THREE_NIM, TURN_NIM = ThreeNim(), TurnNim()
START = {
    THREE_NIM: three_nim.batch(
        [position for position in three_nim.all_positions() if sum(position[0]) >= 5]
    ),
    TURN_NIM: turn_nim.both_seats(
        [position for position in turn_nim.all_positions() if sum(position[0]) >= 6]
    ),
}
PUCT, GUMBEL = Puct(dirichlet_fraction=0.25), Gumbel(max_considered=4)


def searching(rules, policy, simulations=SIMULATIONS, **settings):
    evaluator = RandomFunction(rules, SPREAD)
    return TreeSearch(rules, evaluator, policy, simulations, reuse=True, **settings)


@functools.partial(jax.jit, static_argnums=0)
def decide(search, memory, state, key):
    return trees.decide(search, state, key, (), memory)


@functools.partial(jax.jit, static_argnums=0)
def step(rules, state, action):
    moved = jax.vmap(lambda s, a: rules.step(s, a, None))(state, action)
    return jax.vmap(choose)(jax.vmap(rules.is_over)(state), state, moved)


def size_of(state):
    return len(jax.tree.leaves(state)[0])


def by_path(nodes):
    """Returns the nodes of a lane by the actions that lead to them."""
    return {node.path: node for node in nodes}


def below(nodes, path, most):
    """Returns what is left of `nodes` below a path, of the first nodes that were made."""
    kept = [node for node in nodes if node.path[: len(path)] == path][:most]
    return {node.path[len(path) :]: node for node in kept}


def most_visited(nodes, words):
    """Returns the path of the most visited node of a state, or None."""
    same = [n for n in nodes if (n.state == words).all() and not trees.is_over(n)]
    return max(same, key=lambda node: node.visits).path if same else None


@functools.cache
def grown(rules):
    """Returns trees of several searches of the same positions."""
    search, state = searching(rules, PUCT), START[rules]
    memory = search.reset(size_of(state))
    for number in range(2):
        _, found = decide(search, memory, state, jax.random.fold_in(KEY, number))
        memory = found.tree
    return memory


@pytest.mark.parametrize("most", [MOST, 5, 1])
@pytest.mark.parametrize(
    "rules",
    [THREE_NIM, pytest.param(TURN_NIM, marks=pytest.mark.slow)],
    ids=["three seats", "two plies a turn"],
)
def test_subtree_of_any_node_is_what_was_below_it(rules, most):
    tree = grown(rules)
    lanes = trees.nodes(tree)
    rng = np.random.default_rng(most)
    words = np.array([nodes[rng.integers(len(nodes))].state for nodes in lanes])
    words[0] = 0xFFFFFFFF  # no state at all
    advanced = jax.jit(reuse.advance, static_argnums=2)(tree, jnp.asarray(words), most)
    paths = [most_visited(nodes, row) for nodes, row in zip(lanes, words, strict=True)]
    assert list(np.asarray(advanced.is_kept)) == [path is not None for path in paths]
    sizes = []
    after = trees.nodes(advanced.tree)
    for before, path, nodes in zip(lanes, paths, after, strict=True):
        expected = below(before, path, most) if path is not None else {}
        assert list(by_path(nodes)) == list(expected)
        for node in nodes:
            was = expected[node.path]
            np.testing.assert_array_equal(node.state, was.state)
            np.testing.assert_array_equal(node.value, was.value)
            np.testing.assert_array_equal(node.raw_value, was.raw_value)
            assert (node.visits, node.seat) == (was.visits, was.seat)
        sizes.append(len(nodes))
    assert len(set(sizes)) >= min(3, most + 1) and 0 in sizes and max(sizes) <= most
    np.testing.assert_array_equal(advanced.tree.used, sizes)


@pytest.mark.parametrize(
    ("rules", "max_children", "policy"),
    [
        pytest.param(THREE_NIM, None, PUCT, id="three seats-puct", marks=pytest.mark.slow),
        pytest.param(THREE_NIM, None, GUMBEL, id="three seats-gumbel", marks=pytest.mark.slow),
        pytest.param(THREE_NIM, 3, PUCT, id="few slots-puct"),
        pytest.param(THREE_NIM, 3, GUMBEL, id="few slots-gumbel", marks=pytest.mark.slow),
        pytest.param(TURN_NIM, None, PUCT, id="two plies a turn-puct", marks=pytest.mark.slow),
        pytest.param(TURN_NIM, None, GUMBEL, id="two plies a turn-gumbel"),
    ],
)
def test_search_goes_on_from_the_subtree_as_if_it_had_never_stopped(rules, max_children, policy):
    search = searching(rules, policy, max_children=max_children, wide_edges=True)
    state = START[rules]
    lanes = range(0, size_of(state), 5)
    roots = dict.fromkeys(lanes)
    memory = search.reset(size_of(state))
    kept_before, dropped = [], 0
    # Several times the same position, so that trees become too large, and then some moves.
    for ply, moves_on in enumerate([False, False, False, True, True]):
        key = jax.random.fold_in(KEY, ply)
        decision, found = jax.device_get(decide(search, memory, state, key))
        memory = found.tree
        nodes = trees.nodes(memory)
        following = step(rules, state, decision.action) if moves_on else state
        words = np.asarray(packing.pack(following))
        for lane in lanes:
            if rules.is_over(playouts.at(state, lane)):
                continue
            kept_before.append(roots[lane] is not None)
            results = trees.plain_results(search, state, key, lane, roots[lane])
            tree = by_path(nodes[lane])
            same = [result for result in results if is_same(result, tree)]
            assert same, f"ply {ply}, lane {lane}"
            assert int(decision.action[lane]) in same[0].actions
            path = most_visited(nodes[lane], words[lane])
            roots[lane] = None if path is None else at_path(same[0].root, path).as_root(MOST)
            dropped += len(below(nodes[lane], path or (), 99)) > MOST
        state = following
    assert np.mean(kept_before) > 0.6 and dropped >= 2


def is_same(result, tree):
    """Returns whether a plain search has the same nodes as one of ours."""
    expected = {}

    def visit(node, path):
        expected[path] = node
        for action, child in node.children.items():
            visit(child, (*path, action))

    visit(result.root, ())
    return tree.keys() == expected.keys() and all(
        node.visits == expected[path].visits and abs(node.value[0] - expected[path].value[0]) < 1e-5
        for path, node in tree.items()
    )


def at_path(node, path):
    for action in path:
        node = node.children[action]
    return node
