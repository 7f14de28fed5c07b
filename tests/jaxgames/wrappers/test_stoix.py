"""Environments in the interface of Stoix, under the wrappers that Stoix itself puts around them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import stoa
from stoa.core_wrappers.auto_reset import AutoResetWrapper
from stoa.core_wrappers.episode_metrics import RecordEpisodeMetrics
from stoa.core_wrappers.vmap import VmapWrapper

from jaxgames.wrappers import stoix
from tests.jaxgames.wrappers.games import EVERY_GAME_SLOWLY

BATCH, STEPS = 16, 40


def wrapped(env, batch=BATCH):
    auto_reset = AutoResetWrapper(RecordEpisodeMetrics(env), next_obs_in_extras=True)
    return VmapWrapper(auto_reset, num_envs=batch)


def loop(env, steps=STEPS):
    def body(carry, key):
        state, step = carry
        logits = jnp.where(step.observation["action_mask"], 0.0, -1e9)
        action = jax.random.categorical(key, logits)
        state, following = env.step(state, action)
        return (state, following), following

    first = env.reset(jax.random.key(0))
    keys = jax.random.split(jax.random.key(1), steps)
    return jax.lax.scan(body, first, keys)[1]


@pytest.fixture(scope="module")
def after():
    env = wrapped(stoix.make("onitama_report"))
    return jax.device_get(jax.jit(lambda: loop(env))())


def test_wrappers_of_stoa_report_whole_games(after):
    ended = after.last()
    assert ended.sum() > BATCH and (after.terminated() == ended).all()
    np.testing.assert_array_equal(after.discount, np.where(ended, 0.0, 1.0))
    assert (np.abs(after.reward[ended]) == 1).mean() > 0.95 and (after.reward[~ended] == 0).all()
    metrics = after.extras["episode_metrics"]
    np.testing.assert_array_equal(metrics["is_terminal_step"], ended)
    np.testing.assert_array_equal(metrics["episode_return"][ended], after.reward[ended])


def test_observation_goes_on_with_a_new_game(after):
    ended = after.last()
    view, last = after.observation["agent_view"], after.extras["next_obs"]["agent_view"]
    differs = [
        (one != other).reshape(STEPS, BATCH, -1).any(axis=2)
        for one, other in zip(jax.tree.leaves(view), jax.tree.leaves(last), strict=True)
    ]
    np.testing.assert_array_equal(np.any(differs, axis=0), ended)
    assert (after.observation["step_count"][ended] <= 1).all()


def test_spaces_hold_the_values_of_a_game():
    env = stoix.make("onitama_report")
    assert isinstance(env, stoa.Environment)
    state, step = jax.jit(env.reset)(jax.random.key(0))
    advance = jax.jit(env.step)
    for _ in range(3):
        action = jnp.argmax(step.observation["action_mask"]).astype(jnp.int32)
        assert env.environment_space().contains(step, action)
        state, step = advance(state, action)
    paths = env.state_space().spaces
    assert len(paths) == len(jax.tree.leaves(state.game.game))


def test_render_draws_the_position():
    env = stoix.make("onitama_report")
    state, _ = env.reset(jax.random.key(0))
    assert "<svg" in env.render(state).as_svg()


@pytest.mark.parametrize("env_id", EVERY_GAME_SLOWLY)
def test_every_game_runs_under_the_wrappers_of_stoa(env_id):
    env = stoix.make(env_id)
    after = jax.device_get(jax.jit(lambda: loop(wrapped(env, 4), steps=12))())
    one = jax.tree.map(lambda leaf: jnp.asarray(leaf[0, 0]), after)
    assert env.environment_space().contains(one)
    ended = after.last()
    assert (after.reward[~ended] == 0).all() and (np.abs(after.reward) <= 1).all()
