"""Actions simulated side by side: the same search as one simulation after the other."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.side_by_side import SideBySide
from jaxgames.testing import playouts
from tests import turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction

ONITAMA = jaxgames.make("onitama").rules
NIM = turn_nim.TurnNim()
NIM_POSITIONS = turn_nim.both_seats(turn_nim.all_positions())
KEY = jax.random.key(3)
ROUNDING = 1e-6  # of the value of the root, which is summed up in another order


@trees.jit_alike
def one_by_one(search, state, key, simulations=None):
    found = search.search((), (), state, key, simulations)
    decision = search.conclude(found, key)
    visits = jnp.zeros(decision.policy.shape, jnp.int32)
    return decision, trees_root_visits(search, found, visits)


def trees_root_visits(search, found, visits):
    size, tree = len(found.simulations), found.tree
    lanes = jnp.arange(size)[:, None]
    nodes = jnp.arange(tree.visits.shape[1])
    is_child = (tree.parent == 0) & (nodes > 0) & (nodes < tree.used[:, None])
    slots = tree.slot
    action = slots if tree.action is None else tree.action[lanes, 0, slots].astype(jnp.int32)
    at = jnp.where(is_child, action, visits.shape[1])
    return visits.at[lanes, at].set(tree.visits, mode="drop")


@trees.jit_alike
def together(search, state, key, simulations=None):
    search = SideBySide(search)
    run = search.begin((), state, key, simulations)
    run = search.advance((), run)
    decision = search.decide(run, (), key)[0]
    view = search.view(run)
    rows = jnp.arange(len(view.slot))[:, None]
    root = run.of_lanes.progress.root.action[:: run.actions.visits.shape[1]]
    action = jnp.take_along_axis(root, view.slot, axis=1)
    at = jnp.where(view.is_child, action, decision.policy.shape[1])
    visits = jnp.zeros(decision.policy.shape, jnp.int32)
    return decision, visits.at[rows, at].set(view.child_visits, mode="drop")


def require_same(ours, theirs):
    (decision, visits), (wanted, wanted_visits) = jax.device_get((ours, theirs))
    np.testing.assert_array_equal(visits, wanted_visits)
    np.testing.assert_array_equal(decision.action, wanted.action)
    np.testing.assert_array_equal(decision.policy, wanted.policy)
    np.testing.assert_allclose(decision.values, wanted.values, atol=ROUNDING)


@functools.cache
def onitama_positions():
    games = playouts.play(ONITAMA, seed=1, num_games=2)
    return jax.tree.map(lambda x: x[:6].reshape(-1, *x.shape[2:]), games.states)


@pytest.mark.slow
@pytest.mark.parametrize("simulations", [8, 32, 64])
def test_onitama_is_searched_as_one_by_one(simulations):
    search = TreeSearch(ONITAMA, RandomFunction(ONITAMA), Gumbel(), simulations)
    state = onitama_positions()
    ours = together(search, state, KEY)
    theirs = one_by_one(search, state, KEY)
    require_same(ours, theirs)
    assert (ours[1].sum(axis=1) == simulations).all()


# The games of a batch, below, have such numbers of simulations, too.
FEW = (
    (1, {}),  # fewer simulations than actions
    (2, {"max_considered": 3}),
    (5, {"max_considered": 2}),  # the last sweep is cut off
    (7, {"max_considered": 3, "gumbel_scale": 0.0}),
    (16, {"max_considered": 1}),  # one action after the other
)


@pytest.mark.parametrize(
    ("simulations", "settings"),
    [
        *(pytest.param(*case, marks=pytest.mark.slow) for case in FEW),
        (29, {"max_considered": 3, "rescale_values": False}),
    ],
)
def test_all_positions_of_nim_are_searched_as_one_by_one(simulations, settings):
    search = TreeSearch(NIM, RandomFunction(NIM), Gumbel(**settings), simulations)
    ours = together(search, NIM_POSITIONS, KEY)
    require_same(ours, one_by_one(search, NIM_POSITIONS, KEY))


@pytest.mark.parametrize("stop_decided", [pytest.param(False, marks=pytest.mark.slow), True])
def test_games_of_a_batch_have_simulations_of_their_own(stop_decided):
    search = TreeSearch(
        NIM, RandomFunction(NIM), Gumbel(max_considered=3), 20, stop_decided=stop_decided
    )
    size = len(NIM_POSITIONS.seat)
    is_over = np.arange(size) % 5 == 0
    state = NIM_POSITIONS.replace(
        heaps=jnp.where(is_over[:, None], 0, NIM_POSITIONS.heaps),
        chosen=jnp.where(is_over, turn_nim.CHOOSING, NIM_POSITIONS.chosen).astype(jnp.int8),
    )
    simulations = jnp.arange(size, dtype=jnp.int32) % 23  # some more than fit
    ours = together(search, state, KEY, simulations)
    require_same(ours, one_by_one(search, state, KEY, simulations))
    assert (ours[1][is_over] == 0).all()


@pytest.mark.parametrize(
    ("rules", "slots"), [(NIM, 2), pytest.param(ONITAMA, 5, marks=pytest.mark.slow)]
)
def test_slots_for_the_most_probable_actions_are_enough(rules, slots):
    search = TreeSearch(rules, RandomFunction(rules), Gumbel(), 24, max_children=slots)
    state = NIM_POSITIONS if rules is NIM else onitama_positions()
    require_same(together(search, state, KEY), one_by_one(search, state, KEY))


@pytest.mark.parametrize(
    "changed",
    [
        {"policy": Puct()},
        {"reuse": True},
        {"max_active": 2},
        {"mode": "open_loop"},
    ],
)
def test_other_searches_are_refused(changed):
    search = TreeSearch(NIM, RandomFunction(NIM), Gumbel(), 8)
    with pytest.raises(ValueError, match="searched side by side by Gumbel's choices"):
        SideBySide(dataclasses.replace(search, **changed))
