import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames import sampling
from jaxgames.wrappers.reset_pool import ResetPool, make_reset_pool

ENV = jaxgames.make("onitama")


def numbered(size):
    return ResetPool({"number": jnp.arange(size), "pair": jnp.stack([jnp.arange(size)] * 2, 1)})


def test_pool_holds_states_of_init():
    pool = jax.jit(make_reset_pool, static_argnums=(0, 2))(ENV.rules.init, jax.random.key(0), 50)
    assert pool.size == 50
    one_by_one = jax.vmap(ENV.rules.init)(jax.random.split(jax.random.key(0), 50))
    jax.tree.map(np.testing.assert_array_equal, pool.states, one_by_one)


def test_draws_are_uniform():
    words = sampling.random_words(jax.random.key(1), 20_000)
    drawn = jax.jit(jax.vmap(numbered(10).draw))(words)
    counts = np.bincount(drawn["number"], minlength=10)
    assert abs(counts - 2000).max() < 5 * np.sqrt(1800)
    assert (drawn["pair"] == drawn["number"][:, None]).all()


@pytest.mark.parametrize("num_games", [1, 4, 10])
def test_window_gives_neighbours_from_any_start(num_games):
    draw = jax.jit(lambda pool, word: pool.draw_window(word, num_games))
    for word in range(10):
        expected = (np.arange(num_games) + word) % 10
        window = draw(numbered(10), jnp.uint32(word))
        np.testing.assert_array_equal(window["number"], expected)
        np.testing.assert_array_equal(window["pair"][:, 1], expected)


def test_pool_passes_through_jit_as_an_argument():
    traces = []

    @jax.jit
    def draw(pool, word):
        traces.append(1)
        return pool.draw(word)["number"]

    assert int(draw(numbered(5), jnp.uint32(7))) == 2
    shifted = ResetPool(jax.tree.map(lambda leaf: leaf + 1, numbered(5).states))
    assert int(draw(shifted, jnp.uint32(7))) == 3
    assert len(traces) == 1


@pytest.mark.parametrize("size", [0, 1.5, "2", None, True])
def test_bad_sizes_are_refused(size):
    with pytest.raises(ValueError, match=f"at least 1, got {size!r}"):
        make_reset_pool(ENV.rules.init, jax.random.key(0), size)


def test_a_pool_serves_as_many_games_as_it_has_states():
    with pytest.raises(ValueError, match="a pool of 5 states cannot serve 6 games"):
        numbered(5).draw_window(jnp.uint32(0), 6)
