import dataclasses
import functools
import json
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from jaxtyping import Array, Int8, Int32

import jaxgames
from benchmarks.golden.core.runner import shared_directory
from benchmarks.positions import random_positions
from jaxgames import Rules
from jaxgames.onitama import notation
from jaxgames.onitama.rules import Onitama
from jaxgames.players.depth_first import make_minimax
from jaxgames.players.onitama.score import material
from jaxgames.search.minimax import PLY, WIN, Minimax
from papers.onitama_report.game.rules import OnitamaReport
from papers.onitama_report.game.score import material as report_material

NUM_POSITIONS = 210
PLIES = 14  # so short a game that the searches meet draws by the limit


class PairsState(struct.PyTreeNode):
    heaps: Int8[Array, "3"]
    ply: Int32[Array, ""]


@dataclasses.dataclass(frozen=True)
class Pairs(Rules[PairsState]):
    """Nim in which a seat makes two moves in a row; whoever takes the last stone wins."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 9
    max_legal_actions: ClassVar[int] = 9
    max_steps: ClassVar[int] = 12
    version: ClassVar[str] = "1"

    def init(self, key):
        heaps = jax.random.randint(key, (3,), 0, 5).at[0].add(1)
        return PairsState(heaps.astype(jnp.int8), jnp.int32(0))

    def to_move(self, state):
        return state.ply // 2 % 2

    def legal_actions(self, state):
        return (state.heaps[:, None] > jnp.arange(3)).reshape(-1)

    def step(self, state, action, key=None):
        heaps = state.heaps.at[action // 3].add(-(action % 3 + 1).astype(jnp.int8))
        return PairsState(heaps, state.ply + 1)

    def is_over(self, state):
        return (state.heaps == 0).all()

    def returns(self, state):
        mover = (state.ply - 1) // 2 % 2
        return jnp.where(self.is_over(state), jnp.where(jnp.arange(2) == mover, 1.0, -1.0), 0.0)

    def observe(self, state, player):
        return state.heaps.astype(jnp.float32)


def unequal_heaps(state):
    """A score with many ties that does not depend on the seat to move."""
    value = (state.heaps[0] - state.heaps[1]).astype(jnp.float32) / 8
    return jnp.stack([value, -value])


def plain_values(rules, score, depth, game, ply=0):
    """Minimax without pruning: the value of each action for the seat to move, -inf if illegal."""
    seat = rules.to_move(game)
    legal = rules.legal_actions(game)
    (actions,) = jnp.nonzero(legal, size=rules.max_legal_actions, fill_value=rules.num_actions)

    def value(action):
        child = rules.step(game, action, None)
        outcome = rules.returns(child)[seat] * (WIN - PLY * (ply + 1))
        if depth == 1:
            later = score(child)[seat]
        else:
            best = plain_values(rules, score, depth - 1, child, ply + 1).max()
            later = jnp.where(rules.to_move(child) == seat, best, -best)
        return jnp.where(rules.is_over(child), outcome, later)

    values = jnp.full(rules.num_actions, -jnp.inf)
    return values.at[actions].set(jax.vmap(value)(jnp.minimum(actions, rules.num_actions - 1)))


@functools.cache
def positions(rules, num_games=NUM_POSITIONS, max_plies=PLIES - 1):
    """Positions from random games, stopped after 0 to `max_plies` plies, none of them over."""
    return random_positions(rules, num_games, 7, max_plies)


@functools.cache
def compiled_search(rules, score, depth):
    return jax.jit(Minimax(rules, score, depth).search)


def assert_equals_plain_minimax(rules, score, depth, games):
    result = compiled_search(rules, score, depth)(games)
    plain = jax.jit(
        lambda games: jax.lax.map(functools.partial(plain_values, rules, score, depth), games)
    )
    expected = np.asarray(plain(games))
    best = expected.max(axis=1)
    np.testing.assert_array_equal(result.value, best)
    found = np.zeros_like(expected, bool)
    lanes, slots = np.nonzero(result.is_best)
    found[lanes, np.asarray(result.actions)[lanes, slots]] = True
    np.testing.assert_array_equal(found, expected == best[:, None])
    return best


@pytest.mark.parametrize("depth", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_onitama_best_moves_are_those_of_plain_minimax(depth):
    rules = Onitama(max_plies=PLIES)
    best = assert_equals_plain_minimax(rules, material, depth, positions(rules))
    assert (best > 1).any()
    assert (best == 0).any()


@pytest.mark.parametrize("depth", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_report_variant_best_moves_are_those_of_plain_minimax(depth):
    rules = OnitamaReport(max_plies=PLIES)
    assert_equals_plain_minimax(rules, report_material, depth, positions(rules))


@pytest.mark.parametrize("depth", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_a_seat_that_moves_twice_keeps_its_sign(depth):
    rules = Pairs()
    games = positions(rules, num_games=200, max_plies=3)
    assert_equals_plain_minimax(rules, unequal_heaps, depth, games)


@pytest.mark.parametrize(
    ("rules", "score", "max_plies"),
    [
        pytest.param(
            *(Onitama(max_plies=PLIES), material, PLIES - 1), id="onitama", marks=pytest.mark.slow
        ),
        pytest.param(Pairs(), unequal_heaps, 3, id="a_seat_that_moves_twice"),
    ],
)
def test_games_of_unequal_depth_give_what_a_search_of_each_depth_gives(rules, score, max_plies):
    games = positions(rules, max_plies=max_plies)
    depths = 1 + np.arange(NUM_POSITIONS) * 7 % 3
    result = jax.jit(Minimax(rules, score, 3).search)(games, jnp.asarray(depths))
    for depth in (1, 2, 3):
        expected = compiled_search(rules, score, depth)(games)
        for found, wanted in zip(result, expected, strict=True):
            np.testing.assert_array_equal(found[depths == depth], wanted[depths == depth])


@functools.cache
def solved_positions(max_distance, number):
    path = shared_directory("onitama") / "tablebase.jsonl"
    if not path.exists():
        pytest.skip("needs the shared golden data")
    with path.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    near = [r for r in records if r["dtm"] is not None and r["dtm"] <= max_distance]
    return near[:: len(near) // number][:number]


def test_solved_endgames_give_all_fastest_wins_and_longest_defences():
    rules = Onitama(max_plies=PLIES)
    records = solved_positions(max_distance=3, number=NUM_POSITIONS)
    games = [notation.text_to_state(rules, record["fen"]) for record in records]
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *games)
    result = jax.device_get(compiled_search(rules, material, 3)(batch))
    for i, record in enumerate(records):
        assert result.value[i] == record["value"] * (WIN - PLY * record["dtm"])
        actions = result.actions[i][result.is_best[i]]
        texts = {notation.action_to_text(rules, jax.device_get(games[i]), int(a)) for a in actions}
        assert texts == set(record["best"])


def test_equal_moves_are_chosen_equally_often():
    env = jaxgames.make("onitama", deal="ox,boar|horse,elephant|crab")
    agent, params = make_minimax(env, depth=1)
    num_games = 2000
    games = jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), num_games))
    decision, _ = jax.jit(agent.act)(params, (), games, jax.random.key(1))
    # No capture is possible in one ply, so all moves are equal.
    legal = np.asarray(env.rules.legal_actions(jax.tree.map(lambda x: x[0], games)))
    np.testing.assert_allclose(decision.policy[0], legal / legal.sum())
    counts = np.bincount(decision.action, minlength=env.num_actions)
    assert (counts[~legal] == 0).all()
    expected = num_games / legal.sum()
    assert abs(counts[legal] - expected).max() < 5 * np.sqrt(expected)


def test_the_first_of_equal_moves_is_played_if_wanted():
    rules = Onitama(max_plies=PLIES)
    games = positions(rules)
    found = compiled_search(rules, material, 2)(games)
    is_best = np.asarray(found.is_best)
    assert (is_best.sum(axis=1) > 1).any() and is_best.any(axis=1).all()
    firsts = np.where(is_best, found.actions, rules.num_actions).min(axis=1)
    agent = Minimax(rules, material, 2, ties="first")
    decision, _ = jax.jit(agent.act)((), (), games, jax.random.key(0))
    np.testing.assert_array_equal(decision.action, firsts)
    np.testing.assert_array_equal(decision.policy, np.eye(rules.num_actions)[firsts])


def test_values_are_returns_of_both_seats():
    rules = Onitama(max_plies=PLIES)
    games = positions(rules)
    decision, _ = jax.jit(Minimax(rules, material, 2).act)((), (), games, jax.random.key(0))
    search = compiled_search(rules, material, 2)(games)
    values = np.asarray(decision.values)
    np.testing.assert_array_equal(values.sum(axis=1), 0)
    seats = np.asarray(games.seat)
    own = values[np.arange(len(values)), seats]
    np.testing.assert_array_equal(own, np.clip(search.value, -1, 1))
    assert (own == 1).any()


def test_finished_games_cost_no_nodes():
    rules = Onitama(max_plies=PLIES)
    games = positions(rules)
    over = games.replace(ply=jnp.full_like(games.ply, PLIES))
    result = compiled_search(rules, material, 3)(over)
    assert not result.nodes.any()
    assert not result.is_best.any()
