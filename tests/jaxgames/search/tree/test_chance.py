"""Games with chance: the search finds the expectation, or keeps to one outcome, as it is told."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.tree import packing
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from jaxgames.testing import playouts
from tests import gamble
from tests.gamble import GAMBLE, LOST, ODDS, SAFE, Gamble
from tests.jaxgames.search.tree import trees

RULES = Gamble()
KEY = jax.random.key(0)
LANES = 80
WINS = np.arange(LANES, dtype=np.int8) % (ODDS + 1)
WORTH = gamble.worth_of_gamble(WINS)
# Each chance with a safe gain that is worse than the gamble, and with one that is better.
SAFE_GAIN = np.where(np.arange(LANES) % 2, WORTH - 0.25, WORTH + 0.25).astype(np.float32)
STATE = gamble.start(jnp.asarray(WINS), jnp.asarray(SAFE_GAIN))
GUMBEL = Gumbel(max_considered=2, gumbel_scale=0.0)
PUCT = Puct(dirichlet_fraction=0.0, c_init=8.0)  # tries the gamble often enough to know it
SIMULATIONS = 512


def decide(policy, **settings):
    search = TreeSearch(RULES, Uniform(RULES), policy, SIMULATIONS, **settings)
    return jax.device_get(trees.decide_compiled(search, STATE, KEY))


def below_root(tree, action):
    """Returns the node after an action in each lane."""
    return [next(node for node in nodes if node.path == (action,)) for nodes in trees.nodes(tree)]


def test_two_actions_at_the_root_show_the_expectation_of_all_outcomes():
    decision, found = decide(GUMBEL)
    worth = np.array([node.value[0] for node in below_root(found.tree, GAMBLE)])
    # 256 games with a standard deviation of 0.8 at most; and seat 1 tries its worse choice too.
    assert np.abs(worth - WORTH).max() < 0.2
    assert np.abs((worth - WORTH).mean()) < 0.05
    best = np.where(SAFE_GAIN > WORTH, SAFE, GAMBLE)
    np.testing.assert_array_equal(decision.action, best)
    assert set(best.tolist()) == {SAFE, GAMBLE}


@trees.each_policy(slow=("uct",), puct=PUCT, uct=Uct())
def test_puct_and_uct_find_the_better_action_as_well(policy):
    decision, _ = decide(policy)
    np.testing.assert_array_equal(decision.action, np.where(SAFE_GAIN > WORTH, SAFE, GAMBLE))


@trees.each_policy(slow=("uct",), gumbel=GUMBEL, puct=PUCT, uct=Uct())
def test_no_action_is_tried_in_an_outcome_in_which_it_is_illegal(policy):
    decision, found = decide(policy)
    assert np.isfinite(found.tree.value).all() and np.isfinite(decision.values).all()
    # In spite of seeing actions of both colours at the same node.
    seen = [{node.path for node in nodes} for nodes in trees.nodes(found.tree)]
    both = [{(GAMBLE, action) for action in (2, 3, 4)} <= paths for paths in seen]
    assert np.array(both)[WINS > 0].all()


def test_visits_of_an_outcome_that_ends_the_game_have_none_below():
    _, found = decide(GUMBEL)
    for wins, nodes in zip(WINS, trees.nodes(found.tree), strict=True):
        visits = {node.path: node.visits for node in nodes}
        below = sum(count for path, count in visits.items() if len(path) == 2)
        assert visits[(GAMBLE,)] == SIMULATIONS // 2
        share = (below + (wins > 0)) / (SIMULATIONS // 2)
        assert share == pytest.approx(wins / ODDS, abs=0.1)


def test_fixed_outcomes_stay_what_they_were_at_first():
    _, found = decide(GUMBEL, mode="closed_loop")
    after = below_root(found.tree, GAMBLE)
    words = jnp.asarray(np.array([node.state for node in after]))
    state = jax.device_get(packing.unpack(words, playouts.at(STATE, 0)))
    has_lost = state.stage == LOST
    # Visited 256 times, and lost each time or never.
    lost_values = np.array([node.value[0] for node in after])[has_lost]
    assert (lost_values == -1).all()
    assert min(node.visits for node in after) == SIMULATIONS // 2
    assert (lost_values.size > 0) and has_lost[WINS == 0].all() and not has_lost[WINS == 4].any()
    # Where seat 1 chooses, it does so in one colour only.
    for nodes, stage in zip(trees.nodes(found.tree), state.stage, strict=True):
        tried = {node.path[1] for node in nodes if len(node.path) == 2}
        assert tried == set(gamble.CHOICES.get(int(stage), ()))


def test_fixed_outcomes_differ_from_lane_to_lane():
    _, found = decide(GUMBEL, mode="closed_loop")
    has_lost = np.array([trees.is_over(node) for node in below_root(found.tree, GAMBLE)])
    for wins in range(1, ODDS):
        share = 1 - has_lost[wins == WINS].mean()
        assert 0 < share < 1
        assert share == pytest.approx(wins / ODDS, abs=0.4)
