"""Tree search without playouts: its depth, its cost, its groups, actions of two plies."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Bool

import jaxgames
from jaxgames.players import registry
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.planner import NO_PLY
from jaxgames.search.planning.tree import Bounded, TreePlanner
from tests import ladder, turn_nim
from tests.jaxgames.search.planning import planners
from tests.jaxgames.search.planning.planners import KEY, decide
from tests.ladder import END, KEEP, TWO


def test_plays_small_games_like_an_exhaustive_search():
    # Three actions of two plies at most are left.
    positions = [
        (heaps, turn_nim.CHOOSING) for heaps, chosen in turn_nim.all_positions()
        if chosen == turn_nim.CHOOSING and sum(heaps) <= 3
    ]  # fmt: skip
    domain = planners.TwoPlies(planners.TwoStepNim(), planners.Indifferent())
    agent = TreePlanner(domain, budget=300)
    first, after, _ = planners.play_action(agent, turn_nim.batch(positions, 0))
    assert turn_nim.mistakes(positions, first) == []
    rest = [tuple(heaps) for heaps in np.asarray(after.heaps).tolist()]
    own = [1 if not any(h) else -turn_nim.best_outcome((h, turn_nim.CHOOSING)) for h in rest]
    assert own == [turn_nim.best_outcome(position) for position in positions]


def test_second_ply_is_decided_with_the_first():
    agent = TreePlanner(ladder.domain(2), budget=120, depth=3)
    decision, memory = decide(agent, ladder.starts(agent.domain.rules, 100))
    # ONE now and TWO later leads as far within the depth, if the opponent's reply is not looked at.
    assert (decision.action == TWO).mean() > 0.9
    assert (memory.rest[:, 0] == KEEP).all()


@pytest.mark.parametrize(("steps", "depth"), [(1, 1), (2, 3)])
def test_simulations_cost_their_depth(steps, depth):
    agent = TreePlanner(ladder.domain(steps), budget=50, depth=depth)
    rules = agent.domain.rules
    bounded = Bounded(agent.domain, depth)
    needs_plan = jnp.array([True, False])
    roots = jax.vmap(bounded.root)(ladder.starts(rules, 2), jnp.zeros((2,), jnp.int32), needs_plan)
    tree = jax.jit(lambda: agent._tree_search(2).search((), (), roots, KEY))().tree
    depths = np.zeros((2, tree.visits.shape[1]), int)
    is_whole = np.ones_like(depths, bool)
    cost = np.zeros(2, int)
    used, parent, slot = (np.asarray(x) for x in (tree.used, tree.parent, tree.slot))
    for game in range(2):
        for node in range(1, used[game]):
            above = parent[game, node]
            is_whole[game, node] = steps == 1 or slot[game, node] >= END
            depths[game, node] = depths[game, above] + is_whole[game, node]
        # A node of greatest depth is looked at again each time, others once.
        looks = np.where(depths[game] == depth, np.asarray(tree.visits[game]), 1)
        looks = np.where(is_whole[game] & (np.arange(len(looks)) < used[game]), looks, 0)
        cost[game] = (looks * depths[game]).sum()
    assert depths.max() == depth
    assert 50 <= cost[0] < 50 + depth and cost[1] == 0


class Points:
    """What a seat is worth does not depend on the other one: the worths do not add up to zero."""

    def __call__(self, state):
        return state.points.astype(jnp.float32)


@pytest.mark.parametrize("seat", [0, 1])
def test_each_seat_sees_what_it_is_worth_itself(seat):
    rules = ladder.Ladder(steps=2)
    agent = TreePlanner(planners.TwoPlies(rules, Points()), budget=120, depth=3)
    state = ladder.starts(rules, 10)
    decision, memory = decide(agent, state.replace(seat=jnp.full_like(state.seat, seat)))
    assert (decision.action == TWO).all() and (memory.rest[:, 0] == KEEP).all()


class EvenAndOdd(PlannerDomain):
    """Actions of even and of odd number are groups; ending a turn is in neither, if it may not."""

    def action_groups(self, state, *, passing: bool) -> Bool[Array, "groups actions"]:
        legal = self.rules.legal_actions(state).at[END].min(passing)
        is_even = np.arange(self.rules.num_actions) % 2 == 0
        return jnp.stack([legal & is_even, legal & ~is_even])


@pytest.mark.slow
def test_only_one_group_of_the_root_is_searched_but_all_actions_below():
    agent = TreePlanner(EvenAndOdd(ladder.Ladder(), ladder.Lead()), budget=300, depth=2)
    decision, _ = decide(agent, ladder.starts(agent.domain.rules, 60))
    # The best of NOTHING and TWO, or of ONE and END.
    seen, counts = np.unique(decision.action, return_counts=True)
    assert seen.tolist() == [ladder.ONE, TWO] and counts.min() > 15


@pytest.mark.slow
def test_same_key_same_decision_and_a_batch_is_its_games():
    agent = TreePlanner(ladder.domain(2), budget=12, depth=3)
    state = ladder.starts(agent.domain.rules, 6)
    keys = [jax.random.key(n) for n in range(4)]
    several = [decide(agent, state, key)[0].action for key in keys]
    np.testing.assert_array_equal(several, [decide(agent, state, key)[0].action for key in keys])
    assert len(np.unique(several)) > 1


@pytest.mark.slow
def test_any_scale_of_worth_gives_the_same_search():
    class Hundredfold(ladder.Lead):
        def __call__(self, state):
            return 128 * super().__call__(state) + jnp.array([512.0, -512.0])

    state = ladder.starts(ladder.Ladder(length=10_000), 10)
    decisions = [
        decide(TreePlanner(PlannerDomain(ladder.Ladder(length=10_000), score), 60, 5), state)[
            0
        ].action
        for score in (ladder.Lead(), Hundredfold())
    ]
    np.testing.assert_array_equal(*decisions)


@pytest.mark.slow
def test_nothing_is_decided_without_a_visit():
    agent = TreePlanner(ladder.domain(2), budget=1)
    _, memory = decide(agent, ladder.starts(agent.domain.rules, 10))
    assert (memory.rest == NO_PLY).any()


def test_spec_has_the_numbers_of_the_paper():
    agent = registry.make("planning_mcts", jaxgames.make("onitama")).agent
    assert (agent.budget, agent.depth, agent.c) == (2000, 20, 2**0.5)
