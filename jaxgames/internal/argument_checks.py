"""Checks of the keys, seats and actions that a caller passes to an `Env` or to rules.

Shapes and types are always checked. The value of a traced argument is not known, so it is not.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, PRNGKeyArray


def check_key(key: PRNGKeyArray, where: str) -> None:
    """Checks that `key` is one random key, for the method `where` of an `Env` or its rules.

    Raises:
        ValueError: if it is another value, or a batch of keys.
    """
    if not isinstance(key, jax.Array | np.ndarray):
        raise ValueError(f"{where} takes a random key, for instance jax.random.key(0); got {key!r}")
    is_typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    if key.shape != (() if is_typed else (2,)):
        raise ValueError(
            f"{where} takes one random key, got shape {key.shape}; "
            f"for a batch of games use jax.vmap(env.{where})"
        )


def check_seat(seat: Array | int, num_players: int, where: str) -> Int32[Array, ""]:
    """Returns a seat as int32; a traced seat is not compared with the number of seats.

    Raises:
        ValueError: if it is not one integer, or there is no such seat.
    """
    if np.shape(seat) != ():
        raise ValueError(f"{where} takes one seat, got shape {np.shape(seat)}; use jax.vmap")
    if isinstance(seat, jax.core.Tracer):
        return seat.astype(jnp.int32)
    number = np.asarray(seat).item()
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < num_players:
        raise ValueError(f"{where} takes a seat from 0 to {num_players - 1}, got {seat!r}")
    return jnp.int32(number)


def check_action(action: Array, num_actions: int) -> Int32[Array, ""]:
    """Returns the action as int32; a number out of range stays out of range.

    Raises:
        ValueError: if it is not one integer.
    """
    if not isinstance(action, jax.Array):
        action = np.asarray(action)
    if action.shape != ():
        raise ValueError(
            f"step takes one action, got shape {action.shape}; for a batch use jax.vmap(env.step)"
        )
    if isinstance(action, jax.Array):
        if not jnp.issubdtype(action.dtype, jnp.integer):
            raise ValueError(f"step takes an integer action, got dtype {action.dtype}")
        if action.dtype.itemsize > 4:  # the conversion would drop the upper bits
            action = jnp.where((action >= 0) & (action < num_actions), action, -1)
        return action.astype(jnp.int32)
    number = action.item()
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"step takes an integer action, got dtype {action.dtype}")
    return jnp.int32(number if 0 <= number < num_actions else -1)


def check_actions(actions: Any, count: int, num_actions: int) -> np.ndarray:
    """Returns the actions of a batch of games as `[count]` int32; numbers out of range are -1.

    Raises:
        ValueError: for another number of actions, or actions that are no integers.
    """
    numbers = np.asarray(actions)
    if numbers.shape != (count,):
        raise ValueError(f"expected {count} actions, got shape {numbers.shape}")
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"step takes integer actions, got dtype {numbers.dtype}")
    exists = (numbers >= 0) & (numbers < num_actions)
    return np.where(exists, numbers, -1).astype(np.int32)
