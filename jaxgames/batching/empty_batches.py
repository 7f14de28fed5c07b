"""Batches without rows: a function of a batch returns results without rows, and computes nothing.

Loops over a batch divide by its size, look at its last entry, or choose among its rows. With no
row, none of that has a meaning, and none of it is needed.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def allows_empty(first: str, *others: str) -> Callable[[FunctionT], FunctionT]:
    """Returns a decorator of a function of a batch whose results are rows of the same batch.

    Args:
        first: the argument whose arrays have the axis of the batch in front.
        *others: further arguments that may have rows, be absent, or None.
    """

    def decorate(function: FunctionT) -> FunctionT:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def of_any_size(*arguments: Any, **options: Any) -> Any:
            bound = signature.bind(*arguments, **options)
            if not _is_empty(bound.arguments[first]):
                return function(*arguments, **options)
            one_row = {
                name: jax.tree.map(_with_one_row, bound.arguments[name])
                for name in (first, *others)
                if name in bound.arguments
            }

            def of_one_row(rows: dict[str, Any]) -> Any:
                bound.arguments.update(rows)
                return function(*bound.args, **bound.kwargs)

            return jax.tree.map(_without_rows, jax.eval_shape(of_one_row, one_row))

        return cast(FunctionT, of_any_size)

    return decorate


def _is_empty(tree: Any) -> bool:
    leaves = jax.tree.leaves(tree)
    return bool(leaves) and all(np.shape(leaf)[:1] == (0,) for leaf in leaves)


def _with_one_row(leaf: Any) -> Any:
    if np.shape(leaf)[:1] != (0,):
        return leaf
    return jax.ShapeDtypeStruct((1, *leaf.shape[1:]), leaf.dtype)


def _without_rows(leaf: jax.ShapeDtypeStruct) -> jax.Array:
    assert leaf.shape[:1] == (1,), "a result has one row for each row of the batch"
    return jnp.zeros((0, *leaf.shape[1:]), leaf.dtype)
