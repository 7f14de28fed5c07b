import dataclasses
from typing import ClassVar

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames import search
from jaxgames.env import Env
from jaxgames.wrappers import versus
from tests.conformance.games import Nim
from tests.jaxgames.wrappers.games import EVERY_GAME_SLOWLY
from tests.three_nim import ThreeNim

BATCH, STEPS = 64, 40
NIM = Env("nim", Nim())
THREE = Env("three_nim", ThreeNim())


OF_NIM = search.gumbel_search(NIM.rules, search.Rollout(NIM.rules), simulations=2)
KEY = jax.random.key(0)


def lowest(state, key):
    return jnp.argmax(state.legal_action_mask)


def highest(state, key):
    return state.legal_action_mask.shape[0] - 1 - jnp.argmax(state.legal_action_mask[::-1])


def played(game, policy=lowest, batch=BATCH, steps=STEPS, seed=0):
    """Returns the states acted in and the transitions of games of a policy, `[steps, batch]`."""

    def ply(states, key):
        actions = jax.vmap(policy, in_axes=(0, None))(states, None)
        transition = jax.vmap(game.step_auto_reset)(states, actions, jax.random.split(key, batch))
        return transition.state, (states, transition)

    init_key, play_key = jax.random.split(jax.random.key(seed))
    first = jax.jit(jax.vmap(game.init))(jax.random.split(init_key, batch))
    scan = jax.jit(lambda states, keys: jax.lax.scan(ply, states, keys)[1])
    return jax.device_get(scan(first, jax.random.split(play_key, steps)))


def test_other_seats_play_between_two_decisions():
    states, (state, reached) = played(versus.versus(NIM, highest, seat=0))
    before, after = states.game.heaps, reached.game.heaps
    step = jax.jit(jax.vmap(jax.vmap(NIM.step)))
    one = step(jax.vmap(jax.vmap(NIM.wrap))(states.game), states.legal_action_mask.argmax(-1))
    two = step(one, jax.vmap(jax.vmap(highest, in_axes=(0, None)), in_axes=(0, None))(one, None))
    assert (before.sum(-1) > after.sum(-1)).all()
    np.testing.assert_array_equal(after, two.game.heaps)
    ended_first = np.asarray(one.terminated)
    expected = np.where(ended_first, one.rewards[..., 0], two.rewards[..., 0])
    np.testing.assert_array_equal(reached.reward, expected)
    assert set(np.unique(reached.reward)) == {-1.0, 0.0, 1.0} or ended_first.any()
    np.testing.assert_array_equal(state.game.seat, 0)


def test_player_is_to_move_at_its_seat_until_the_end():
    states, (_, reached) = played(versus.versus(THREE, lowest, seat=2), highest)
    to_move = jax.vmap(jax.vmap(THREE.rules.to_move))(states.game)
    assert (states.seat == 2).all() and (to_move == 2).all()
    outcomes = jax.vmap(jax.vmap(THREE.rules.returns))(reached.game)[..., 2]
    np.testing.assert_array_equal(reached.reward, outcomes)
    assert reached.terminated.sum() > BATCH


@pytest.mark.parametrize("seat", [1, None])
def test_seats_that_alternate_play_as_in_a_loop(seat):
    @dataclasses.dataclass(frozen=True)
    class WithLoop(Nim):
        seats_alternate: ClassVar[bool] = False

    fixed = played(versus.versus(NIM, [lowest, highest], seat=seat))
    looped = played(versus.versus(Env("nim", WithLoop()), [lowest, highest], seat=seat))
    chex.assert_trees_all_equal(fixed, looped)


def test_seats_are_drawn_anew_for_each_game():
    states, (state, reached) = played(versus.versus(THREE, lowest), highest)
    shares = np.bincount(states.seat.ravel(), minlength=3) / states.seat.size
    assert (shares > 0.2).all()
    ended = reached.terminated
    assert 0.5 < (state.seat[ended] != reached.seat[ended]).mean() < 0.8
    assert (state.seat[~ended] == reached.seat[~ended]).all()
    assert (state.reward == 0).all() and (states.step_count[0] == states.seat[0]).all()


def test_each_seat_keeps_the_opponent_it_drew_for_the_whole_game():
    game = versus.versus(NIM, [lowest, highest], seat=0)
    states, (state, reached) = played(game)
    other = states.opponents[..., 1]
    assert 0.3 < other.mean() < 0.7
    ended = reached.terminated
    assert (state.opponents[~ended] == states.opponents[~ended]).all()
    assert 0.3 < (state.opponents[..., 1] != other)[ended].mean() < 0.7
    for number, policy in enumerate((lowest, highest)):
        alone = versus.versus(NIM, policy, seat=0)
        keys = jax.random.split(jax.random.key(0), states.seat.size).reshape(STEPS, BATCH)
        actions = states.legal_action_mask.argmax(-1)
        expected = jax.jit(jax.vmap(jax.vmap(alone.step)))(states, actions, keys)
        np.testing.assert_array_equal(
            reached.game.heaps[other == number], expected.game.heaps[other == number]
        )


def test_agent_decides_for_the_whole_batch_and_wins():
    perfect = search.Minimax(NIM.rules, lambda game: jnp.zeros((2,)), depth=8)
    _, (_, reached) = played(versus.versus(NIM, perfect, seat=1), steps=12)
    # With heaps 3, 3, 2 the first player wins: the heaps differ in their exclusive or.
    assert (reached.reward[reached.terminated] == -1).all()


def test_opponent_may_use_parameters_that_the_program_traces():
    @jax.jit
    def first_moves(preference, keys):
        game = versus.versus(
            NIM,
            lambda state, key: jnp.argmax(jnp.where(state.legal_action_mask, preference, -1.0)),
            seat=1,
        )
        return jax.vmap(game.init)(keys).game.heaps

    keys = jax.random.split(jax.random.key(0), 3)
    for action in (0, 4, 7):
        moved = first_moves(jax.nn.one_hot(action, NIM.num_actions), keys)
        expected = NIM.step(NIM.init(keys[0]), action).game.heaps
        np.testing.assert_array_equal(moved, jnp.tile(expected, (3, 1)))


def test_batch_plays_like_single_games():
    game = versus.versus(NIM)
    keys = jax.random.split(jax.random.key(5), 8)
    states = jax.jit(jax.vmap(game.init))(keys)
    actions = states.legal_action_mask.argmax(-1)
    batch = jax.jit(jax.vmap(game.step_auto_reset))(states, actions, keys)
    step = jax.jit(game.step_auto_reset)
    for i in range(8):
        single = step(jax.tree.map(lambda leaf, i=i: leaf[i], states), actions[i], keys[i])
        jax.tree.map(lambda a, b, i=i: np.testing.assert_array_equal(a, b[i]), single, batch)


def test_illegal_actions_cost_whoever_plays_them():
    game = versus.versus(NIM, seat=0)
    state = game.init(jax.random.key(0))
    after = game.step(state, -1, jax.random.key(1))
    assert after.terminated and after.reward == -1
    game = versus.versus(NIM, lambda state, key: jnp.int32(-1), seat=0)
    after = game.step(state, 0, jax.random.key(1))
    assert after.terminated and after.reward == 1


def test_step_after_the_end_changes_nothing():
    game = versus.versus(NIM, seat=0)
    over = game.step(game.init(jax.random.key(0)), -1, jax.random.key(1))
    again = game.step(over, 0, jax.random.key(2))
    assert again.reward == 0
    jax.tree.map(np.testing.assert_array_equal, again, over.replace(reward=again.reward))


def test_make_passes_options_to_the_game():
    game = versus.make("onitama", planes="board", seat=1)
    assert game.observation_shape == (5, 5, 10) and game.seat == 1
    assert versus.make(game.env).env is game.env


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "onitamo"}, "did you mean 'onitama'"),
        ({"game": "onitama", "seat": 2}, "from 0 to 1, or None to draw it; got 2"),
        ({"game": "onitama", "seat": True}, "got True"),
        ({"game": "onitama", "opponent": []}, "empty pool"),
        ({"game": "onitama", "opponent": 3}, "a function opponent\\(state, key\\) or an agent"),
        ({"game": "onitama", "opponent": "random"}, "None for random play, got 'random'"),
        ({"game": "onitama", "opponent": [None, "random"]}, "got 'random'"),
        ({"game": "onitama", "opponent": OF_NIM}, "plays by Nim, but onitama has Onitama"),
        ({"game": "onitama", "opponent": [versus.AgentOpponent(OF_NIM)]}, "plays by Nim"),
        ({"game": NIM, "deck": "all"}, "option 'deck' goes with the id of a game"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        versus.make(**arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda game, state: game.init(0), "init takes a random key"),
        (lambda game, state: game.step(state, 0, None), "step takes a random key"),
        (lambda game, state: game.step(state, 1.5, KEY), "step takes an integer action"),
        (lambda game, state: game.step(None, 0, KEY), "takes a VersusState, got NoneType"),
        (lambda game, state: game.step(NIM.init(KEY), 0, KEY), "takes a VersusState, got State"),
        (
            lambda game, state: game.step(jax.tree.map(lambda x: x[None], state), 0, KEY),
            "for a batch use jax.vmap",
        ),
    ],
)
def test_bad_states_actions_and_keys_are_refused(call, message):
    game = versus.versus(NIM)
    with pytest.raises(ValueError, match=message):
        call(game, game.init(KEY))


def test_members_of_a_pool_return_integers_as_single_opponents_do():
    for opponent in (lambda state, key: 1.5, [lambda state, key: 1.5, None]):
        with pytest.raises(ValueError, match="step takes an integer action"):
            jax.eval_shape(versus.versus(NIM, opponent).init, KEY)


@pytest.mark.parametrize("env_id", EVERY_GAME_SLOWLY)
def test_every_game_is_played_to_its_end(env_id):
    game = versus.make(env_id)

    def is_running(carry):
        return ~(carry[0].terminated | carry[0].truncated)

    def ply(carry):
        state, key = carry
        action_key, step_key, key = jax.random.split(key, 3)
        action = game.env.rules.sample_action(state.game, jax.random.bits(action_key))
        return game.step(state, action, step_key), key

    @jax.jit
    @jax.vmap
    def play(key):
        return jax.lax.while_loop(is_running, ply, (game.init(key), key))[0]

    last = play(jax.random.split(jax.random.key(0), 16))
    outcome = jax.vmap(game.env.rules.returns)(last.game)
    expected = jnp.where(last.truncated, 0.0, outcome[jnp.arange(16), last.seat])
    np.testing.assert_array_equal(last.reward, expected)
    assert set(last.seat.tolist()) == {0, 1}
