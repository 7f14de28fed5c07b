"""The largest of many numbers, with a gradient that is safe."""

import functools

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def largest(x: Float[Array, "..."], axes: tuple[int, ...]) -> Float[Array, "..."]:
    """Returns the maxima over some axes; the gradient goes to the first of the largest numbers.

    The gradient of `jnp.max` looks for the numbers that equal the maximum and divides by how many
    they are. XLA may compute a number twice and round it in two ways, so that none is equal and the
    gradient is 0 / 0.
    """
    return x.max(axis=axes)


@largest.defjvp
def _largest_jvp(
    axes: tuple[int, ...], primals: tuple[Array], tangents: tuple[Array]
) -> tuple[Array, Array]:
    (x,), (change,) = primals, tangents
    last = tuple(range(-len(axes), 0))
    rows, changes = (
        jnp.moveaxis(values, axes, last).reshape(*_kept(values.shape, axes), -1)
        for values in (x, change)
    )
    is_first = jnp.arange(rows.shape[-1]) == rows.argmax(axis=-1)[..., None]
    return largest(x, axes), jnp.where(is_first, changes, 0).sum(axis=-1)


def _kept(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)
