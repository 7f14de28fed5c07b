"""Positions to search from, taken from random games."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, UInt32

from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates


def random_positions(rules: Rules[Any], number: int, seed: int, most_plies: int) -> GameStates:
    """Returns `[number]` positions of unfinished games, after 0, 1, ..., `most_plies` random plies.

    The numbers of plies repeat in turn. A random ply that would end its game is left out.
    """

    def play(key: Array, plies: Array) -> Any:
        def ply(game: Any, index: Array) -> tuple[Any, None]:
            ply_key = jax.random.fold_in(key, index)
            word: UInt32[Array, ""] = jax.random.bits(ply_key)
            chance_key = jax.random.fold_in(ply_key, 0) if rules.stochastic else None
            moved = rules.step(game, rules.sample_action(game, word), chance_key)
            stays = rules.is_over(moved) | (index >= plies)
            return jax.tree.map(lambda x, y: jnp.where(stays, x, y), game, moved), None

        return jax.lax.scan(ply, rules.init(key), jnp.arange(most_plies))[0]

    keys = jax.random.split(jax.random.key(seed), number)
    return jax.jit(jax.vmap(play))(keys, jnp.arange(number) % (most_plies + 1))
