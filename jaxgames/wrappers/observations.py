"""Observations for the interfaces of other libraries: arrays of floats, trees as dictionaries."""

from typing import Any

import jax
import jax.numpy as jnp


def as_floats(observation: Any) -> Any:
    """Returns an observation with all its arrays as float32."""
    return jax.tree.map(lambda array: array.astype(jnp.float32), observation)


def as_dict(observation: Any) -> Any:
    """Returns an observation of several arrays as a dictionary, and a single array as it is."""
    return observation._asdict() if hasattr(observation, "_asdict") else observation
