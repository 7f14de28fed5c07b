"""Operations on batches of games: pytrees whose leaves have a leading axis `B`."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool


def select_rows(mask: Bool[Array, "B"], new: Any, old: Any) -> Any:
    """Returns the rows of `new` where `mask` holds, else those of `old`."""
    return jax.tree.map(
        lambda x, y: jnp.where(mask.reshape(mask.shape + (1,) * (x.ndim - 1)), x, y), new, old
    )
