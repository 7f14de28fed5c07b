"""Checks of what `Env` is given at the host boundary: states, actions and texts."""

import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from jaxgames.state import State
from jaxgames.types import Action


def from_host(tree: Any) -> Any:
    """Returns a pytree with JAX arrays for NumPy arrays, which rules need not accept."""
    return jax.tree.map(
        lambda x: jnp.asarray(x) if isinstance(x, np.ndarray | np.generic) else x, tree
    )


def check_type(state: Any, where: str) -> None:
    """Raises a `ValueError` that names the method `where` unless `state` is a `State`."""
    if not isinstance(state, State):
        raise ValueError(f"{where} takes the State of one game, got {type(state).__name__}")


def batch_error(where: str, shape: tuple[int, ...]) -> ValueError:
    """Returns the error of the method `where` for a batch of some shape."""
    return ValueError(
        f"{where} takes the state of one game, got a batch of shape {shape}; "
        f"for a batch use jax.vmap(env.{where})"
    )


def check_action(action: Action, num_actions: int) -> Int32[Array, ""]:
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


def check_number(action: int) -> int:
    """Returns the number of an action as `int`; a `ValueError` if it is no whole number."""
    try:
        return operator.index(action)
    except TypeError:
        raise ValueError(f"expected the number of an action, got {action!r}") from None


def check_text(text: str) -> str:
    """Returns the text; a `ValueError` if it is none."""
    if not isinstance(text, str):
        raise ValueError(f"expected a text, got {text!r}")
    return text
