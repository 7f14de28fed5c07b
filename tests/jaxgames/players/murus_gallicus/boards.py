"""Positions of Murus Gallicus to evaluate, and what is on them, in plain NumPy."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.murus_gallicus import position
from jaxgames.murus_gallicus.board import FILES, NUM_CELLS
from jaxgames.murus_gallicus.rules import MurusGallicus

NUM_POSITIONS = 600
DEFAULT = MurusGallicus()


@functools.cache
def games(rules=DEFAULT, seed=0):
    """Half of them random stacks on all ranks but the far ones, half from random games."""
    rng = np.random.default_rng(seed)
    start = rules.init(jax.random.key(0))
    made = []
    for _ in range(NUM_POSITIONS // 2):
        heights = rng.choice(np.arange(-3, 4), NUM_CELLS, p=[0.05, 0.1, 0.1, 0.5, 0.1, 0.1, 0.05])
        heights[:FILES] = np.maximum(heights[:FILES], 0)
        heights[-FILES:] = np.minimum(heights[-FILES:], 0)
        own = position.to_stones(heights)
        other = position.to_stones(-heights[::-1])
        made.append(start.replace(own=own, other=other, seat=np.int8(rng.integers(2))))
    played = jax.jit(jax.vmap(functools.partial(_play, rules)))(
        jax.random.split(jax.random.key(seed), NUM_POSITIONS // 2),
        jnp.arange(NUM_POSITIONS // 2) % 45,
    )
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *made)
    return jax.tree.map(lambda a, b: jnp.concatenate([a, b]), stacked, played)


def _play(rules, key, plies):
    def ply(index, game):
        word = jax.random.bits(jax.random.fold_in(key, index))
        moved = rules.step(game, rules.sample_action(game, word), None)
        stays = rules.is_over(moved) | (index >= plies)
        return jax.tree.map(lambda x, y: jnp.where(stays, x, y), game, moved)

    return jax.lax.fori_loop(0, 45, ply, rules.init(key))


def each(batch):
    """Yields the games of a batch with host values."""
    batch = jax.device_get(batch)
    for index in range(batch.ply.shape[0]):
        yield jax.tree.map(lambda x, i=index: x[i], batch)


def exchanged(game):
    """The position with the two sides exchanged, the same seat to move."""
    return game.replace(own=game.other, other=game.own)
