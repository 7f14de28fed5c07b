"""Planners in pieces: what they spend, that they get better, and how they play in real time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.players.real_time import RealTime
from jaxgames.search.planning.monte_carlo import MonteCarlo
from jaxgames.search.planning.rhea import Evolution
from jaxgames.search.planning.tree import TreePlanner
from jaxgames.search.real_time.pieces import Limit
from jaxgames.search.real_time.plans import PlanPieces
from tests import ladder
from tests.jaxgames.search.planning.planners import decide
from tests.ladder import TWO

KEY = jax.random.key(0)
DOMAIN = ladder.domain()
CALLS, DEPTH, GAMES = 300, 3, 20
PLANNERS = pytest.mark.parametrize(
    "planner",
    [
        Evolution(DOMAIN, 60, DEPTH, mutation=0.3),
        Evolution(DOMAIN, 60, DEPTH, mutation=0.3, population=6, elites=2),
        MonteCarlo(DOMAIN, 60, DEPTH),
        TreePlanner(DOMAIN, 60, DEPTH),
    ],
    ids=["rhea", "population", "mc", "tree"],
)


@PLANNERS
def test_a_search_in_pieces_ends_with_its_calls(planner):
    agent, starts = planner.with_most(1000), ladder.starts(DOMAIN.rules, GAMES)
    pieces = PlanPieces(agent, (), agent.reset(GAMES), starts, KEY, CALLS)
    used, is_running, number = -1, True, 0
    while is_running:
        is_running, can_decide, calls, _ = pieces.advance(20)
        number += 1
        assert used < calls or (calls == 0 and not can_decide)
        used = calls
    assert can_decide and number > 1
    assert CALLS - 4 * DEPTH * 6 < used <= CALLS + DEPTH
    decision, memory = pieces.decision()
    assert (decision.action == TWO).mean() > 0.7
    is_same = jax.tree.map(lambda a, b: a.shape == b.shape, memory, agent.reset(GAMES))
    assert all(jax.tree.leaves(is_same))


@pytest.mark.parametrize(
    "planner", [MonteCarlo(DOMAIN, CALLS, DEPTH), TreePlanner(DOMAIN, CALLS, DEPTH)]
)
def test_a_search_in_one_piece_is_the_whole_search(planner):
    starts = ladder.starts(DOMAIN.rules, GAMES)
    wanted, _ = decide(planner, starts, KEY)
    pieces = PlanPieces(planner, (), planner.reset(GAMES), starts, jax.random.clone(KEY), CALLS)
    assert not pieces.advance(10_000).is_running
    found = pieces.decision()[0]
    np.testing.assert_array_equal(found.action, wanted.action)
    np.testing.assert_array_equal(found.values, wanted.values)


def test_a_plan_in_real_time_is_played_without_another_search():
    # Three actions are the own turn, which is planned as a whole.
    agent = Evolution(DOMAIN, 1000, DEPTH, 0.3, 6, 2, whole_turn=True)
    player, games = RealTime(agent, Limit(nodes=600)), ladder.starts(DOMAIN.rules, 1)
    *_, last = player.moments((), player.reset(1), games, KEY)
    decision, memory = last.decide()
    assert last.findings.nodes > 500 and memory.speed > 0
    games = jax.vmap(DOMAIN.rules.step)(games, decision.action)
    (moment,) = player.moments((), memory, games, jax.random.key(1))
    assert moment.findings.nodes == 0
    after, later = moment.decide()
    assert after.action == memory.of_agent.rest[:, 0] and later.speed == memory.speed
    assert jnp.isfinite(after.values).all()
