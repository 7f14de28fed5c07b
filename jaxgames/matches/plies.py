"""Plies of the games of a match: random plies of an opening, and the record of plies."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batching.trees import select_rows
from jaxgames.env import Env
from jaxgames.state import State

_MULTIPLIER = 0x9E3779B1  # odd, near 2^32 divided by the golden ratio (Knuth)


class PlyRecord(NamedTuple):
    """Plies of games by step count; zero after the end. No columns if there is no record."""

    actions: Int32[Array, "B plies"]
    keys: UInt32[Array, "B chances words"]
    """Data of the random key of each step; no columns in games without chance."""
    hashes: UInt32[Array, "B"]
    """Of all actions of each game so far, in their order; also without a record."""


def nothing(env: Env[Any], num_games: int, num_plies: int) -> PlyRecord:
    """Returns room for the plies of games that have none yet."""
    key: Any = jax.eval_shape(lambda: jax.random.key_data(jax.random.key(0)))
    chances = num_plies if env.rules.stochastic else 0
    return PlyRecord(
        jnp.zeros((num_games, num_plies), jnp.int32),
        jnp.zeros((num_games, chances, *key.shape), key.dtype),
        jnp.zeros(num_games, jnp.uint32),
    )


def random_opening(
    env: Env[Any], states: State[Any], noted: PlyRecord, key: PRNGKeyArray, num_plies: int
) -> tuple[State[Any], PlyRecord]:
    """Plays and notes random plies, but none that would end a game."""

    def ply(
        progress: tuple[State[Any], PlyRecord], key: PRNGKeyArray
    ) -> tuple[tuple[State[Any], PlyRecord], None]:
        states, noted = progress
        action_key, chance_key = jax.random.split(key)
        num_lanes = states.step_count.shape[0]
        words = sampling.random_words(action_key, num_lanes)
        actions = jax.vmap(env.rules.sample_action)(states.game, words)
        chance_keys = jax.random.split(chance_key, num_lanes)
        moved = jax.vmap(env.step)(states, actions, chance_keys).replace(observation=())
        is_kept = ~is_over(moved)
        noted = note(noted, states, actions, chance_keys, is_kept)
        return (select_rows(is_kept, moved, states), noted), None

    return jax.lax.scan(ply, (states, noted), jax.random.split(key, num_plies))[0]


def note(
    noted: PlyRecord,
    states: State[Any],
    actions: Int32[Array, "B"],
    keys: PRNGKeyArray,
    mask: Bool[Array, "B"],
) -> PlyRecord:
    """Notes the plies of the games in `mask`, which are in `states`: each in its next column."""

    def written(columns: Array, values: Array) -> Array:
        num_lanes, num_plies = columns.shape[:2]
        if num_plies == 0:
            return columns
        places = jnp.where(mask, states.step_count, num_plies)
        return columns.at[jnp.arange(num_lanes), places].set(values, mode="drop")

    return PlyRecord(
        written(noted.actions, actions),
        written(noted.keys, jax.random.key_data(keys)),
        jnp.where(mask, add_to_hash(noted.hashes, actions), noted.hashes),
    )


def add_to_hash(hashes: UInt32[Array, "*B"], actions: Int32[Array, "*B"]) -> UInt32[Array, "*B"]:
    """Returns the hashes of sequences of actions, with one more action each."""
    mixed = (hashes ^ actions.astype(jnp.uint32)) * jnp.uint32(_MULTIPLIER) + jnp.uint32(1)
    return mixed ^ (mixed >> 15)


def is_over(states: State[Any]) -> Bool[Array, "B"]:
    """Returns the mask of games that have ended."""
    return states.terminated | states.truncated
