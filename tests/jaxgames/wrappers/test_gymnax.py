"""Loops as written for gymnax 1.0, with nothing but the environment replaced."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnax.environments import environment, spaces
from gymnax.wrappers.purerl import FlattenObservationWrapper, LogWrapper

from jaxgames.wrappers import gymnax
from tests.jaxgames.wrappers.games import EVERY_GAME_SLOWLY

BATCH = 16


def loop(env, params, steps, batch=BATCH, seed=0):
    """Plays with a wrapped environment as the training loops of PureJaxRL do."""
    reset = jax.vmap(env.reset, in_axes=(0, None))
    step = jax.vmap(env.step, in_axes=(0, 0, 0, None))

    def body(carry, key):
        observation, state = carry
        action_key, step_key = jax.random.split(key)
        logits = jnp.log(state.env_state.legal_action_mask)
        action = jax.random.categorical(action_key, logits)
        keys = jax.random.split(step_key, batch)
        observation, state, *events = step(keys, state, action, params)
        return (observation, state), (observation, *events)

    first = jax.jit(reset)(jax.random.split(jax.random.key(seed), batch), params)
    keys = jax.random.split(jax.random.key(seed + 1), steps)
    record = jax.jit(lambda first: jax.lax.scan(body, first, keys)[1])(first)
    return jax.device_get((first, record))


@pytest.fixture(scope="module")
def record():
    env = LogWrapper(FlattenObservationWrapper(gymnax.make("onitama", planes="board")[0]))
    return loop(env, env.default_params, 40)


def test_log_wrapper_of_gymnax_reports_whole_games(record):
    _, (observation, reward, terminated, truncated, info) = record
    assert observation.shape == (40, BATCH, 250) and observation.dtype == np.float32
    assert terminated.sum() > BATCH and not truncated.any()
    assert (np.abs(reward[terminated]) == 1).mean() > 0.95 and (reward[~terminated] == 0).all()
    np.testing.assert_array_equal(info["returned_episode"], terminated)
    np.testing.assert_array_equal(info["returned_episode_returns"][terminated], reward[terminated])
    lengths = info["returned_episode_lengths"][terminated]
    assert lengths.min() >= 3 and 10 < lengths.mean() < 25


def test_final_observation_is_that_of_the_old_game(record):
    _, (observation, _, terminated, _, info) = record
    last = info["final_observation"]
    np.testing.assert_array_equal(last[~terminated], observation[~terminated])
    assert (last[terminated] != observation[terminated]).any(-1).all()


def test_environment_is_one_of_gymnax():
    env, params = gymnax.make("onitama", planes="board")
    assert params == env.default_params
    assert isinstance(env, environment.Environment)
    assert (env.name, env.num_actions, params.max_steps_in_episode) == ("onitama", 202, 200)
    assert env.action_space(params).n == 202
    observation, state = env.reset(jax.random.key(0))
    space = env.observation_space(params)
    assert isinstance(space, spaces.Box) and space.shape == observation.shape
    assert space.contains(observation)
    np.testing.assert_array_equal(env.observe(jax.random.key(0), state, None, params), observation)


def test_limit_of_the_parameters_cuts_games_off():
    env, params = gymnax.make("onitama", planes="board", seat=0)
    params = params.replace(max_steps_in_episode=2)
    _, (_, reward, terminated, truncated, info) = loop(LogWrapper(env), params, 6)
    assert (terminated | truncated)[1::2].all() and not truncated[::2].any()
    assert truncated[1::2].mean() > 0.8 and (reward[truncated] == 0).all()
    assert (info["returned_episode_lengths"][truncated] == 2).all()


def test_observations_of_several_arrays_have_a_dict_space():
    env, _ = gymnax.make("onitama_report")
    space = env.observation_space()
    assert isinstance(space, spaces.Dict)
    assert {name: part.shape for name, part in space.spaces.items()} == {
        "board": (10, 5, 5),
        "cards": (10,),
    }


@pytest.mark.parametrize("env_id", EVERY_GAME_SLOWLY)
def test_every_game_runs_in_a_loop_of_gymnax(env_id):
    env, params = gymnax.make(env_id)
    (observation, _), (observations, reward, terminated, truncated, _) = loop(
        LogWrapper(env), params, 12, batch=4
    )
    space = env.observation_space()
    assert space.contains(jax.tree.map(lambda leaf: leaf[0], observation))
    for leaf in jax.tree.leaves(observations):
        assert leaf.dtype == np.float32 and np.isfinite(leaf).all()
    ended = terminated | truncated
    assert (reward[~ended] == 0).all() and (np.abs(reward) <= 1).all()
