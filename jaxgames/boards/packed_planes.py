"""`PackedPlanes`: planes of a board as bits, which become an array of floats where they are read.

A loop that keeps whole states writes every observation. A plane of yes and no takes 4 bytes a cell
as float32 and one bit here: 44 planes of 5x5 cells are 180 bytes instead of 4,400.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, UInt32


class PlaneLayout(NamedTuple):
    """The board of some planes, and the planes that are not yes and no. Hashable."""

    height: int
    width: int
    levels: tuple[int, ...] = ()
    """Planes with the same number on all their cells, in the order of `PackedPlanes.levels`."""
    numbers: tuple[int, ...] = ()
    """Planes with a number for each cell, in the order of `PackedPlanes.numbers`."""


class PackedPlanes(struct.PyTreeNode):
    """Planes over a board. `planes.astype(jnp.float32)` is the array that a network reads.

    `planes.shape` is the shape of that array, `[*batch, height, width, planes]`. On the host,
    `numpy.asarray(planes)` gives it as well.
    """

    words: UInt32[Array, "*batch words planes"]
    """Bit `i` of word `w`: cell `w * cells + i` of the plane, where a word holds `cells` cells."""
    levels: Float[Array, "*batch levels"] | None
    """The number on the set cells of each plane of `layout.levels`; None without any."""
    numbers: Float[Array, "*batch height width numbers"] | None
    """The cells of each plane of `layout.numbers`, whose bits have no meaning; None without any."""
    layout: PlaneLayout = struct.field(pytree_node=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        *batch, _, planes = self.words.shape
        return (*batch, self.layout.height, self.layout.width, planes)

    def astype(self, dtype: Any) -> Float[Array, "*batch height width planes"]:
        """Returns the planes as an array of floats: zeros and ones, or numbers."""
        *batch, words, planes = self.words.shape
        cells = self.layout.height * self.layout.width // words
        cell_bits = np.uint32(1) << np.arange(cells, dtype=np.uint32)
        is_set = (self.words[..., None, :] & cell_bits[:, None]) != 0
        heights = jnp.ones((planes,), jnp.float32)
        for index, plane in enumerate(self.layout.levels):
            assert self.levels is not None
            heights = jnp.where(np.arange(planes) == plane, self.levels[..., index, None], heights)
        # A product instead of a concatenated plane: one fused loop.
        floats = is_set.astype(dtype) * heights[..., None, None, :].astype(dtype)
        floats = floats.reshape(*batch, self.layout.height, self.layout.width, planes)
        for index, plane in enumerate(self.layout.numbers):
            assert self.numbers is not None
            number = self.numbers[..., index, None].astype(dtype)
            floats = jnp.where(np.arange(planes) == plane, number, floats)
        return floats

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        del copy  # the array is always a new one
        return np.asarray(self.astype(jnp.float32), dtype)


def is_packed(part: Any) -> bool:
    """Returns whether a part of an observation is `PackedPlanes`, for `jax.tree.map`."""
    return isinstance(part, PackedPlanes)


def as_floats(observation: Any, dtype: Any = jnp.float32) -> Any:
    """Returns an observation whose parts are all arrays of floats."""
    return jax.tree.map(lambda part: part.astype(dtype), observation, is_leaf=is_packed)


def shapes(observation: Any) -> Any:
    """Returns the shape of each part of an observation; planes count as the array that they are."""
    return jax.tree.map(lambda part: tuple(part.shape), observation, is_leaf=is_packed)
