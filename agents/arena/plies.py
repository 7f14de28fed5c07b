"""Plies of the games of a match: random plies of an opening, and the record of plies."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.batches import select_rows
from jaxgames.env import Env, State


def random_opening(
    env: Env[Any],
    states: State[Any],
    noted: Int32[Array, "B plies"],
    key: PRNGKeyArray,
    num_plies: int,
) -> tuple[State[Any], Int32[Array, "B plies"]]:
    """Plays and notes random plies, but none that would end a game."""

    def ply(
        progress: tuple[State[Any], Int32[Array, "B plies"]], key: PRNGKeyArray
    ) -> tuple[tuple[State[Any], Int32[Array, "B plies"]], None]:
        states, noted = progress
        action_key, chance_key = jax.random.split(key)
        num_lanes = states.step_count.shape[0]
        words = sampling.random_words(action_key, num_lanes)
        actions = jax.vmap(env.rules.sample_action)(states.game, words)
        chance_keys = jax.random.split(chance_key, num_lanes)
        moved = jax.vmap(env.step)(states, actions, chance_keys).replace(observation=())
        is_kept = ~is_over(moved)
        noted = note(noted, states, actions, is_kept)
        return (select_rows(is_kept, moved, states), noted), None

    return jax.lax.scan(ply, (states, noted), jax.random.split(key, num_plies))[0]


def note(
    noted: Int32[Array, "B plies"],
    states: State[Any],
    actions: Int32[Array, "B"],
    mask: Bool[Array, "B"],
) -> Int32[Array, "B plies"]:
    """Writes the actions of the games in `mask`, which are in `states`, into their next column."""
    num_lanes, num_plies = noted.shape
    if num_plies == 0:
        return noted
    columns = jnp.where(mask, states.step_count, num_plies)
    return noted.at[jnp.arange(num_lanes), columns].set(actions, mode="drop")


def is_over(states: State[Any]) -> Bool[Array, "B"]:
    """Returns the mask of games that have ended."""
    return states.terminated | states.truncated
