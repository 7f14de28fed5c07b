"""Building blocks of towers, and the scale of features in a chain."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

_LECUN = nnx.initializers.lecun_normal()
_LEAST_SCALE = 1e-3


def conv3x3(
    inputs: int,
    outputs: int,
    dtype: jnp.dtype,
    rngs: nnx.Rngs,
    init: nnx.Initializer = _LECUN,
) -> nnx.Conv:
    """Returns a convolution over a cell and its eight neighbours."""
    return nnx.Conv(inputs, outputs, (3, 3), dtype=dtype, rngs=rngs, kernel_init=init)


def only_output(layer: nnx.Linear, x: Float[Array, "*rows inputs"]) -> Float[Array, "*rows"]:
    """Returns the output of a dense layer that has one, as products that are summed.

    As a matrix product it fills one column of 128 on a TPU, and XLA's compiler for an H100 finds no
    tiles for one of a million rows.
    """
    assert layer.bias is not None
    x, kernel, bias = layer.promote_dtype(
        (x, layer.kernel[...], layer.bias[...]), dtype=layer.dtype
    )
    return (x * kernel[:, 0]).sum(axis=-1) + bias[0]


def few_outputs(
    layer: nnx.Linear, x: Float[Array, "B rows inputs"]
) -> Float[Array, "B outputs rows"]:
    """Returns the outputs of a dense layer that has few of them, from a product for each of `B`.

    XLA's compiler for an H100 finds no tiles for one product of all rows, hundreds of thousands.
    """
    assert layer.bias is not None
    x, kernel, bias = layer.promote_dtype(
        (x, layer.kernel[...], layer.bias[...]), dtype=layer.dtype
    )
    kernels = jnp.broadcast_to(kernel.T, (x.shape[0], *kernel.T.shape))
    return jnp.einsum("boi,bri->bor", kernels, x) + bias[:, None]


def scaled(x: Float[Array, "B *rest"]) -> Float[Array, "B *rest"]:
    """Returns features with a mean square of one, so that they neither grow nor fade in a chain."""
    square = jnp.square(x.astype(jnp.float32))
    size = jnp.sqrt(square.mean(axis=tuple(range(1, x.ndim)), keepdims=True) + _LEAST_SCALE**2)
    return (x / size).astype(x.dtype)


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
