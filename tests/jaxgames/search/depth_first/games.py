"""Positions and compiled searches for the tests of this folder."""

import functools

import jax
import jax.numpy as jnp

from tests.jaxgames.search import test_minimax

KEY = jax.random.key(3)


@functools.cache
def positions(env, number, plies):
    """Returns positions after 0 to `plies` random plies; in every seventh the game is over."""
    rules = env.rules

    def end(game, key):
        def ply(game, index):
            word = jax.random.bits(jax.random.fold_in(key, index))
            moved = rules.step(game, rules.sample_action(game, word), None)
            is_over = rules.is_over(game)
            return jax.tree.map(lambda x, y: jnp.where(is_over, x, y), game, moved), None

        return jax.lax.scan(ply, game, jnp.arange(rules.max_steps))[0]

    games = test_minimax.positions(rules, number, plies)
    keys = jax.random.split(jax.random.key(8), number)
    ended = jax.jit(jax.vmap(end))(games, keys)
    is_seventh = jnp.arange(number) % 7 == 6

    def chosen(x, y):
        return jnp.where(is_seventh.reshape(-1, *[1] * (x.ndim - 1)), x, y)

    return jax.tree.map(chosen, ended, games)


@functools.partial(jax.jit, static_argnums=0)
def search(searcher, games, params=(), depth=None, table=None):
    """Returns `searcher.search`, compiled once for equal searchers and shapes."""
    return searcher.search(params, games, KEY, depth, table)


def lane(batch, index):
    """Returns one game of a batch."""
    return jax.tree.map(lambda x: x[index], batch)
