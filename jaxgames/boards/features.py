"""Named groups of the planes and numbers that an observation consists of.

A layout is two tables: the groups that occur once, then the groups of each seat, viewer first.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from jaxgames.boards import bits


class Feature(NamedTuple):
    """A group of planes or numbers."""

    name: str
    size: int
    meaning: str


Features = tuple[Feature, ...]


class OneHot(NamedTuple):
    """Planes of which at most one is 1; the others are 0."""

    plane: Int[Array, "*leading"]
    """Number of the plane that is 1; if there is no such plane, all are 0."""


def layout(common: Features, by_seat: Features, players: int) -> Features:
    """Returns all groups in order; those of seats are named `0/name`, `1/name`, ..."""
    of_seats = [f._replace(name=f"{seat}/{f.name}") for seat in range(players) for f in by_seat]
    return (*common, *of_seats)


def slices(common: Features, by_seat: Features, players: int) -> dict[str, slice]:
    """Returns the slice of each group, by the names of `layout`."""
    named = layout(common, by_seat, players)
    ends = np.cumsum([feature.size for feature in named]).tolist()
    return {f.name: slice(end - f.size, end) for f, end in zip(named, ends, strict=True)}


def join(
    table: Features, parts: Mapping[str, Array | OneHot], leading: tuple[int, ...] = ()
) -> Float[Array, "*leading size"]:
    """Returns the parts side by side in the order of their table.

    Neighbouring `OneHot` parts cost little: they are joined as bits, which are then unpacked.

    Args:
        table: the groups.
        parts: for each group `[*leading, size]`, or `[*leading]` for one plane or number, or
            `OneHot`.
        leading: axes that all parts share.

    Raises:
        ValueError: if names or sizes of the parts differ from the table.
    """
    names = [feature.name for feature in table]
    if set(parts) != set(names):
        raise ValueError(f"expected the features {', '.join(names)}; got {', '.join(parts)}")
    joined: list[Array] = []
    for is_one_hot, group in itertools.groupby(
        table, lambda feature: isinstance(parts[feature.name], OneHot)
    ):
        if is_one_hot:
            joined.append(_spread(list(group), parts, leading))
        else:
            joined += [_planes(feature, parts[feature.name], leading) for feature in group]
    return jnp.concatenate(joined, axis=-1)


def _planes(feature: Feature, part: Any, leading: tuple[int, ...]) -> Float[Array, "*leading size"]:
    part = jnp.asarray(part, jnp.float32)
    shape = (*leading, feature.size)
    if part.shape != shape and (feature.size > 1 or part.shape != leading):
        raise ValueError(f"feature {feature.name} must have shape {shape}, got {part.shape}")
    return part.reshape(shape)


def _spread(
    group: Sequence[Feature], parts: Mapping[str, Any], leading: tuple[int, ...]
) -> Float[Array, "*leading size"]:
    """Returns the planes of neighbouring parts that are `OneHot`."""
    size = sum(feature.size for feature in group)
    words = [jnp.zeros(leading, jnp.uint32)] * -(-size // bits.WORD_BITS)
    first = 0
    for feature in group:
        index = jnp.asarray(parts[feature.name].plane, jnp.int32)
        if index.shape != leading:
            raise ValueError(
                f"feature {feature.name} must have indices of shape {leading}, got {index.shape}"
            )
        plane = jnp.where((index >= 0) & (index < feature.size), first + index, -1)
        first += feature.size
        for number in range((first - feature.size) // bits.WORD_BITS, len(words)):
            words[number] |= bits.single(plane - bits.WORD_BITS * number)
    packed = bits.computed_once(jnp.stack(words, axis=-1))
    spread = packed[..., None] >> np.arange(bits.WORD_BITS, dtype=np.uint32) & 1
    return spread.reshape(*leading, -1)[..., :size].astype(jnp.float32)
