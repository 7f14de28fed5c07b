"""The layers that actors and critic share: a board and vectors of numbers become features.

Source: Dasgupta and Chong, "Mastering the game of Onitama with Reinforcement Learning" (2021). The
kernel sizes, the number of the first channels, the width of the first dense layer and the
activations are our choice: the report shows them in figures that cannot be read.

**Normalisation.** While learning, a batch is normalised by its own statistics. Everywhere else the
running averages are used, which are among the parameters.

The 3x3 convolutions are written as products of matrices. Learners with different seeds compute side
by side (`jax.vmap`), which turns ordinary convolutions into grouped ones. With grouped convolutions
a gradient step on two cores takes 5 times as long for one learner and 1.2 times as long for four.
"""

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, PRNGKeyArray

from jaxgames.networks.pooling import largest
from papers.onitama_report.config import NetworkConfig

MOMENTUM = 0.9  # of the running averages, in gradient steps
WINDOW = 3  # squares along a side of what a convolution sees
SMALL_WEIGHT = 3e-3  # greatest first weight of the layer "actions" and of the critic's value
SMALLEST_SIDE = 4  # of a board that is halved twice


class Convolution(nnx.Module):
    """A 3x3 convolution, zeros beyond the edge, and a batch normalisation."""

    def __init__(self, inputs: int, outputs: int, rngs: nnx.Rngs):
        # No bias: the normalisation has one.
        self.kernel = nnx.Linear(WINDOW**2 * inputs, outputs, use_bias=False, rngs=rngs)
        self.norm = nnx.BatchNorm(outputs, momentum=MOMENTUM, rngs=rngs)

    def __call__(self, x: Float[Array, "B H W inputs"]) -> Float[Array, "B H W outputs"]:
        """Returns the normalised sums, before any non-linearity."""
        height, width = x.shape[1:3]
        padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        steps = range(WINDOW)
        shifted = [padded[:, i : i + height, j : j + width] for i in steps for j in steps]
        return self.norm(self.kernel(jnp.concatenate(shifted, axis=-1)))


class Preprocess(nnx.Module):
    """Turns a board and vectors of numbers into features."""

    def __init__(
        self,
        board: tuple[int, int, int],
        vectors: tuple[int, ...],
        config: NetworkConfig,
        rngs: nnx.Rngs,
    ):
        planes, height, width = board
        self.convolutions = nnx.List(
            [
                Convolution(planes, config.channels, rngs),
                Convolution(config.channels, 2 * config.channels, rngs),
            ]
        )
        self.vectors = nnx.List([nnx.Linear(size, size, rngs=rngs) for size in vectors])
        squares = (height // 4) * (width // 4)
        self.first = nnx.Linear(
            squares * 2 * config.channels + sum(vectors), config.hidden, rngs=rngs
        )
        self.second = nnx.Linear(config.hidden, config.hidden, rngs=rngs)

    def __call__(
        self, board: Float[Array, "B planes H W"], *vectors: Float[Array, "B N"]
    ) -> Float[Array, "B hidden"]:
        """Returns the features of each position."""
        x = jnp.moveaxis(board, 1, -1)
        for convolution in self.convolutions:
            x = _halve(jax.nn.relu(convolution(x)))
        parts = [x.reshape(x.shape[0], -1)]
        for layer, vector in zip(self.vectors, vectors, strict=True):
            parts.append(jax.nn.relu(layer(vector)))
        x = jax.nn.relu(self.first(jnp.concatenate(parts, axis=-1)))
        return jax.nn.relu(self.second(x))


def small_weights(key: PRNGKeyArray, shape: tuple[int, ...], dtype: Any) -> Array:
    """Returns the weights of a last layer as in the DDPG paper: a fresh actor has no preference.

    With larger ones a fresh critic's chance opinions make a policy certain before it has learned.
    """
    return jax.random.uniform(key, shape, dtype, -SMALL_WEIGHT, SMALL_WEIGHT)


def _halve(x: Float[Array, "B H W C"]) -> Float[Array, "B H2 W2 C"]:
    """Returns the maxima of all whole blocks of 2x2 squares."""
    batch, height, width, channels = x.shape
    height, width = height // 2, width // 2
    blocks = x[:, : 2 * height, : 2 * width].reshape(batch, height, 2, width, 2, channels)
    return largest(blocks, (2, 4))
