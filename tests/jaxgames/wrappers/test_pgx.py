"""Loops as written for pgx, with nothing but the environment replaced."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames

pgx = pytest.importorskip("pgx")

from pgx.experimental import act_randomly, auto_reset  # noqa: E402

from jaxgames.wrappers.pgx import PgxEnv  # noqa: E402

BATCH = 32


FIXED = PgxEnv(jaxgames.make("onitama", planes="board"))


@pytest.fixture(
    scope="module",
    params=[pytest.param(False, marks=pytest.mark.slow), True],
    ids=["seats", "random seats"],
)
def env(request):
    return PgxEnv(FIXED.env, random_seats=request.param)


def test_environment_is_a_pgx_environment(env):
    assert isinstance(env, pgx.Env)
    assert (env.id, env.version, env.num_players) == ("onitama", "1", 2)
    assert env.num_actions == 202
    assert env.observation_shape == (5, 5, 10)
    assert isinstance(env.init(jax.random.key(0)), pgx.State)


def test_play_to_the_end_as_in_the_readme_of_pgx(env):
    init = jax.jit(jax.vmap(env.init))
    step = jax.jit(jax.vmap(env.step))
    state = init(jax.random.split(jax.random.PRNGKey(0), BATCH))
    total = jnp.zeros((BATCH, 2))
    rng = jax.random.PRNGKey(1)
    while not (state.terminated | state.truncated).all():
        rng, subkey = jax.random.split(rng)
        action = act_randomly(subkey, state.legal_action_mask)
        state = step(state, action)
        total = total + state.rewards
    assert (total.sum(axis=1) == 0).all()
    assert (jnp.abs(total) == 1).all()


def test_loop_with_auto_reset_of_pgx_plays_many_games(env):
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def rollout(state, key):
        def body(state, key):
            action_key, step_key = jax.random.split(key)
            logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
            action = jax.random.categorical(action_key, logits, axis=-1)
            mover = state.current_player
            state = step(state, action, jax.random.split(step_key, BATCH))
            return state, (mover, state)

        return jax.lax.scan(body, state, jax.random.split(key, 150))[1]

    first = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), BATCH))
    movers, states = jax.device_get(rollout(first, jax.random.PRNGKey(1)))
    ended = states.terminated
    assert ended.sum() > 2 * BATCH
    assert (states.inner.game.ply[ended] == 0).all()
    # The last move wins by capture or temple, so the mover, as a player id, is paid.
    paid = states.rewards[ended]
    decided = np.abs(paid).sum(axis=1) == 2
    assert decided.mean() > 0.99
    assert (paid[np.arange(len(paid)), movers[ended]][decided] == 1).all()
    assert (states.rewards[~ended] == 0).all()


def test_illegal_action_costs_the_player(env):
    state = jax.jit(env.init)(jax.random.PRNGKey(3))
    illegal = int(jnp.argmin(state.legal_action_mask))
    after = jax.jit(env.step)(state, illegal)
    assert after.terminated
    assert after.rewards[state.current_player] == -1
    assert after.rewards.sum() == 0


def test_observation_is_that_of_the_current_player(env):
    state = jax.jit(env.init)(jax.random.PRNGKey(5))
    np.testing.assert_array_equal(state.observation, env.observe(state))
    other = env.observe(state, 1 - state.current_player)
    assert (other != state.observation).any()


def test_random_seats_give_player_ids_to_both_seats():
    env = PgxEnv(FIXED.env, random_seats=True)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 400))
    same = states.current_player == states.inner.current_player
    assert 140 < int(same.sum()) < 260
    states = jax.jit(jax.vmap(FIXED.init))(jax.random.split(jax.random.key(0), 400))
    assert (states.current_player == states.inner.current_player).all()
