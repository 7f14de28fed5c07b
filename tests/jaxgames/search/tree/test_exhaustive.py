"""Our search against exhaustive search of two small games, of two seats and of three."""

import jax
import numpy as np

from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from tests import three_nim, turn_nim
from tests.jaxgames.search.tree import trees
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim

KEY = jax.random.key(0)
GUMBEL, PUCT = Gumbel(max_considered=6, gumbel_scale=0.0), Puct(dirichlet_fraction=0.0)
UCT = Uct(c=0.5)  # less exploration, for fewer simulations
# The game of two seats is the cheaper one. In it, one policy more than Gumbel's runs by default.
EXACT_OF_TWO, ENDS_OF_TWO, OF_THREE = (
    trees.each_policy(slow, gumbel=GUMBEL, puct=PUCT, uct=UCT)
    for slow in (("puct",), ("uct",), ("puct", "uct"))
)
TWO, THREE = turn_nim.all_positions(), three_nim.all_positions()


def decide(rules, evaluator, policy, simulations):
    """Returns what is played in all positions of a game."""
    state = three_nim.batch(THREE) if rules == ThreeNim() else turn_nim.both_seats(TWO)
    search = TreeSearch(rules, evaluator, policy, simulations)
    return jax.tree.map(np.asarray, trees.decide_compiled(search, state, KEY)[0])


@EXACT_OF_TWO
def test_with_exact_values_every_move_of_two_seats_is_optimal(policy):
    decision = decide(TurnNim(), turn_nim.Exact(), policy, 32)
    assert turn_nim.mistakes(TWO * 2, decision.action) == []


@OF_THREE
def test_with_exact_values_every_move_of_three_seats_is_optimal(policy):
    decision = decide(ThreeNim(), three_nim.Exact(), policy, 128)
    assert three_nim.mistakes(THREE, decision.action) == []


def test_with_the_values_of_other_seats_moves_are_bad():
    decision = decide(ThreeNim(), three_nim.Exact(turned=2), GUMBEL, 8)
    assert len(three_nim.mistakes(THREE, decision.action)) >= 25


@ENDS_OF_TWO
def test_with_the_ends_of_games_alone_moves_of_two_seats_are_optimal_near_the_end(policy):
    # UCB1 visits bad moves longer than the others do.
    decision = decide(TurnNim(), Uniform(TurnNim()), policy, 1024 if policy == UCT else 256)
    wrong = turn_nim.mistakes(TWO * 2, decision.action)
    assert [position for position, _ in wrong if sum(position[0]) < sum(turn_nim.HEAPS)] == []


@OF_THREE
def test_with_the_ends_of_games_alone_moves_of_three_seats_are_optimal_near_the_end(policy):
    decision = decide(ThreeNim(), Uniform(ThreeNim()), policy, 256)
    wrong = three_nim.mistakes(THREE, decision.action)
    assert [position for position, _ in wrong if sum(position[0]) < 5] == []
    assert len(wrong) <= 3
    # The search tries bad moves too, so its means are on the way to the values only.
    expected = np.array([three_nim.values(position) for position in THREE])
    assert (decision.values.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.9
