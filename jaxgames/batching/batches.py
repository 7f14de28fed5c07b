"""Operations on batches of games: pytrees whose leaves have a leading axis `B`."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray


def select_rows(mask: Bool[Array, "B"], new: Any, old: Any) -> Any:
    """Returns the rows of `new` where `mask` holds, else those of `old`."""
    return jax.tree.map(
        lambda x, y: jnp.where(mask.reshape(mask.shape + (1,) * (x.ndim - 1)), x, y), new, old
    )


def fold_in(key: PRNGKeyArray, number: Int32[Array, "*any"]) -> PRNGKeyArray:
    """Returns a key for each lane, by folding in a number for each lane or one for all."""
    axes = (0 if key.ndim else None, 0 if number.ndim else None)
    return jax.vmap(jax.random.fold_in, in_axes=axes)(key, number)
