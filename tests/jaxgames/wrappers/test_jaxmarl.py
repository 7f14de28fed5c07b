"""Environments in the interface of JaxMARL, under the wrappers of JaxMARL itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.jaxgames.wrappers.games import EVERY_GAME_SLOWLY

pytestmark = pytest.mark.slow
pytest.importorskip("jaxmarl", reason="needs the extra jaxmarl: pip install 'jaxgames[jaxmarl]'")

BATCH, STEPS = 16, 60


@pytest.fixture(scope="module")
def env():
    from jaxgames.wrappers import jaxmarl

    return jaxmarl.make("onitama_report")


def available(env, state, key):
    """Returns a random available action of each agent, and the masks."""
    masks = env.get_avail_actions(state)
    keys = jax.random.split(key, len(masks))
    logits = {agent: jnp.where(mask, 0.0, -jnp.inf) for agent, mask in masks.items()}
    actions = {a: jax.random.categorical(k, logits[a]) for a, k in zip(masks, keys, strict=True)}
    return actions, masks


def games(env, state_of=lambda state: state):
    """Returns the masks, observations, rewards, dones and infos of a batch of games in a row."""

    def body(state, key):
        actions, masks = jax.vmap(lambda s, k: available(env, state_of(s), k))(
            state, jax.random.split(key, BATCH)
        )
        observations, state, *found = jax.vmap(env.step)(
            jax.random.split(key, BATCH), state, actions
        )
        return state, (masks, observations, *found)

    def run():
        _, state = jax.vmap(env.reset)(jax.random.split(jax.random.key(0), BATCH))
        return jax.lax.scan(body, state, jax.random.split(jax.random.key(1), STEPS))[1]

    return jax.device_get(jax.jit(run)())


def test_the_log_wrapper_reports_whole_games(env):
    from jaxmarl.environments.multi_agent_env import MultiAgentEnv
    from jaxmarl.wrappers.baselines import LogWrapper

    assert isinstance(env, MultiAgentEnv)
    masks, _, rewards, dones, infos = games(LogWrapper(env), lambda state: state.env_state)
    ended = dones["__all__"]
    assert ended.sum() > BATCH and (dones["agent_0"] == ended).all()
    # One seat moves, the other one can but wait.
    waiting = np.stack([mask[..., env.no_op] for mask in masks.values()])
    assert (waiting.sum(axis=0) == 1).all()
    moving = np.stack([mask[..., :-1].any(-1) for mask in masks.values()])
    assert (moving == ~waiting).all()
    gained = np.stack([rewards[agent] for agent in env.agents], axis=-1)
    assert (gained[~ended] == 0).all() and (gained[ended].sum(-1) == 0).all()
    returned = infos["returned_episode_returns"]
    np.testing.assert_array_equal(returned[ended], gained[ended])
    assert (infos["returned_episode_lengths"][ended] > 1).all()


def test_the_rollout_manager_of_q_learning_takes_the_game():
    from jaxmarl.wrappers.baselines import CTRolloutManager

    from jaxgames.wrappers import jaxmarl

    env = jaxmarl.make("onitama_report", flat=True)
    manager = CTRolloutManager(env, batch_size=BATCH)
    observations, states = manager.batch_reset(jax.random.key(0))
    size = int(np.prod(env.observation_space("agent_0").shape))
    assert observations["agent_1"].shape == (BATCH, size + env.num_agents)
    masks = jax.vmap(env.get_avail_actions)(states)
    actions = {agent: mask.argmax(-1) for agent, mask in masks.items()}
    _, states, rewards, _, _ = manager.batch_step(jax.random.key(1), states, actions)
    assert (states.step == 1).all() and (rewards["__all__"] == 0).all()


def test_an_illegal_action_of_the_mover_loses_and_a_waiting_seat_is_ignored(env):
    _, state = env.reset(jax.random.key(3))
    mover = int(state.game.current_player)
    agent, other = env.agents[mover], env.agents[1 - mover]
    legal = int(env.get_avail_actions(state)[agent].argmax())
    _, after, *_ = env.step(jax.random.key(0), state, {agent: legal, other: 0})
    _, same, *_ = env.step(jax.random.key(0), state, {agent: legal, other: env.no_op})
    assert jax.tree.all(jax.tree.map(lambda x, y: bool((x == y).all()), after, same))
    _, last, rewards, dones, _ = env.step_env(
        jax.random.key(0), state, {agent: env.no_op, other: env.no_op}
    )
    assert dones["__all__"] and (float(rewards[agent]), float(rewards[other])) == (-1, 1)
    assert all(mask.argmax() == env.no_op for mask in env.get_avail_actions(last).values())
    _, again, *_ = env.step(
        jax.random.key(0), state, {agent: env.no_op, other: env.no_op}, reset_state=state
    )
    assert int(again.step) == int(state.step) and not again.done


@pytest.mark.parametrize("game", EVERY_GAME_SLOWLY)
@pytest.mark.parametrize("flat", [False, True])
def test_spaces_hold_the_observations_of_every_game(game, flat):
    from jaxgames.wrappers import jaxmarl

    env = jaxmarl.make(game, flat=flat)
    observations, state = env.reset(jax.random.key(0))
    for agent in env.agents:
        space = env.observation_space(agent)
        assert space.contains(observations[agent])
        shapes = jax.tree.map(jnp.shape, observations[agent])
        assert not flat or len(shapes) == 1
        assert env.get_avail_actions(state)[agent].shape == (env.action_space(agent).n,)
