"""Solved positions as training samples: a share of each batch, with exact targets."""

import dataclasses

import jax
import numpy as np
import pytest

from configs.alphazero import ReplayConfig
from jaxgames.internal import devices
from jaxgames.players import plugs
from jaxgames.search.retrograde import SolvedPositions
from tests import turn_nim
from tests.train.test_steps import ALPHAZERO, ENV
from train.steps import Steps

POSITIONS = turn_nim.all_positions()


def draw(rules, seed: int) -> SolvedPositions:
    """Returns all positions with seat 1 to move."""
    games = jax.device_get(turn_nim.batch(POSITIONS, 1))
    best = np.zeros((len(POSITIONS), rules.num_actions), bool)
    for row, position in enumerate(POSITIONS):
        worth = turn_nim.outcomes(position)
        best[row, [a for a, x in worth.items() if x == max(worth.values())]] = True
    own = np.array([turn_nim.best_outcome(position) for position in POSITIONS], np.float32)
    return SolvedPositions(games, best, np.stack([-own, own], axis=1))


@pytest.fixture(scope="module")
def batch():
    """A batch of which a quarter is solved; nothing was played yet."""
    plug = plugs.GameAgents(solved="tests.train.test_solved:draw")
    replay = ReplayConfig(capacity=128, solved=0.25)
    config = dataclasses.replace(ALPHAZERO, replay=replay)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(plugs._PLUGS, ENV.id, "tests.train.test_solved:PLUG")
        patch.setitem(plugs._loaded, ENV.id, plug)
        steps = Steps(ENV, config, devices.make_mesh())
    state = steps.initial_state(jax.random.key(0))
    return jax.device_get(steps.sample(state.replay, jax.random.key(1)))


def test_a_share_of_each_batch_is_solved(batch):
    size = ALPHAZERO.learner.batch_size
    assert all(len(leaf) == size for leaf in jax.tree.leaves(batch))
    played, exact = np.split(np.arange(size), [size - size // 4])
    assert (batch.policy[played] == 0).all()
    np.testing.assert_allclose(batch.policy[exact].sum(axis=1), 1.0, atol=1e-3)
    assert (batch.value_weight[exact] == 1).all()
    np.testing.assert_array_equal(np.abs(batch.values[exact]), 1)


def test_targets_are_exact(batch):
    solved = draw(ENV.rules, 0)
    seat = jax.vmap(ENV.rules.to_move)(solved.games)
    seen = np.asarray(jax.vmap(ENV.rules.observe)(solved.games, seat))
    for row in range(-ALPHAZERO.learner.batch_size // 4, 0):
        (same, *_) = np.flatnonzero((seen == batch.obs[row]).all(axis=(1, 2, 3)))
        best = solved.best[same] / solved.best[same].sum()
        np.testing.assert_allclose(batch.policy[row], best, atol=1e-3)
        assert batch.values[row].tolist() == solved.values[same, ::-1].tolist()
