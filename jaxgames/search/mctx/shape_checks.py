"""Checks of what callers pass and models return: messages name the field and the expected shape.

Shapes are known when a program is traced, so the checks cost nothing in it.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from jaxgames.search.mctx.base import RootFnOutput


def check_roots(root: RootFnOutput, invalid_actions: Any) -> None:
    """Checks the roots and the mask of invalid actions, which may be None.

    Raises:
        ValueError: for a shape that does not fit that of the logits.
    """
    shape = jnp.shape(root.prior_logits)
    if len(shape) != 2:
        raise ValueError(f"root.prior_logits must have the shape [B, num_actions], got {shape}")
    check_shape("root.value", root.value, shape[:1])
    if invalid_actions is not None:
        check_shape("invalid_actions", invalid_actions, shape)
    for path, leaf in jax.tree_util.tree_leaves_with_path(root.embedding):
        if jnp.shape(leaf)[:1] != shape[:1]:
            name = f"root.embedding{jax.tree_util.keystr(path)}"
            raise ValueError(
                f"{name} must begin with the axis of the {shape[0]} roots, got the shape "
                f"{jnp.shape(leaf)}"
            )


def check_output(output: Any, batch: tuple[int, ...]) -> None:
    """Checks the numbers that a model returns for each lane.

    Raises:
        ValueError: for another shape than that of the batch.
    """
    for field in dataclasses.fields(output):
        found = getattr(output, field.name)
        if found is not None and not field.name.endswith("logits"):
            check_shape(f"{field.name} of {type(output).__name__}", found, batch)


def check_shape(name: str, found: Any, expected: tuple[int, ...]) -> None:
    """Checks the shape of what a model or a caller returned.

    Raises:
        ValueError: for another shape; names it and the right one.
    """
    if jnp.shape(found) != expected:
        raise ValueError(f"{name} must have the shape {expected}, got {jnp.shape(found)}")
