"""Observations for the interfaces of other libraries, where trees are dictionaries."""

from typing import Any


def as_dict(observation: Any) -> Any:
    """Returns an observation of several arrays as a dictionary, and a single array as it is."""
    return observation._asdict() if hasattr(observation, "_asdict") else observation
