"""Records of random games."""

import functools
from typing import Any

import jax
import numpy as np

from jaxgames import records
from jaxgames.env import Env
from jaxgames.records import Record


@functools.cache
def random_game(env: Env[Any], seed: int, most: int | None = None) -> Record:
    """Returns the record of a random game, or of its first plies."""
    key = jax.random.key(seed)
    start = state = env.init(key)
    actions, keys = [], []
    while not (state.terminated or state.truncated) and len(actions) != most:
        key, action_key, step_key = jax.random.split(key, 3)
        actions.append(int(env.sample_action(state, action_key)))
        keys.append(step_key)
        state = env.step(state, np.int32(actions[-1]), step_key)
    seats = [f"agent_{seat}" for seat in range(env.num_players)]
    return records.from_actions(env, start, actions, seats, keys=keys)
