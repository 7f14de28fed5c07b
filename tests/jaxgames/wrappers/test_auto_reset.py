import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.env import Env
from jaxgames.wrappers.auto_reset import auto_reset
from jaxgames.wrappers.reset_pool import make_reset_pool
from tests.conformance.games import Nim

BATCH, STEPS = 64, 120
ENV = jaxgames.make("onitama", planes="board")


class ShortNim(Nim):
    max_steps = 2


class ObservedNim(Nim):
    """Its observation is easy to find in a compiled program."""

    def observe(self, state, player):
        return jnp.sin(super().observe(state, player))


@pytest.fixture(scope="module", params=["set-up in the step", "pool"])
def record(request):
    """Random play: the states acted in, the transitions and the actions, `[STEPS, BATCH]`."""
    resetting = auto_reset(ENV)
    pool = None
    if request.param == "pool":
        pool = make_reset_pool(ENV.rules.init, jax.random.key(7), 16)
    step = jax.vmap(resetting.step, in_axes=(0, 0, 0, None))

    @jax.jit
    def rollout(states, key):
        def body(states, key):
            action_key, step_key = jax.random.split(key)
            actions = jaxgames.random_actions(ENV, states, action_key)
            transition = step(states, actions, jax.random.split(step_key, BATCH), pool)
            return transition.state, (states, actions, transition)

        return jax.lax.scan(body, states, jax.random.split(key, STEPS))[1]

    first = jax.jit(jax.vmap(resetting.init))(jax.random.split(jax.random.key(0), BATCH))
    return jax.device_get(rollout(first, jax.random.key(1)))


def test_something_else_than_an_environment_is_refused():
    with pytest.raises(
        ValueError, match=r"takes an environment, got 'onitama'; use jaxgames\.make"
    ):
        auto_reset("onitama")


def test_reached_state_is_that_of_the_plain_step(record):
    states, actions, transition = record
    expected = jax.jit(jax.vmap(jax.vmap(ENV.step)))(states, actions)
    jax.tree.map(np.testing.assert_array_equal, transition.reached, expected)


def test_games_go_on_where_they_did_not_end(record):
    _, _, transition = record
    going_on = ~transition.reached.terminated
    jax.tree.map(
        lambda new, old: np.testing.assert_array_equal(new[going_on], old[going_on]),
        transition.state,
        transition.reached,
    )


def test_ended_games_start_anew_and_keep_their_last_state_and_reward(record):
    _, _, transition = record
    ended = transition.reached.terminated
    assert ended.sum() > BATCH
    assert (np.abs(transition.reached.rewards[ended]).sum(-1) == 2).mean() > 0.99
    fresh = jax.tree.map(lambda leaf: leaf[ended], transition.state)
    assert (fresh.step_count == 0).all() and (fresh.game.ply == 0).all()
    assert not fresh.terminated.any() and (fresh.rewards == 0).all()
    assert (fresh.game.own_pieces == 0b11111).all()
    assert len(set(fresh.game.own_hand.tolist())) > 5
    last = np.asarray(transition.reached.observation)[ended]
    assert (last != np.asarray(fresh.observation)).any(axis=(1, 2, 3)).all()


def test_observation_and_mask_are_those_of_the_state_that_goes_on(record):
    _, _, transition = record
    state = transition.state
    seen = jax.jit(jax.vmap(jax.vmap(ENV.observe)))(state, state.current_player)
    np.testing.assert_array_equal(state.observation, seen)
    masks = jax.jit(jax.vmap(jax.vmap(ENV.rules.legal_actions)))(state.game)
    np.testing.assert_array_equal(state.legal_action_mask, masks)


def test_truncated_game_keeps_the_state_to_bootstrap_from():
    resetting = auto_reset(Env("short_nim", ShortNim()))
    step = jax.jit(resetting.step)
    state = resetting.init(jax.random.key(0))
    state = step(state, 0, jax.random.key(1)).state
    transition = step(state, 0, jax.random.key(2))
    assert transition.reached.truncated and not transition.reached.terminated
    assert transition.reached.observation.tolist() == [1, 3, 2]
    assert transition.state.observation.tolist() == [3, 3, 2]
    assert not transition.state.truncated
    assert transition.state.step_count == 0


def test_unread_observation_of_the_reached_state_is_not_computed():
    resetting = auto_reset(Env("nim", ObservedNim()))
    state = resetting.init(jax.random.key(0))

    def rewards_only(state, key):
        transition = resetting.step(state, 0, key)
        return transition.state, transition.reached.rewards

    def everything(state, key):
        return resetting.step(state, 0, key)

    sines = [
        jax.jit(step).lower(state, jax.random.key(1)).compile().as_text().count(" sine(")
        for step in (rewards_only, everything)
    ]
    assert sines == [1, 2]
