"""One kernel computes what the function does, and is made only of what XLA can put into it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import device_kind
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.search.depth_first.one_kernel import one_kernel
from jaxgames.search.depth_first.search import DepthFirst

ROWS = np.arange(40, dtype=np.int32).reshape(20, 2)


def collatz(table, start):
    """Counts in rows of a table how often a number is passed, by slices only."""

    def step(carry):
        table, number, plies = carry
        row = jax.lax.dynamic_slice(table, [number % 20, 0], (1, 2))
        table = jax.lax.dynamic_update_slice(table, row + 1, [number % 20, 0])
        number = jnp.where(number % 2 == 0, number // 2, 3 * number + 1)
        return table, number, plies + 1

    return jax.lax.while_loop(lambda carry: carry[1] != 1, step, (table, start, jnp.int32(0)))


def test_results_are_those_of_the_function():
    kernel = one_kernel(collatz, ROWS, jnp.int32(0))
    for number in (1, 6, 27):
        expected = jax.jit(collatz)(ROWS, jnp.int32(number))
        jax.tree.map(np.testing.assert_array_equal, kernel(ROWS, jnp.int32(number)), expected)
        jax.tree.map(np.testing.assert_array_equal, jax.jit(kernel)(ROWS, number), expected)


def test_several_at_once_are_computed_without_the_kernel():
    kernel = one_kernel(collatz, ROWS, jnp.int32(0))
    numbers = jnp.arange(1, 9)
    found = jax.jit(jax.vmap(kernel, (None, 0)))(ROWS, numbers)
    expected = [collatz(ROWS, number) for number in numbers]
    jax.tree.map(
        np.testing.assert_array_equal, found, jax.tree.map(lambda *x: jnp.stack(x), *expected)
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.at[x.astype(int)].set(0.0),
        jnp.sort,
        lambda x: jnp.outer(x, x) @ x,
        lambda x: jax.lax.fori_loop(0, 3, lambda _, y: y.at[y.astype(int)].add(1.0), x),
    ],
    ids=["scatter", "sort", "product", "scatter in a loop"],
)
def test_what_xla_cannot_put_into_a_kernel_is_no_kernel(function):
    assert one_kernel(function, jnp.arange(4.0)) is None


def test_an_accelerator_has_kernels_of_its_own():
    with device_kind.assumed("cuda"):
        assert one_kernel(collatz, ROWS, jnp.int32(0)) is None


@pytest.mark.parametrize("game", ["onitama", "murus_gallicus"])
def test_searches_of_both_games_are_one_kernel(game):
    env = jaxgames.make(game)
    score, one = integer_score_of(env)
    search = DepthFirst(env.rules, score, 4, table_bits=4, quiescence=1, tactics=tactics_of(env))
    params = jax.tree.map(lambda x: jnp.asarray(x)[None], one)
    games = jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), 1))
    begun = search.start(params, games, jax.random.key(0))
    text = jax.jit(search.advance).lower(params, begun, 9).as_text()
    assert 'xla_cpu_small_call = "true"' in text
    assert "stablehlo.scatter" not in text
