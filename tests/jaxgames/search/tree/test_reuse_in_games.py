"""Trees kept from ply to ply of whole games: in self-play and in matches."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from configs.alphazero import SelfPlayConfig
from jaxgames import Env
from jaxgames.matches.match import match
from jaxgames.players.player import Player
from jaxgames.search.tree import packing
from jaxgames.search.tree.arrays import ROOT
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.search import TreeSearch
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.turn_nim import TurnNim
from train import selfplay

RULES = TurnNim()
EVALUATOR = RandomFunction(RULES)
SIMULATIONS = 12
CONFIG = SelfPlayConfig(
    lanes=24,
    plies=1,
    search="puct",
    simulations=SIMULATIONS,
    reuse=True,
    temperature_plies=2,
    random_opening_share=0.0,
)


@functools.partial(jax.jit, static_argnums=0)
def play(search, lanes, key):
    return selfplay.play(RULES, search, CONFIG, (), lanes, key)


def test_self_play_keeps_subtrees_of_the_moves_made_and_starts_new_games_without():
    search = selfplay.make_search(RULES, EVALUATOR, CONFIG)
    lanes = selfplay.start_lanes(RULES, CONFIG, CONFIG.lanes, jax.random.key(0))
    lanes = lanes.replace(memory=search.reset(CONFIG.lanes))
    begins = np.ones(CONFIG.lanes, bool)
    kept = []
    for ply in range(16):
        before = trees.nodes(lanes.memory)
        lanes, plies = play(search, lanes, jax.random.key(ply))
        words = np.asarray(packing.pack(jax.tree.map(lambda x: x[0], plies.game)))
        for lane, nodes in enumerate(before):
            visits = [node.visits for node in nodes if (node.state == words[lane]).all()]
            assert not (begins[lane] and visits)
            expected = max(visits, default=1) + SIMULATIONS
            assert lanes.memory.visits[lane, ROOT] == expected
            np.testing.assert_array_equal(lanes.memory.state[lane, ROOT], words[lane])
            kept.append(len(visits) > 0)
        begins = np.asarray(plies.ended[0])
    # Nothing is kept in the first ply of a game, and mostly something in the others.
    assert 0.6 < np.mean(kept) < 0.95


def test_policy_of_a_search_with_a_kept_subtree_counts_all_visits_of_it():
    search = selfplay.make_search(RULES, EVALUATOR, CONFIG)
    lanes = selfplay.start_lanes(RULES, CONFIG, CONFIG.lanes, jax.random.key(0))
    lanes = lanes.replace(memory=search.reset(CONFIG.lanes))
    for ply in range(2):
        lanes, plies = play(search, lanes, jax.random.key(ply))
    visits = trees.root_visits(lanes.memory, RULES.num_actions)
    assert (visits.sum(axis=1) > SIMULATIONS).mean() > 0.8
    mask = np.asarray(jax.vmap(RULES.legal_actions)(jax.tree.map(lambda x: x[0], plies.game)))
    shares = visits / visits.sum(axis=1, keepdims=True)
    for lane in range(CONFIG.lanes):
        listed = np.asarray(plies.policy[0, lane])[: mask[lane].sum()]
        np.testing.assert_allclose(listed, shares[lane][mask[lane]], atol=1e-3)


@dataclasses.dataclass(frozen=True)
class Watched:
    """Reports the visits of the root after each search."""

    search: TreeSearch
    report: list = dataclasses.field(default_factory=list, compare=False)

    def reset(self, batch_size):
        return self.search.reset(batch_size)

    def act(self, params, memory, state, key):
        decision, memory = self.search.act(params, memory, state, key)
        jax.debug.callback(lambda visits: self.report.append(visits), memory.visits[:, ROOT])
        return decision, memory


@pytest.mark.slow
def test_matches_keep_the_tree_of_each_game():
    policy = Gumbel(max_considered=3, gumbel_scale=0.0)
    watched = [
        Watched(TreeSearch(RULES, EVALUATOR, policy, SIMULATIONS, reuse=True)) for _ in range(2)
    ]
    env = Env("turn_nim", RULES)
    players = [Player(str(number), agent, ()) for number, agent in enumerate(watched)]
    result = match(env, players, jax.random.key(0), num_games=8)
    jax.effects_barrier()
    assert (result.winner >= 0).all()
    for agent in watched:
        visits = np.array(agent.report)
        assert (visits[0] == 1 + SIMULATIONS).all()
        # The second ply of a turn goes on in the tree of the first one.
        assert (visits > 1 + SIMULATIONS).mean() > 0.4
