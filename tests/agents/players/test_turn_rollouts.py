"""The agent `turn_rollouts` with the networks that come with the library."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from agents import registry
from agents.players.afterstate import PLAYS_AS, make_network
from jaxgames.networks import network_files
from jaxgames.networks.config import AfterstateConfig

LARGE = ("terra_mystica", pytest.param("tribes", marks=pytest.mark.slow))


def starts(env, count):
    return jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), count))


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """A network of afterstate values of Onitama with drawn weights."""
    env = jaxgames.make("onitama")
    made = make_network(env, AfterstateConfig(hidden=(8,), cell_features=4, dtype="float32"))
    shapes = jax.eval_shape(made.init, jax.random.key(0))
    rng = np.random.default_rng(0)
    params = jax.tree.map(lambda x: rng.normal(size=x.shape, scale=0.2).astype(x.dtype), shapes)
    path = tmp_path_factory.mktemp("network") / "onitama.npz"
    about = network_files.describe(env, "", made.config, 1) | {"plays_as": PLAYS_AS}
    network_files.save_network(path, params, about)
    return path


def test_one_candidate_is_the_action_of_one_step(network):
    env = jaxgames.make("onitama")
    states = starts(env, 4)
    decided = []
    for spec in ("afterstate:", "turn_rollouts:candidates=1,samples=1,"):
        player = registry.make(f"{spec}network={network}", env)
        agent = player.agent
        act = jax.jit(agent.act)
        decision, _ = act(player.params, agent.reset(4), states, jax.random.key(1))
        decided.append(jax.device_get((decision.action, decision.values)))
    jax.tree.map(np.testing.assert_array_equal, *decided)


def test_rollouts_change_the_choice(network):
    env = jaxgames.make("onitama")
    states = starts(env, 16)
    actions = []
    for turns in (1, 3):
        spec = f"turn_rollouts:network={network},samples=1,turns={turns}"
        player = registry.make(spec, env)
        agent = player.agent
        decision, _ = jax.jit(agent.act)(player.params, agent.reset(16), states, jax.random.key(1))
        legal = jax.vmap(env.rules.legal_actions)(states)
        assert legal[jnp.arange(16), decision.action].all()
        actions.append(np.asarray(decision.action))
    assert (actions[0] != actions[1]).any()


@pytest.mark.parametrize("game", LARGE)
def test_it_decides_in_large_games(game):
    env = jaxgames.make(game)
    player = registry.make(f"turn_rollouts:network={game},turns=2", env)
    states = jax.eval_shape(jax.vmap(env.rules.init), jax.random.split(jax.random.key(0), 3))
    decision, _ = jax.eval_shape(
        lambda state, key: player.agent.act(player.params, player.agent.reset(3), state, key),
        states,
        jax.random.key(0),
    )
    assert (decision.action.shape, decision.values.shape) == ((3,), (3, 2))
