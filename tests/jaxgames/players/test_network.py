"""Players made from spec strings around a network file: what they play and what they refuse."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network
from jaxgames.networks.network_files import describe, save_network
from jaxgames.players import registry
from jaxgames.players.network import PriorPolicy
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.tree.gumbel import Gumbel
from tests.turn_nim import CHOOSING, TurnNim, batch

CONFIG = NetworkConfig(channels=4, blocks=1, policy_channels=2, value_channels=1, value_hidden=3)
KEY = jax.random.key(0)


@dataclasses.dataclass(frozen=True)
class FixedLogits:
    """Likes higher action numbers more; sees seat 0 ahead."""

    def __call__(self, params, state, key):
        size = state.seat.shape[0]
        logits = jnp.broadcast_to(jnp.log(jnp.arange(1.0, 7.0)), (size, 6))
        return Evaluation(logits, jnp.broadcast_to(jnp.array([0.25, -0.25]), (size, 2)))


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("onitama")


@pytest.fixture(scope="module")
def params(env):
    shapes = jax.eval_shape(make_network(env, CONFIG).init, KEY)
    return jax.tree.map(lambda x: np.full(x.shape, 0.5, x.dtype), shapes)


@pytest.fixture(scope="module")
def file(env, params, tmp_path_factory):
    path = tmp_path_factory.mktemp("network") / "a=b.npz"
    save_network(path, params, describe(env, "", CONFIG, iteration=3))
    return path


def test_prior_policy_plays_the_most_probable_legal_action():
    state = batch([((3, 2, 0), CHOOSING), ((3, 2, 0), 1), ((1, 0, 0), 0)], [0, 1, 0])
    agent = PriorPolicy(TurnNim(), FixedLogits())
    decision, memory = agent.act((), agent.reset(3), state, KEY)
    np.testing.assert_array_equal(decision.action, [1, 4, 3])
    assert memory == () and decision.action.dtype == jnp.int32
    wanted = np.zeros((3, 6))
    wanted[0, :2], wanted[1, 3:5], wanted[2, 3] = [1 / 3, 2 / 3], [4 / 9, 5 / 9], 1
    np.testing.assert_allclose(decision.policy, wanted, rtol=1e-6)
    np.testing.assert_array_equal(decision.values, [[0.25, -0.25]] * 3)


@pytest.mark.parametrize(("temperature", "share"), [(1.0, 2 / 3), (0.5, 4 / 5)])
def test_temperature_draws_actions_by_their_sharpened_probability(temperature, share):
    state = batch([((3, 2, 0), CHOOSING)] * 4000, 0)
    agent = PriorPolicy(TurnNim(), FixedLogits(), temperature)
    actions = np.asarray(agent.act((), (), state, KEY)[0].action)
    assert set(actions) == {0, 1}
    assert actions.mean() == pytest.approx(share, abs=0.03)


def test_specs_load_the_parameters_of_the_file(env, params, file):
    search = registry.make(f"gumbel:network={file},simulations=7,max_considered=5", env)
    policy = registry.make(f"network:network={file},temperature=0.5", env)
    for player in (search, policy):
        jax.tree.map(np.testing.assert_array_equal, player.params, params)
        assert player.agent.evaluator.network == make_network(env, CONFIG)
    # Matches are played without noise unless asked for.
    assert search.agent.policy == Gumbel(max_considered=5, gumbel_scale=0.0)
    assert search.agent.simulations == 7
    assert policy.agent.temperature == 0.5


def test_other_decks_may_be_played_but_other_games_and_planes_are_refused(file):
    more_cards = jaxgames.make("onitama", deck="all")
    assert registry.make(f"network:network={file}", more_cards).agent.rules.deck == "all"
    spec = f"gumbel:network={file}"
    with pytest.raises(ValueError, match="was trained for game 'onitama', not 'onitama_report'"):
        registry.make(spec, jaxgames.make("onitama_report"))
    shapes = r"\S+ is \(.*\) there and \(.*\) here; .* the default options"
    with pytest.raises(ValueError, match=f"does not fit onitama .*: {shapes}"):
        registry.make(spec, jaxgames.make("onitama", planes="board"))


def test_other_version_of_the_game_is_refused(env, params, tmp_path):
    path = tmp_path / "old.npz"
    meta = describe(env, "", CONFIG, iteration=3)
    save_network(path, params, {**meta, "game_version": "0"})
    with pytest.raises(ValueError, match="was trained for game_version '0', not '1'"):
        registry.make(f"network:network={path}", env)
