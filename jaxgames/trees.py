"""Choosing between whole structures of arrays."""

from typing import TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool

T = TypeVar("T")


def choose(condition: Bool[Array, ""], one: T, other: T) -> T:
    """Returns `one` if the condition holds, else `other`; both are computed."""
    return jax.tree.map(lambda a, b: a if a is b else jnp.where(condition, a, b), one, other)
