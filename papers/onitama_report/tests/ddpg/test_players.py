"""Players made of an actor's file: what they play and what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from configs import alphazero
from jaxgames.matches.match import match
from jaxgames.networks import network_files
from jaxgames.players import registry
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.actor import make_actor
from papers.onitama_report.ddpg.players import save_actor

ENV = jaxgames.make("onitama_report")
NETWORK = make_actor(ENV, "val_branch_actions_multiply", NetworkConfig(channels=2, hidden=8))
KEY = jax.random.key(3)


@pytest.fixture(scope="module")
def params():
    return NETWORK.init(KEY)


@pytest.fixture(scope="module")
def file(params, tmp_path_factory):
    path = tmp_path_factory.mktemp("actors") / "some.npz"
    save_actor(path, params, ENV, "", NETWORK, iteration=5)
    return path


@pytest.fixture(scope="module")
def games():
    games = jax.vmap(ENV.rules.init)(jax.random.split(KEY, 400))
    return jax.tree.map(lambda x: jnp.broadcast_to(x[:1], x.shape), games)


def repeat(tree, times):
    return jax.tree.map(lambda x: jnp.repeat(x, times, axis=0), tree)


def test_exported_actor_plays_whole_games_legally(file):
    players = [registry.make(f"ddpg:actor={file}", ENV), registry.make("random", ENV)]
    result = match(ENV, players, KEY, num_games=32, record=True)
    state = jax.vmap(ENV.wrap)(repeat(result.record.starts, 2))
    step = jax.jit(jax.vmap(ENV.step))
    for ply in range(int(result.plies.max())):
        actions = result.record.actions[:, ply]
        running = ~np.asarray(state.terminated)
        legal = np.asarray(state.legal_action_mask)[np.arange(32), actions]
        assert legal[running].all()
        state = step(state, jnp.asarray(actions))
    assert state.terminated.all()


def test_moves_are_drawn_from_the_masked_policy_or_its_likeliest(file, games):
    drawing = registry.make(f"ddpg:actor={file}", ENV)
    greedy = registry.make(f"ddpg:actor={file},temperature=0", ENV)
    decision, _ = jax.jit(drawing.agent.act)(drawing.params, (), games, KEY)
    legal = np.asarray(jax.vmap(ENV.rules.legal_actions)(games))
    policy = np.asarray(decision.policy)
    assert (policy[~legal] == 0).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    counts = np.bincount(decision.action, minlength=40)
    deviation = np.sqrt(400 * policy[0] * (1 - policy[0])) + 1e-9
    assert (abs(counts - 400 * policy[0]) < 5 * deviation).all()
    decision, _ = jax.jit(greedy.agent.act)(greedy.params, (), games, KEY)
    assert (decision.action == policy[0].argmax()).all()


def test_wrong_files_and_options_are_refused(file, tmp_path):
    with pytest.raises(ValueError, match="is a folder; expected the file of one actor"):
        registry.make(f"ddpg:actor={file.parent}", ENV)
    with pytest.raises(ValueError, match="there is no network file"):
        registry.make(f"ddpg:actor={tmp_path / 'none.npz'}", ENV)
    with pytest.raises(ValueError, match="ddpg needs a value for 'actor'"):
        registry.make("ddpg", ENV)
    with pytest.raises(ValueError, match="temperature must be 0 or at least"):
        registry.make(f"ddpg:actor={file},temperature=-1", ENV)
    with pytest.raises(ValueError, match="trained for game 'onitama_report', not 'onitama'"):
        registry.make(f"ddpg:actor={file}", jaxgames.make("onitama"))


def test_network_of_another_kind_is_refused(tmp_path, file, params):
    sizes = alphazero.NetworkConfig(channels=2, blocks=0)
    path = tmp_path / "tower.npz"
    network_files.save_network(path, params, network_files.describe(ENV, "", sizes, 1))
    with pytest.raises(ValueError, match="holds no actor but a network of another kind"):
        registry.make(f"ddpg:actor={path}", ENV)
    larger = make_actor(ENV, NETWORK.architecture, NetworkConfig(channels=3, hidden=8))
    save_actor(path, params, ENV, "", larger, iteration=5)
    with pytest.raises(ValueError, match="does not hold the parameters that it describes"):
        registry.make(f"ddpg:actor={path}", ENV)
    for spec in (f"network:network={file}", f"gumbel:network={file},simulations=2"):
        with pytest.raises(
            ValueError, match=f"no values for a search; it plays as ddpg:actor={file}"
        ):
            registry.make(spec, ENV)
