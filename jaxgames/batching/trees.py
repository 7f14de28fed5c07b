"""Whole structures of arrays: choosing between them, stacking them."""

from collections.abc import Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

T = TypeVar("T")


def choose(condition: Bool[Array, ""], one: T, other: T) -> T:
    """Returns `one` if the condition holds, else `other`; both are computed."""
    return jax.tree.map(lambda a, b: a if a is b else jnp.where(condition, a, b), one, other)


def stack(items: Sequence[T]) -> T:
    """Returns structures stacked into one, whose NumPy arrays have a new leading axis.

    Raises:
        ValueError: if there is none.
    """
    if not items:
        raise ValueError("expected at least one position, got none")
    return jax.tree.map(lambda *leaves: np.stack(leaves), *items)
