"""UCT by its name: playouts and heuristic, any seats, wins in one, solved endings of both games."""

import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from benchmarks import host_batches, solved_positions
from jaxgames.matches.match import match
from jaxgames.matches.statistics import score
from jaxgames.players import registry
from jaxgames.search.evaluators.heuristic import Heuristic
from jaxgames.search.evaluators.rollout import Rollout
from jaxgames.search.evaluators.uniform import Shuffled, Uniform
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from tests import three_nim, turn_nim
from tests.gamble import SAFE, Gamble
from tests.jaxgames.search.tree import trees
from tests.locations import GOLDEN
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim

KEY = jax.random.key(0)


@functools.cache
def make(game):
    return jaxgames.make(game)


def playouts(rules, simulations, c=0.7, rollouts=1):
    return TreeSearch(rules, Shuffled(rules, Rollout(rules, rollouts)), Uct(c), simulations)


@functools.partial(jax.jit, static_argnums=0)
def decide(agent, state, key=KEY):
    return agent.act((), agent.reset(len(jax.tree.leaves(state)[0])), state, key)[0]


def test_spec_names_the_search_of_the_paper_and_its_settings():
    env = make("murus_gallicus")
    agent = registry.make("mcts:simulations=50", env).agent
    assert agent == TreeSearch(env.rules, Shuffled(env.rules, Rollout(env.rules)), Uct(1.4), 50)
    assert registry.make("mcts", env).agent.simulations == 200
    agent = registry.make("mcts:simulations=9,c=0.5,rollouts=3,reuse=true", env).agent
    judge = Shuffled(env.rules, Rollout(env.rules, 3))
    assert agent == TreeSearch(env.rules, judge, Uct(0.5), 9, reuse=True)
    agent = registry.make("mcts:evaluator=heuristic", env).agent
    assert isinstance(agent.evaluator.evaluator, Heuristic)


def test_actions_not_tried_yet_come_in_any_order():
    rules, lanes = TurnNim(), 6000
    state = turn_nim.batch([((3, 3, 2), turn_nim.CHOOSING)] * lanes, 0)
    search = TreeSearch(rules, Shuffled(rules, Uniform(rules)), Uct(), 2)
    tree = trees.decide_compiled(search, state, KEY)[1].tree
    first, second = trees.actions(tree)[:, 1], trees.actions(tree)[:, 2]
    orders, counts = np.unique(3 * first + second, return_counts=True)
    assert len(orders) == 6  # of three actions, two different ones
    np.testing.assert_allclose(counts / lanes, 1 / 6, atol=0.02)


def test_of_equally_visited_actions_the_better_one_is_played():
    # As many simulations as actions: each is visited once.
    positions = [((3, 3, 2), heap) for heap in range(2)]
    search = TreeSearch(TurnNim(), turn_nim.Exact(), Uct(), 3)
    decision = decide(search, turn_nim.batch(positions, 0))
    assert turn_nim.mistakes(positions, decision.action) == []
    np.testing.assert_allclose(decision.policy[:, 3:], 1 / 3, rtol=1e-6)


def test_values_are_the_means_of_random_games():
    # One stone is left, which wins; or two heaps of one, where whoever begins loses in any game.
    positions = [((1, 0, 0), 0), ((1, 0, 0), 0), ((1, 1, 0), turn_nim.CHOOSING)]
    decision = decide(playouts(TurnNim(), 8), turn_nim.batch(positions, jnp.array([0, 1, 0])))
    np.testing.assert_allclose(decision.values, [[1, -1], [-1, 1], [-1, 1]])


def test_three_seats_play_well_by_playouts_alone():
    positions = three_nim.all_positions()
    decision = decide(playouts(ThreeNim(), 512), three_nim.batch(positions))
    wrong = three_nim.mistakes(positions, decision.action)
    assert [position for position, _ in wrong if sum(position[0]) < 5] == []
    assert len(wrong) <= 3


def test_a_game_with_chance_is_played_out_with_new_chance():
    rules = Gamble()
    state = jax.vmap(rules.init)(jax.random.split(KEY, 400))
    decision = decide(playouts(rules, 64), state)
    # Half of the gambles are lost, and the others pay less than one: nothing, for sure, is better.
    assert (decision.action == SAFE).mean() > 0.8


def solved_endings():
    """Returns won endings of Murus Gallicus with the masks of their best moves and distances."""
    env = make("murus_gallicus")
    lines = (GOLDEN / "murus_gallicus" / "solved.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["value"] == 1 and row["dtm"] <= 5]
    states = [env.text_to_state(row["fen"]) for row in rows]
    best = np.zeros((len(rows), env.num_actions), bool)
    for i, (row, state) in enumerate(zip(rows, states, strict=True)):
        best[i, [env.text_to_action(state, move) for move in row["best"]]] = True
    games = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(state.game for state in states))
    return games, best, np.array([row["dtm"] for row in rows])


@pytest.mark.slow
def test_endings_of_murus_gallicus_are_won_by_playouts():
    games, best, distances = solved_endings()
    assert set(distances.tolist()) == {1, 3, 5} and len(distances) == 7
    decision = decide(
        registry.make("mcts:simulations=4000,c=0.7", make("murus_gallicus")).agent, games
    )
    assert best[np.arange(len(best)), decision.action].all()


@pytest.mark.slow
def test_endings_of_onitama_are_won_by_playouts():
    solved = solved_positions.read_positions(GOLDEN / "onitama", 100, seed=0)
    near = (solved.values == 1) & (solved.distances <= 5)
    assert near.sum() >= 10
    decision = decide(playouts(solved_positions.RULES, 2000), host_batches.take(solved.games, near))
    is_best = solved.best[near][np.arange(near.sum()), decision.action]
    assert is_best[solved.distances[near] == 1].all()
    assert is_best.mean() > 0.8


@pytest.mark.slow
def test_it_beats_random_moves():
    env = make("onitama")
    players = [registry.make(name, env) for name in ("mcts:simulations=32", "random")]
    assert score(match(env, players, KEY, num_games=40).returns).mean > 0.85
