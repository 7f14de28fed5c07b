"""Which games of a match a player decides."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames import Env
from jaxgames.matches import scheduling
from tests import hidden_coin


def test_games_that_have_come_least_far_go_first_and_one_that_is_over_fills_the_batch():
    waits = jnp.array([False, True, True, False, True])
    how_far = jnp.array([0, 5, 9, 0, 3]), jnp.array([0, 1, 1, 0, 1])
    nothing = jnp.zeros(5, bool)
    lanes, is_filled = scheduling.furthest_behind(waits, how_far, nothing, 2)
    np.testing.assert_array_equal(lanes, [4, 1])
    assert is_filled.all()
    lanes, is_filled = scheduling.furthest_behind(waits, how_far, nothing, 5)
    np.testing.assert_array_equal(lanes, [4, 1, 2, 4, 4])
    np.testing.assert_array_equal(is_filled, [True, True, True, False, False])
    lanes, is_filled = scheduling.furthest_behind(waits, how_far, nothing.at[3].set(True), 5)
    np.testing.assert_array_equal(lanes, [4, 1, 2, 3, 3])
    np.testing.assert_array_equal(is_filled, [True, True, True, False, False])


def test_a_memory_begins_anew_where_the_action_could_not_be_played():
    size = 40
    coins = jnp.asarray(np.arange(size) % 2, jnp.int8)
    games = hidden_coin.start(jnp.full((size,), hidden_coin.ODDS // 2, jnp.int8), coins)
    actions, memory = scheduling.decide(
        Env("coin", hidden_coin.HiddenCoin()),
        hidden_coin.Counter(hidden_coin.BLUNDER),
        (),
        jnp.full((size,), 5),
        games,
        jnp.arange(size),
        jnp.arange(size) < 30,
        jax.random.key(0),
    )
    replaced = np.asarray(actions) != hidden_coin.BLUNDER
    assert 0 < replaced[:30].sum() < 20
    expected = np.where(np.arange(size) >= 30, 5, np.where(replaced, 0, 6))
    np.testing.assert_array_equal(memory, expected)
