"""Lanes that stop before others: fewer lanes in a simulation, games that are over, no choice left.

None of it may change what is found in any lane.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.tree.arrays import ROOT
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from jaxgames.testing import playouts
from tests import turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.turn_nim import CHOOSING, TurnNim

RULES = TurnNim()
SIMULATIONS = 32
KEY = jax.random.key(5)
POSITIONS = turn_nim.both_seats(turn_nim.all_positions())
LANES = 302
IS_FINISHED = np.arange(LANES) % 3 == 0
MIXED = POSITIONS.replace(
    heaps=jnp.where(IS_FINISHED[:, None], 0, POSITIONS.heaps),
    chosen=jnp.where(IS_FINISHED, CHOOSING, POSITIONS.chosen).astype(jnp.int8),
)
HAS_CHOICE = np.asarray(jax.vmap(RULES.legal_actions)(POSITIONS)).sum(axis=1) > 1
GUMBEL, PUCT = Gumbel(max_considered=3), Puct(dirichlet_fraction=0.0)
EACH = {"gumbel": GUMBEL, "puct": PUCT, "uct": Uct()}
POLICIES = trees.each_policy(slow=("uct",), **EACH)


@dataclasses.dataclass(frozen=True)
class Counted:
    """Counts the calls of another evaluator, which are the rounds of the search's loop."""

    evaluator: RandomFunction
    calls: list = dataclasses.field(default_factory=list, compare=False)

    def __call__(self, params, state, key):
        evaluation = self.evaluator(params, state, key)
        size = state.heaps.shape[0]
        jax.debug.callback(lambda _: self.calls.append(size), evaluation.values[0, 0])
        return evaluation


CALLS = Counted(RandomFunction(RULES))


@functools.cache
def decide(policy, is_mixed=False, **settings):
    """Returns the decision, the search, and how many positions each evaluation had."""
    search = TreeSearch(RULES, CALLS, policy, SIMULATIONS, **settings)
    CALLS.calls.clear()
    state = MIXED if is_mixed else POSITIONS
    decision, found = jax.device_get(trees.decide_alike(search, state, KEY))
    jax.effects_barrier()
    return decision, found, tuple(CALLS.calls)


def require_same(left, right, where=slice(None)):
    """Checks that two searches decided the same and made the same trees."""
    jax.tree.map(
        np.testing.assert_array_equal, playouts.at(left[0], where), playouts.at(right[0], where)
    )
    require_same_trees(left, right, where)


def require_same_trees(left, right, where):
    lanes = np.arange(LANES)[where]
    ours, theirs = trees.nodes(left[1].tree), trees.nodes(right[1].tree)
    for lane in lanes:
        for one, other in zip(ours[lane], theirs[lane], strict=True):
            assert (one.path, one.visits) == (other.path, other.visits)
            np.testing.assert_array_equal(one.value, other.value)


@trees.each_policy(slow=("gumbel", "uct"), **EACH)
def test_fewer_lanes_in_a_simulation_change_nothing(policy):
    whole, part = decide(policy), decide(policy, max_active=100)
    require_same(whole, part)
    assert whole[2] == (LANES,) * (1 + SIMULATIONS)
    # All 302 lanes take a turn for the root and 32 more; 100 lanes take part in each round.
    assert part[2] == (100,) * -(-LANES * (1 + SIMULATIONS) // 100)


@pytest.mark.slow
def test_one_lane_at_a_time_is_enough():
    require_same(decide(PUCT), decide(PUCT, max_active=1))


@trees.each_policy(slow=("puct", "uct"), **EACH)
def test_games_that_are_over_change_nothing_and_cost_nothing(policy):
    alone, mixed = decide(policy), decide(policy, is_mixed=True)
    require_same(alone, mixed, ~IS_FINISHED)
    _, found, _ = mixed
    assert (found.simulations == np.where(IS_FINISHED, 0, SIMULATIONS)).all()
    assert (found.tree.used[IS_FINISHED] == 1).all()
    assert (mixed[0].policy[IS_FINISHED] == 0).all()
    winner = 1 - np.asarray(MIXED.seat)[IS_FINISHED]
    own = np.take_along_axis(mixed[0].values[IS_FINISHED], winner[:, None], axis=1)
    assert (own == 1).all()
    # Rounds are saved as well if a round does not hold all lanes.
    part = decide(policy, is_mixed=True, max_active=100)
    require_same(mixed, part)
    going_on = (~IS_FINISHED).sum()
    assert len(part[2]) == -(-(LANES + going_on * SIMULATIONS) // 100)


@POLICIES
def test_positions_without_a_choice_are_not_searched(policy):
    whole, stopping = decide(policy), decide(policy, stop_decided=True)
    np.testing.assert_array_equal(stopping[0].action, whole[0].action)
    assert (stopping[1].simulations[~HAS_CHOICE] == 0).all()
    np.testing.assert_array_equal(
        stopping[0].policy[~HAS_CHOICE], whole[0].policy[~HAS_CHOICE].round()
    )


def test_gumbel_search_stops_for_nothing_else():
    whole, stopping = decide(GUMBEL), decide(GUMBEL, stop_decided=True)
    require_same(whole, stopping, HAS_CHOICE)
    assert (stopping[1].simulations[HAS_CHOICE] == SIMULATIONS).all()


def test_puct_search_stops_when_the_lead_cannot_be_made_up_and_no_sooner():
    whole, stopping = decide(PUCT), decide(PUCT, stop_decided=True)
    simulations = stopping[1].simulations[HAS_CHOICE]
    assert (simulations < SIMULATIONS).mean() > 0.5 and (simulations >= SIMULATIONS // 2).all()
    visits = trees.root_visits(stopping[1].tree, RULES.num_actions)[HAS_CHOICE]
    np.testing.assert_array_equal(visits.sum(axis=1), simulations)
    ranked = np.sort(visits, axis=1)
    lead, left = ranked[:, -1] - ranked[:, -2], SIMULATIONS - simulations
    assert (lead > left)[left > 0].all()
    # One simulation earlier it could have been made up.
    assert (lead - 1 <= left + 1)[left > 0].all()
    assert whole[1].tree.visits[HAS_CHOICE, ROOT].max() == 1 + SIMULATIONS


def test_drawn_actions_need_all_simulations():
    policy = dataclasses.replace(PUCT, temperature=1.0)
    require_same_trees(decide(PUCT), decide(policy, stop_decided=True), HAS_CHOICE)


def test_lanes_do_not_depend_on_their_neighbours():
    policy = dataclasses.replace(GUMBEL, gumbel_scale=0.0)
    search = TreeSearch(RULES, RandomFunction(RULES), policy, SIMULATIONS)
    order = np.random.default_rng(1).permutation(LANES)
    decisions = [
        jax.device_get(trees.decide_alike(search, playouts.at(POSITIONS, lanes), KEY))
        for lanes in (np.arange(LANES), order, order[:50])
    ]
    whole, shuffled, some = decisions
    jax.tree.map(np.testing.assert_array_equal, shuffled[0], playouts.at(whole[0], order))
    jax.tree.map(np.testing.assert_array_equal, shuffled[1].tree, playouts.at(whole[1].tree, order))
    expected = playouts.at(whole[0], order[:50])
    np.testing.assert_array_equal(some[0].action, expected.action)
    np.testing.assert_allclose(some[0].policy, expected.policy, atol=1e-6)
    np.testing.assert_allclose(some[0].values, expected.values, atol=1e-6)
    visits = [trees.root_visits(found.tree, RULES.num_actions) for _, found in decisions]
    np.testing.assert_array_equal(visits[2], visits[0][order[:50]])


@pytest.mark.slow
def test_games_may_have_different_numbers_of_simulations():
    counts = np.array([0, 8, SIMULATIONS, 2 * SIMULATIONS])[np.arange(LANES) % 4]
    search = TreeSearch(RULES, RandomFunction(RULES), Uct(), SIMULATIONS)
    found = jax.device_get(jax.jit(search.search)((), (), POSITIONS, KEY, jnp.asarray(counts)))
    np.testing.assert_array_equal(found.simulations, np.minimum(counts, SIMULATIONS))
    for count in (8, SIMULATIONS):
        alone = dataclasses.replace(search, simulations=count)
        alone = jax.device_get(jax.jit(alone.search)((), (), POSITIONS, KEY))
        for lane in np.flatnonzero(found.simulations == count):
            ours, theirs = (trees.nodes(each.tree)[lane] for each in (found, alone))
            assert [(n.path, n.visits) for n in ours] == [(n.path, n.visits) for n in theirs]
