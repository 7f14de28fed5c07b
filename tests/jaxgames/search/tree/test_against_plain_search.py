"""Our search against one in plain Python and 64-bit numbers: any number of seats, fewer slots."""

import functools

import jax
import numpy as np
import pytest

from benchmarks.wide_game import RandomNumbers, WideGame
from jaxgames.search.tree import backup
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from jaxgames.testing import playouts
from tests import three_nim, turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim

SIMULATIONS = 64
SPREAD = 1.0  # of the logits: small, so that many actions are tried
KEY = jax.random.key(3)
GUMBEL, PUCT, UCT = Gumbel(max_considered=4), Puct(dirichlet_fraction=0.0), Uct(c=0.7)
THREE_NIM, TURN_NIM = ThreeNim(), TurnNim()
POSITIONS = {
    THREE_NIM: three_nim.batch(three_nim.all_positions()),
    TURN_NIM: turn_nim.both_seats(turn_nim.all_positions()),
}


def searching(rules, policy, max_children=None, simulations=SIMULATIONS):
    evaluator = RandomFunction(rules, SPREAD)
    return TreeSearch(
        rules, evaluator, policy, simulations, max_children=max_children, wide_edges=True
    )


@functools.cache
def decide(search):
    decision, found = trees.decide_compiled(search, POSITIONS[search.rules], KEY)
    visits = trees.root_visits(found.tree, search.rules.num_actions)
    return jax.tree.map(np.asarray, decision), visits


def is_same(decision, visits, result):
    """Returns whether a decision and the visits of the actions are those of a plain search."""
    policy = np.zeros(len(visits))
    policy[list(result.policy)] = list(result.policy.values())
    values = result.root.value
    return (
        {action: count for action, count in enumerate(visits) if count > 0} == result.visits
        and decision.action in result.actions
        and np.allclose(decision.policy, policy, atol=1e-4)
        and np.allclose(decision.values, values, atol=1e-5)
    )


def require_same(search):
    decision, visits = decide(search)
    ties = 0
    for lane, counts in enumerate(visits):
        results = trees.plain_results(search, POSITIONS[search.rules], KEY, lane)
        one = playouts.at(decision, lane)
        assert any(is_same(one, counts, result) for result in results), f"position {lane}"
        ties += len(results) > 1
    assert ties <= 0.1 * len(visits)


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        pytest.param(THREE_NIM, GUMBEL, id="three seats-gumbel"),
        pytest.param(THREE_NIM, PUCT, id="three seats-puct"),
        pytest.param(THREE_NIM, UCT, id="three seats-uct"),
        pytest.param(TURN_NIM, GUMBEL, id="two plies a turn-gumbel", marks=pytest.mark.slow),
        pytest.param(TURN_NIM, PUCT, id="two plies a turn-puct", marks=pytest.mark.slow),
        pytest.param(TURN_NIM, UCT, id="two plies a turn-uct"),
    ],
)
def test_search_is_that_of_the_formulas(rules, policy):
    require_same(searching(rules, policy))


def test_position_counts_as_much_as_its_moves_while_simulations_are_few():
    # After four simulations of at most three actions, all of them have a value, and the mixed value
    # of the position may still be greater or less than all of these.
    require_same(searching(TURN_NIM, GUMBEL, simulations=4))


@trees.each_policy(slow=("puct", "uct"), gumbel=GUMBEL, puct=PUCT, uct=UCT)
def test_search_with_too_few_slots_keeps_the_most_probable_actions(policy):
    require_same(searching(THREE_NIM, policy, 3))
    # All of this is not for nothing: many positions have more actions, and it matters.
    mask = np.asarray(jax.vmap(THREE_NIM.legal_actions)(POSITIONS[THREE_NIM]))
    assert (mask.sum(axis=1) > 3).sum() >= 20
    all_slots, few_slots = (decide(searching(THREE_NIM, policy, n))[1] for n in (None, 3))
    assert (all_slots != few_slots).any(axis=1).sum() >= 10
    assert ((few_slots > 0).sum(axis=1) <= 3).all()


def test_policy_target_covers_actions_without_slot():
    decision, _ = decide(searching(THREE_NIM, GUMBEL, 3))
    mask = np.asarray(jax.vmap(THREE_NIM.legal_actions)(POSITIONS[THREE_NIM]))
    assert ((decision.policy > 0) == mask).all()
    np.testing.assert_allclose(decision.policy.sum(axis=1), 1, rtol=1e-5)


def test_sequential_halving_starts_with_the_same_actions_whatever_the_number_of_slots():
    width, lanes = 40, 32
    rules, evaluator = WideGame(width), RandomNumbers(width)
    states = jax.vmap(rules.init)(jax.random.split(jax.random.key(4), lanes))
    search = TreeSearch(rules, evaluator, Gumbel(max_considered=6), 6, max_children=6)
    tree = trees.decide_compiled(search, states, KEY)[1].tree
    logits = np.asarray(evaluator((), states, None).logits)
    preference = logits + trees.gumbel_noise(KEY, (lanes, width))
    best = np.argsort(-preference, axis=1)[:, :6]
    visits = np.take_along_axis(trees.root_visits(tree, width), best, axis=1)
    assert (visits == 1).all()


def test_few_games_are_searched_as_they_are_among_many():
    # Few lanes read all children of a node at once, many lanes as many as they need.
    width, lanes, few = 40, 32, 3
    rules, evaluator = WideGame(width), RandomNumbers(width)
    states = jax.vmap(rules.init)(jax.random.split(jax.random.key(4), lanes))
    search = TreeSearch(rules, evaluator, PUCT, 100)
    assert len(backup.widths(lanes, width)) > 1 == len(backup.widths(few, width))
    many = trees.decide_alike(search, states, KEY)[1].tree
    alone = trees.decide_alike(search, jax.tree.map(lambda x: x[:few], states), KEY)[1].tree
    for a, b in zip(jax.tree.leaves(alone), jax.tree.leaves(many), strict=True):
        np.testing.assert_allclose(a, b[:few], rtol=1e-5)
