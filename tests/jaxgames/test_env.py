"""What `Env` defines for all games, on Nim and Onitama."""

import functools
import operator
from typing import ClassVar

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.env import Env
from tests.conformance.games import Nim

NIM = Env("nim", Nim())
ONITAMA = jaxgames.make("onitama")
STEP = jax.jit(NIM.step)
KEY = jax.random.key(0)


class Dice(Nim):
    """Nim in which the next seat is drawn."""

    stochastic: ClassVar[bool] = True

    def step(self, state, action, key=None):
        following = super().step(state, action)
        return following.replace(seat=jax.random.randint(key, (), 0, 2, jnp.int32))


class ShortNim(Nim):
    max_steps = 2


@functools.cache
def nim_start():
    return jax.jit(NIM.init)(jax.random.key(0))


def play(actions, env=NIM, state=None):
    state = nim_start() if state is None else state
    for action in actions:
        state = jax.jit(env.step)(state, action)
    return state


def test_static_facts_are_those_of_the_rules():
    assert ONITAMA.num_players == 2
    assert ONITAMA.num_actions == 202
    assert ONITAMA.max_steps == 200
    assert jaxgames.make("onitama", planes="board").observation_shape == (5, 5, 10)
    assert NIM.observation_shape == (3,)
    assert NIM.observation_spec.dtype == jnp.float32
    assert ONITAMA.observation_spec.words.dtype == jnp.uint32
    assert ONITAMA.version == "1"


def test_onitama_game_state_takes_at_most_48_bytes():
    state = jax.eval_shape(ONITAMA.rules.init, jax.random.key(0))
    size = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(state))
    assert size == 21


def test_winner_is_paid_on_the_last_step_only():
    state = play([2, 5])  # both heaps of three
    assert state.rewards.tolist() == [0, 0] and not state.terminated
    state = play([7], state=state)
    assert state.rewards.tolist() == [1, -1] and state.terminated
    after = play([0], state=state)
    assert after.rewards.tolist() == [0, 0] and after.terminated
    assert after.step_count == state.step_count == 3


def test_mask_is_all_true_after_the_end():
    assert play([2, 5, 7]).legal_action_mask.all()


@pytest.mark.parametrize("action", [8, -1, 9, 10**6])
def test_illegal_action_costs_the_mover_and_moves_nothing(action):
    state = play([0])
    after = STEP(state, action)
    assert after.terminated and not after.truncated
    assert after.rewards.tolist() == [1, -1]
    assert after.game.heaps.tolist() == [2, 3, 2]


def test_game_is_cut_off_at_max_steps_without_rewards():
    env = Env("short_nim", ShortNim())
    state = play([0, 0], env, jax.jit(env.init)(jax.random.key(0)))
    assert state.truncated and not state.terminated
    assert state.rewards.tolist() == [0, 0]
    assert state.legal_action_mask.all()


def test_end_on_the_last_step_is_no_truncation():
    env = Env("short_nim", ShortNim())
    state = jax.jit(env.init)(jax.random.key(0))
    state = state.replace(game=state.game.replace(heaps=jnp.array([3, 0, 1], jnp.int8)))
    state = env.wrap(state.game)
    state = play([2, 6], env, state)
    assert state.terminated and not state.truncated
    assert state.rewards.tolist() == [-1, 1]


def test_side_card_decides_who_begins():
    red = jaxgames.make("onitama", deal="ox,crab|horse,elephant|boar")
    blue = jaxgames.make("onitama", deal="ox,boar|horse,elephant|crab")
    assert int(red.init(jax.random.key(0)).current_player) == 0
    assert int(blue.init(jax.random.key(0)).current_player) == 1


def test_stochastic_game_needs_a_key():
    env = Env("dice", Dice())
    state = env.init(jax.random.key(0))
    with pytest.raises(ValueError, match="dice is stochastic"):
        env.step(state, 0)
    assert env.step(state, 0, jax.random.key(0)).step_count == 1


@pytest.mark.parametrize("make_key", [jax.random.key, jax.random.PRNGKey])
def test_both_kinds_of_keys_are_accepted(make_key):
    assert ONITAMA.init(make_key(0)).legal_action_mask.any()


def test_random_actions_are_legal_in_every_game_of_a_batch():
    states = jax.jit(jax.vmap(ONITAMA.init))(jax.random.split(jax.random.key(0), 64))
    actions = jaxgames.random_actions(ONITAMA, states, jax.random.key(1))
    assert actions.shape == (64,)
    assert np.asarray(states.legal_action_mask)[np.arange(64), actions].all()
    assert len(set(actions.tolist())) > 10


METHODS = {
    "wrap": lambda env, state: env.wrap(state.game),
    "step": lambda env, state: env.step(state, 0, KEY),
    "observe": lambda env, state: env.observe(state, 0),
    "sample_action": lambda env, state: env.sample_action(state, KEY),
    "action_to_text": lambda env, state: env.action_to_text(state, 0),
    "text_to_action": lambda env, state: env.text_to_action(state, "x"),
    "legal_moves": lambda env, state: env.legal_moves(state),
    "state_to_text": lambda env, state: env.state_to_text(state),
    "text_board": lambda env, state: env.text_board(state),
    "render": lambda env, state: env.render(state),
    "animate": lambda env, state: env.animate([state]),
}
TRACED = ("wrap", "step", "observe", "sample_action")


def batch_of_onitama():
    return jax.vmap(ONITAMA.init)(jax.random.split(KEY, 3))


# Games of the project whose state has leaves of several shapes; programs are not compiled here.
@pytest.mark.parametrize("env_id", jaxgames.available())
def test_a_batch_where_one_game_is_expected_is_named(env_id):
    env = jaxgames.make(env_id)
    one = jax.eval_shape(env.init, KEY)
    state = jax.tree.map(lambda x: np.zeros((3, *x.shape), x.dtype), one)
    for name, call in METHODS.items():
        if name == "render":  # draws the games of a batch side by side
            continue
        advice = rf"jax\.vmap\(env\.{name}\)" if name in TRACED else "select one with jax.tree"
        message = rf"{name} takes the state of one game, got a batch of shape \(3,\); .*{advice}"
        with pytest.raises(ValueError, match=message):
            call(env, state)


@pytest.mark.parametrize("wrong", [None, {}, 5, "state.game"])
def test_what_is_no_state_is_named_by_every_method(wrong):
    wrong = ONITAMA.init(KEY).game if wrong == "state.game" else wrong
    for name, call in METHODS.items():
        if name != "wrap":
            message = f"{name} takes the State of one game, got {type(wrong).__name__}"
            with pytest.raises(ValueError, match=message):
                call(ONITAMA, wrong)


def test_a_state_of_which_the_position_alone_is_a_batch_is_refused():
    half = ONITAMA.init(KEY).replace(game=batch_of_onitama().game)
    for name, call in METHODS.items():
        with pytest.raises(ValueError, match=rf"{name} takes the state of one game, got a batch"):
            call(ONITAMA, half)


def random_actions(state, key=KEY):
    return jaxgames.random_actions(ONITAMA, state, key)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda one, batch, keys: ONITAMA.init(keys), r"init takes one random key, got shape \(3,"),
        (lambda one, batch, keys: ONITAMA.init(0), "init takes a random key, for instance jax"),
        (lambda one, batch, keys: ONITAMA.init(None), "takes a random key, .*; got None"),
        (lambda one, batch, keys: ONITAMA.step(one, 0, keys), "step takes one random key"),
        (lambda one, batch, keys: ONITAMA.sample_action(one, keys), "sample_action takes one rand"),
        (lambda one, batch, keys: random_actions(batch, keys), "random_actions takes one random"),
        (lambda one, batch, keys: random_actions(one), r"for one game use env\.sample_action"),
        (lambda one, batch, keys: random_actions(None), "takes a batch of states, got NoneType"),
        (lambda one, batch, keys: ONITAMA.step(one, 1.5), "an integer action, got dtype float"),
        (lambda one, batch, keys: ONITAMA.step(one, np.zeros(4, int)), r"use jax.vmap\(env.step\)"),
        (
            lambda one, batch, keys: ONITAMA.action_to_text(one, "a1"),
            "of an action, got 'a1",
        ),
        (lambda one, batch, keys: ONITAMA.action_to_text(one, 1.5), "number of an action, got 1.5"),
        (lambda one, batch, keys: ONITAMA.text_to_state(None), "expected a text, got None"),
        (lambda one, batch, keys: ONITAMA.text_to_action(one, 5), "expected a text, got 5"),
        (lambda one, batch, keys: NIM.state_to_text(nim_start()), "nim has no notation registered"),
        (lambda one, batch, keys: NIM.render(nim_start()), "nim has no rendering registered"),
        (lambda one, batch, keys: NIM.wrap(nim_start()), "wrap takes the game state of nim, got a"),
        (lambda one, batch, keys: NIM.wrap(one.game), "wrap takes the game state of nim, got PyT"),
        (
            lambda one, batch, keys: NIM.wrap(nim_start().game.replace(heaps=np.zeros(7, np.int8))),
            r"an array has shape \(7,\), expected \(3,\)",
        ),
    ],
)
def test_wrong_arguments_and_missing_parts_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(ONITAMA.init(KEY), batch_of_onitama(), jax.random.split(KEY, 3))


def test_an_array_is_the_number_of_an_action():
    state = ONITAMA.init(KEY)
    action = jnp.argmax(state.legal_action_mask)
    assert ONITAMA.action_to_text(state, action) == ONITAMA.action_to_text(state, int(action))


def test_position_read_from_a_text_is_made_of_jax_arrays():
    """Rules may index their state with traced numbers, which NumPy arrays do not allow."""
    env = jaxgames.make("onitama")
    text = env.state_to_text(env.init(jax.random.key(0)))
    leaves = jax.tree.leaves(env.text_to_state(text))
    assert leaves and all(isinstance(leaf, jax.Array) for leaf in leaves)


def test_state_on_the_host_is_seen_and_played_on():
    """Its observation looks up NumPy's arrays by traced numbers unless they are JAX's."""
    env = jaxgames.make("tribes")
    start = jax.jit(env.init)(jax.random.key(0))
    host = jax.device_get(start)
    chex.assert_trees_all_close(env.wrap(host.game), start, rtol=1e-6)
    chex.assert_trees_all_close(env.observe(host, 0), start.observation, rtol=1e-6)

    env = jaxgames.make("onitama")
    start = jax.jit(env.init)(jax.random.key(0))
    host = jax.device_get(start)
    action = env.sample_action(host, jax.random.key(1))
    chex.assert_trees_all_equal(env.step(host, action), jax.jit(env.step)(start, action))


@pytest.mark.parametrize("seat", [-1, 2, True, 0.5, 2**32, np.int64(2**32), [0], "0"])
def test_seats_that_do_not_exist_are_refused(seat):
    with pytest.raises(ValueError, match=r"observe takes (a seat from 0 to 1|one seat), got"):
        NIM.observe(nim_start(), seat)
    with pytest.raises(ValueError, match=r"determinize takes (a seat from 0 to 1|one seat), got"):
        NIM.rules.determinize(nim_start().game, seat, jax.random.key(0))


@pytest.mark.parametrize("seat", [1, np.int8(1), np.int64(1), jnp.int32(1), jnp.uint8(1)])
def test_any_integer_is_a_seat(seat):
    np.testing.assert_array_equal(NIM.observe(nim_start(), seat), NIM.observe(nim_start(), 1))


FAR = (2**31, 2**32, 2**32 + 1, -(2**32), 2**63, 2**64 + 1, -1)


@pytest.mark.parametrize("number", FAR)
def test_numbers_out_of_range_are_illegal_actions(number):
    assert NIM.step(nim_start(), 1).terminated == play([1]).terminated
    state = NIM.step(nim_start(), number)
    assert state.terminated and state.rewards[state.current_player] == -1
    if -(2**63) <= number < 2**63:
        assert NIM.step(nim_start(), np.int64(number)).terminated


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint32, np.int8, np.uint8])
@pytest.mark.parametrize("number", [0, 1, 100, *FAR])
def test_traced_numbers_of_every_type_are_read_as_they_are(dtype, number):
    if not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
        return
    with jax.enable_x64(True):
        state = jax.jit(NIM.step)(nim_start(), jnp.asarray(np.array(number, dtype)))
    assert state.terminated == (number not in (0, 1))


def test_reward_of_the_mover_is_that_of_the_seat_that_acted():
    start = nim_start()
    illegal = NIM.step(start, NIM.num_actions)
    assert NIM.mover_reward(start, illegal) == -1
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), start, start)
    after = jax.vmap(NIM.step)(batch, jnp.array([0, NIM.num_actions]))
    np.testing.assert_array_equal(NIM.mover_reward(batch, after), [0, -1])


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("reset", "init"),
        ("observation_space", "observation_shape"),
        ("action_space", "num_actions"),
        ("action_spec", "legal_action_mask"),
    ],
)
def test_words_of_other_libraries_are_answered_with_those_of_an_env(name, word):
    assert not hasattr(NIM, name)
    with pytest.raises(AttributeError, match=rf"an Env has no '{name}'.*\b{word}\b.*wrappers"):
        getattr(NIM, name)


def test_other_missing_attributes_are_reported_as_by_python():
    with pytest.raises(AttributeError, match="'Env' object has no attribute 'stpe'"):
        operator.attrgetter("stpe")(NIM)
    broken = Env("broken", object())
    with pytest.raises(AttributeError, match="'object' object has no attribute 'num_players'"):
        operator.attrgetter("num_players")(broken)
