"""Named groups of the planes and numbers that an observation consists of.

A layout is two tables: what there is once, then what there is for each seat, the viewer first.
"""

from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


class Feature(NamedTuple):
    """A group of planes or numbers."""

    name: str
    size: int
    meaning: str


Features = tuple[Feature, ...]


def size_of(common: Features, by_seat: Features, players: int) -> int:
    """Returns the number of planes or numbers of a layout."""
    return sum(f.size for f in common) + players * sum(f.size for f in by_seat)


def slices(common: Features, by_seat: Features, players: int) -> dict[str, slice]:
    """Returns where each group is: by its name, and as `0/name`, `1/name` for each seat."""
    named = [(feature.name, feature.size) for feature in common]
    named += [(f"{seat}/{f.name}", f.size) for seat in range(players) for f in by_seat]
    ends = np.cumsum([size for _, size in named]).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(named, ends, strict=True)}


def join(
    table: Features, parts: Mapping[str, Array], leading: tuple[int, ...] = ()
) -> Float[Array, "*leading size"]:
    """Returns the parts side by side in the order of their table.

    Args:
        table: the groups.
        parts: for each group `[*leading, size]`, or `[*leading]` for one plane or number.
        leading: axes that all parts share.

    Raises:
        ValueError: for parts that are not those of the table, or of another size.
    """
    names = [feature.name for feature in table]
    if set(parts) != set(names):
        raise ValueError(f"expected the features {', '.join(names)}; got {', '.join(parts)}")
    joined = []
    for feature in table:
        part = jnp.asarray(parts[feature.name], jnp.float32)
        shape = (*leading, feature.size)
        if part.shape != shape and (feature.size > 1 or part.shape != leading):
            raise ValueError(f"feature {feature.name} must have shape {shape}, got {part.shape}")
        joined.append(part.reshape(shape))
    return jnp.concatenate(joined, axis=-1)
