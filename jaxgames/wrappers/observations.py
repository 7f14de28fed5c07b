"""Observations for the interfaces of other libraries, where trees are dictionaries."""

from collections.abc import Callable
from typing import Any


def as_dict(observation: Any) -> Any:
    """Returns an observation of several arrays as a dictionary, and a single array as it is."""
    return observation._asdict() if hasattr(observation, "_asdict") else observation


def make_space(shape: Any, of_array: Callable[..., Any], of_dict: Callable[..., Any]) -> Any:
    """Returns the space of observations of a shape, from a library's two kinds of spaces."""
    shape = as_dict(shape)
    if isinstance(shape, dict):
        return of_dict({name: of_array(part) for name, part in shape.items()})
    return of_array(shape)
