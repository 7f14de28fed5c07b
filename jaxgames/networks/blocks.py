"""`ResidualBlock`: the building block of towers over square boards."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float


class ResidualBlock(nnx.Module):
    """Two 3x3 convolutions around a skip connection, without normalisation.

    The second convolution starts at zero, so a fresh tower is the identity and trains at any depth
    without running statistics: self-play and learning compute the same function.
    """

    def __init__(self, channels: int, dtype: jnp.dtype, rngs: nnx.Rngs):
        self.expand = nnx.Conv(channels, channels, (3, 3), dtype=dtype, rngs=rngs)
        self.project = nnx.Conv(
            channels, channels, (3, 3), dtype=dtype, rngs=rngs, kernel_init=nnx.initializers.zeros
        )

    def __call__(self, x: Float[Array, "B H W C"]) -> Float[Array, "B H W C"]:
        """Returns the block's output, of the same shape."""
        return jax.nn.relu(x + self.project(jax.nn.relu(self.expand(x))))
