"""Environments in the interface of Stoix, under the wrappers that Stoix itself puts around them."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import stoa
from flax import linen
from stoa.core_wrappers.auto_reset import AutoResetWrapper
from stoa.core_wrappers.episode_metrics import RecordEpisodeMetrics
from stoa.core_wrappers.vmap import VmapWrapper

from jaxgames.wrappers import stoix
from tests.jaxgames.wrappers.games import EVERY_GAME_SLOWLY

BATCH, STEPS = 16, 40


def wrapped(env, batch=BATCH):
    auto_reset = AutoResetWrapper(RecordEpisodeMetrics(env), next_obs_in_extras=True)
    return VmapWrapper(auto_reset, num_envs=batch)


def loop(env, steps=STEPS, policy=None, seed=0):
    def body(carry, key):
        state, step = carry
        logits = jnp.where(step.observation["action_mask"], 0.0, -1e9)
        if policy is not None:
            logits += policy(step.observation["agent_view"])
        action = jax.random.categorical(key, logits)
        state, following = env.step(state, action)
        return (state, following), (step, action, following)

    first = env.reset(jax.random.key(seed))
    keys = jax.random.split(jax.random.key(seed + 1), steps)
    return jax.lax.scan(body, first, keys)[1]


@pytest.fixture(scope="module")
def record():
    env = wrapped(stoix.make("onitama", planes="board"))
    return jax.device_get(jax.jit(lambda: loop(env))())


def test_wrappers_of_stoa_report_whole_games(record):
    _, _, after = record
    ended = after.last()
    assert ended.sum() > BATCH and (after.terminated() == ended).all()
    np.testing.assert_array_equal(after.discount, np.where(ended, 0.0, 1.0))
    assert (np.abs(after.reward[ended]) == 1).mean() > 0.95 and (after.reward[~ended] == 0).all()
    metrics = after.extras["episode_metrics"]
    np.testing.assert_array_equal(metrics["is_terminal_step"], ended)
    np.testing.assert_array_equal(metrics["episode_return"][ended], after.reward[ended])


def test_observation_goes_on_with_a_new_game(record):
    _, _, after = record
    ended = after.last()
    view, last = after.observation["agent_view"], after.extras["next_obs"]["agent_view"]
    np.testing.assert_array_equal(view[~ended], last[~ended])
    assert (view[ended] != last[ended]).any((1, 2, 3)).all()
    assert (after.observation["step_count"][ended] <= 1).all()


def test_spaces_hold_the_values_of_a_game():
    env = stoix.make("onitama", planes="board")
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
    env = stoix.make("onitama", planes="board")
    state, _ = env.reset(jax.random.key(0))
    assert "<svg" in env.render(state).as_svg()


class Network(linen.Module):
    """A policy and a value, of the board as Stoix's networks see it."""

    @linen.compact
    def __call__(self, view):
        hidden = linen.relu(linen.Dense(64)(view.reshape(*view.shape[:-3], -1)))
        return linen.Dense(202)(hidden), linen.Dense(1)(hidden)[..., 0]


@pytest.mark.slow
def test_short_ppo_beats_random_play():
    env = wrapped(stoix.make("onitama", planes="board"), batch=128)
    network, optimizer = Network(), optax.adam(2e-3)
    discount, horizon, epochs, clip = 0.97, 24, 4, 0.2

    def loss(params, batch):
        steps, actions, old, advantages, targets = batch
        logits, values = network.apply(params, steps.observation["agent_view"])
        logits = jnp.where(steps.observation["action_mask"], logits, -1e9)
        logp = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], -1)[..., 0]
        ratio = jnp.exp(logp - old)
        gain = jnp.minimum(ratio * advantages, ratio.clip(1 - clip, 1 + clip) * advantages)
        return -gain.mean() + 0.5 * jnp.square(values - targets).mean()

    def iteration(carry, seed):
        params, _ = carry

        def policy(view):
            return network.apply(params, view)[0]

        steps, actions, after = loop(env, horizon, policy, seed)
        logits, values = network.apply(params, steps.observation["agent_view"])
        logits = jnp.where(steps.observation["action_mask"], logits, -1e9)
        old = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[..., None], -1)[..., 0]
        last = network.apply(params, after.extras["next_obs"]["agent_view"][-1])[1]

        def backwards(following, step):
            reward, bootstrap = step
            target = reward + discount * bootstrap * following
            return target, target

        _, targets = jax.lax.scan(backwards, last, (after.reward, after.discount), reverse=True)
        advantages = targets - values
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        batch = (steps, actions, old, advantages, targets)

        def epoch(carry, _):
            params, optimizer_state = carry
            gradient = jax.grad(loss)(params, batch)
            changes, optimizer_state = optimizer.update(gradient, optimizer_state)
            return (optax.apply_updates(params, changes), optimizer_state), None

        carry, _ = jax.lax.scan(epoch, carry, None, epochs)
        return carry, after.reward.sum() / after.last().sum()

    params = network.init(jax.random.key(0), jnp.zeros((1, 5, 5, 10)))
    run = jax.jit(lambda carry, seeds: jax.lax.scan(iteration, carry, seeds))
    _, returns = run((params, optimizer.init(params)), jnp.arange(100))
    assert abs(float(returns[:5].mean())) < 0.2
    assert float(returns[-10:].mean()) > 0.5


@pytest.mark.parametrize("env_id", EVERY_GAME_SLOWLY)
def test_every_game_runs_under_the_wrappers_of_stoa(env_id):
    env = stoix.make(env_id)
    _, _, after = jax.device_get(jax.jit(lambda: loop(wrapped(env, 4), steps=12))())
    one = jax.tree.map(lambda leaf: jnp.asarray(leaf[0, 0]), after)
    assert env.environment_space().contains(one)
    ended = after.last()
    assert (after.reward[~ended] == 0).all() and (np.abs(after.reward) <= 1).all()
