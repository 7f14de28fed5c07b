"""Whole structures of arrays, of one game or of a batch: choosing between them, stacking them."""

from collections.abc import Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

T = TypeVar("T")


def choose(condition: Bool[Array, ""], one: T, other: T) -> T:
    """Returns `one` if the condition holds, else `other`; both are computed."""
    return jax.tree.map(lambda a, b: a if a is b else jnp.where(condition, a, b), one, other)


def select_rows(mask: Bool[Array, "B"], new: Any, old: Any) -> Any:
    """Returns the rows of `new` where `mask` holds, else those of `old`."""
    return jax.tree.map(
        lambda x, y: jnp.where(mask.reshape(mask.shape + (1,) * (x.ndim - 1)), x, y), new, old
    )


def stack(items: Sequence[T]) -> T:
    """Returns structures stacked into one, whose NumPy arrays have a new leading axis.

    Raises:
        ValueError: if there is none.
    """
    if not items:
        raise ValueError("expected at least one position, got none")
    return jax.tree.map(lambda *leaves: np.stack(leaves), *items)


def fold_in(key: PRNGKeyArray, number: Int32[Array, "*any"]) -> PRNGKeyArray:
    """Returns a key for each lane, by folding in a number for each lane or one for all."""
    axes = (0 if key.ndim else None, 0 if number.ndim else None)
    return jax.vmap(jax.random.fold_in, in_axes=axes)(key, number)
