"""Random keys as words: for loops with a key for each iteration, and for the host."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array


def keys_as_words(
    inputs: list[Any], places: list[int | None]
) -> tuple[list[Any], Callable[[list[Array]], list[Array]]]:
    """Returns the inputs with words in the place of random keys, and the function that undoes it.

    An input with a place stays as it is. `jax_debug_key_reuse` takes a key that a loop reads for
    one that each iteration uses; words it leaves alone.
    """
    kinds = [
        jax.random.key_impl(x) if place is None and _is_key(x) else None
        for x, place in zip(inputs, places, strict=True)
    ]

    def with_keys(words: list[Array]) -> list[Array]:
        return [
            x if kind is None else jax.random.wrap_key_data(x, impl=kind)
            for x, kind in zip(words, kinds, strict=True)
        ]

    words = [
        x if kind is None else jax.random.key_data(x) for x, kind in zip(inputs, kinds, strict=True)
    ]
    return words, with_keys


def as_numpy(x: Any) -> np.ndarray:
    """Returns an array as a NumPy array; for random keys, their words."""
    return np.asarray(jax.random.key_data(x) if _is_key(x) else x)


def _is_key(x: Any) -> bool:
    return isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.prng_key)
