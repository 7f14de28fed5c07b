"""Quiescence against a plain recursion, on a game in which a seat moves twice in a row."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.depth_first.search_state import WIN
from tests.jaxgames.search import test_minimax
from tests.jaxgames.search.depth_first import games
from tests.jaxgames.search.test_minimax import Pairs

RULES = Pairs()
DEPTH, QUIESCENCE = 2, 2
NUMBER = 400
LOUD = 3  # actions from this number on are noisy: those of the second and third heap


@dataclasses.dataclass(frozen=True)
class SomeNoisy:
    def noisy(self, state):
        return RULES.legal_actions(state) & (jnp.arange(RULES.num_actions) >= LOUD)

    def bonus(self, state, actions):
        return actions


def score(params, state):
    return number_of(state.heaps.astype(jnp.int32), state.ply)


def number_of(heaps, ply):
    """A score without sense, so that every comparison of the search matters."""
    return (heaps[0] * 7919 + heaps[1] * 104729 + heaps[2] * 1299709 + ply * 31) % 101 - 50


def plain_value(heaps, ply, level=0):
    """Returns the value for the seat to move at ply `ply`, by the definition."""
    seat = ply // 2 % 2
    if not any(heaps):
        winner = (ply - 1) // 2 % 2
        return (WIN - level) * (1 if seat == winner else -1)
    is_quiet = level >= DEPTH
    if level == DEPTH + QUIESCENCE:
        return number_of(heaps, ply)
    values = [number_of(heaps, ply)] if is_quiet else []
    for action in range(LOUD if is_quiet else 0, RULES.num_actions):
        heap, taken = action // 3, action % 3 + 1
        if heaps[heap] >= taken:
            rest = [n - taken * (index == heap) for index, n in enumerate(heaps)]
            value = plain_value(rest, ply + 1, level + 1)
            values.append(value if (ply + 1) // 2 % 2 == seat else -value)
    return max(values)


@pytest.mark.parametrize(
    "ways",
    [("none", None), pytest.param(("alpha_beta", None), marks=pytest.mark.slow), ("pvs", 6)],
    ids=lambda ways: ways[0],
)
def test_values_are_those_of_the_definition(ways):
    heaps = test_minimax.positions(RULES, NUMBER, 6)
    expected = [
        plain_value(list(map(int, row)), int(ply))
        for row, ply in zip(np.asarray(heaps.heaps), np.asarray(heaps.ply), strict=True)
    ]
    search = DepthFirst(RULES, score, DEPTH, *ways, QUIESCENCE, SomeNoisy(), deepening=False)
    found = games.search(search, heaps)
    np.testing.assert_array_equal(found.value, expected)
    without = games.search(DepthFirst(RULES, score, DEPTH, *ways, deepening=False), heaps)
    assert (np.asarray(without.value) != expected).mean() > 0.2


def test_beyond_the_depth_a_variation_has_noisy_moves_only():
    env, number = jaxgames.make("onitama"), 140
    tactics, (value, _) = tactics_of(env), integer_score_of(env)
    search = DepthFirst(env.rules, value, 3, "pvs", None, 3, tactics)
    boards = games.positions(env, number, 20)
    found = games.search(search, boards, depth=jnp.ones(number, jnp.int32))
    noisy, step = jax.jit(tactics.noisy), jax.jit(env.rules.step)
    line, beyond = np.asarray(found.variation), 0
    for lane in np.flatnonzero(np.asarray(found.depth)):
        game = games.lane(boards, lane)
        for ply, action in enumerate(line[lane]):
            if action < 0:
                break
            if ply >= 1:
                assert noisy(game)[action]
                beyond += 1
            game = step(game, jnp.int32(action), None)
    assert beyond > 5
