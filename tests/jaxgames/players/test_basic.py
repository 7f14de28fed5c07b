import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players import registry

NUM_GAMES = 2000


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("onitama", deal="ox,boar|horse,elephant|crab")


@pytest.fixture(scope="module")
def games(env):
    return jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), NUM_GAMES))


@pytest.fixture(scope="module")
def legal(env, games):
    return np.asarray(env.rules.legal_actions(jax.tree.map(lambda x: x[0], games)))


def decide(env, spec, games):
    player = registry.make(spec, env)
    memory = player.agent.reset(NUM_GAMES)
    return jax.jit(player.agent.act)(player.params, memory, games, jax.random.key(1))


def test_random_is_uniform_over_legal_actions(env, games, legal):
    decision, memory = decide(env, "random", games)
    assert memory == ()
    np.testing.assert_allclose(decision.policy[0], legal / legal.sum(), rtol=1e-6)
    assert not decision.values.any()
    counts = np.bincount(decision.action, minlength=env.num_actions)
    assert (counts[~legal] == 0).all()
    expected = NUM_GAMES / legal.sum()
    assert abs(counts[legal] - expected).max() < 5 * np.sqrt(expected)


def test_random_draws_whole_actions_where_it_is_told(env, games, legal):
    decision, memory = decide(env, "random:of=actions", games)
    assert memory == ()
    counts = np.bincount(decision.action, minlength=env.num_actions)
    np.testing.assert_array_equal(counts > 0, legal)
    np.testing.assert_array_equal(decision.policy.argmax(axis=1), decision.action)


def test_first_legal_takes_the_lowest_number(env, games, legal):
    decision, _ = decide(env, "first_legal", games)
    assert (np.asarray(decision.action) == np.flatnonzero(legal)[0]).all()
    assert decision.action.dtype == jnp.int32
    np.testing.assert_array_equal(decision.policy.argmax(axis=1), decision.action)
    np.testing.assert_array_equal(decision.policy.sum(axis=1), 1)
