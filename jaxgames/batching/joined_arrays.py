"""`JoinedArrays`: how small arrays stand side by side in one array, to be read and written at once.

A gather or a scatter costs a kernel of its own, whatever it moves. So small arrays of one dtype are
moved together, some of them at a time; large arrays stay alone, since joining copies them.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from jaxgames.internal import device_kind

_MOST_NUMBERS = 32  # of a row that is joined


class JoinedArrays:
    """A list of arrays with the same leading axes, of which small ones are joined.

    Args:
        arrays: the arrays, or their shapes and dtypes.
        axes: number of leading axes, which all arrays share.
    """

    def __init__(self, arrays: Sequence[Any], axes: int) -> None:
        self._rows = [jax.ShapeDtypeStruct(x.shape[axes:], x.dtype) for x in arrays]
        by_dtype: dict[Any, list[int]] = {}
        self._parts: list[list[int]] = []  # places in the list, of each array after joining
        for place, row in enumerate(self._rows):
            if math.prod(row.shape) > _MOST_NUMBERS:
                self._parts.append([place])
            elif len(by_dtype.get(row.dtype, ())) % device_kind.MOST_CONCATENATED:
                by_dtype[row.dtype].append(place)
            else:
                by_dtype[row.dtype] = [place]
                self._parts.append(by_dtype[row.dtype])

    def join(self, arrays: Sequence[Array]) -> list[Array]:
        """Returns the arrays, joined where they are small."""

        def joined(places: list[int]) -> Array:
            if len(places) == 1:
                return arrays[places[0]]
            first = arrays[places[0]]
            leading = first.shape[: first.ndim - len(self._rows[places[0]].shape)]
            flat = [arrays[place].reshape(*leading, -1) for place in places]
            return jnp.concatenate(flat, axis=-1)

        return [joined(places) for places in self._parts]

    def split(self, joined: Sequence[Array]) -> list[Array]:
        """Returns the arrays that `join` joined; leading axes may differ from those."""
        found: dict[int, Array] = {}
        for array, places in zip(joined, self._parts, strict=True):
            if len(places) == 1:
                found[places[0]] = array
                continue
            leading, start = array.shape[:-1], 0
            for place in places:
                row = self._rows[place]
                end = start + math.prod(row.shape)
                found[place] = array[..., start:end].reshape(*leading, *row.shape)
                start = end
        return [found[place] for place in range(len(self._rows))]
