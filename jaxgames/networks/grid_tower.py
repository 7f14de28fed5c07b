"""`GridTower`: the part that the towers `hex` and `tile` share.

Their observation is a grid of cells and a vector of numbers for the whole board. In each block the
vector is added to every cell, and the mean and the maximum of all cells are added to the vector.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float

from jaxgames.networks.network import Network
from jaxgames.networks.pooling import largest
from jaxgames.networks.prediction import NetworkOutput, PredictedScores, num_outputs, of_all_seats

Conv = Callable[..., Any]
"""`(inputs, outputs, dtype, rngs[, init])`: a convolution over a cell and its neighbours."""


class GridBlock(nnx.Module):
    """Two convolutions around a skip connection, and an exchange with the vector of numbers.

    `hear` leads from the vector to the cells, `tell` from the cells to the vector. As in the square
    tower, a fresh block is the identity.
    """

    def __init__(self, conv: Conv, channels: int, numbers: int, dtype: jnp.dtype, rngs: nnx.Rngs):
        zeros = nnx.initializers.zeros
        self.expand = conv(channels, channels, dtype, rngs)
        self.project = conv(channels, channels, dtype, rngs, zeros)
        self.hear = nnx.Linear(numbers, channels, dtype=dtype, rngs=rngs)
        self.tell = nnx.Linear(2 * channels, numbers, dtype=dtype, rngs=rngs, kernel_init=zeros)

    def __call__(
        self,
        x: Float[Array, "B H W C"],
        numbers: Float[Array, "B N"],
        on_board: Float[Array, "H W 1"],
    ) -> tuple[Float[Array, "B H W C"], Float[Array, "B N"]]:
        """Returns cells and numbers after the block."""
        heard = self.hear(numbers)[:, None, None]
        inner = jax.nn.relu(self.expand(x) + heard) * on_board
        x = jax.nn.relu(x + self.project(inner)) * on_board
        mean = x.sum(axis=(1, 2)) / on_board.sum()
        change = self.tell(jnp.concatenate([mean, largest(x, (1, 2))], axis=-1))
        return x, jax.nn.relu(numbers + change)


class GridFeatures(NamedTuple):
    """What a tower knows of a position after all blocks."""

    cells: Float[Array, "B H W C"]
    numbers: Float[Array, "B N"]
    chosen: Float[Array, "B tiles"] | None = None
    """One at the tile that the first ply of an action chose; zeros in the first ply. None in games
    without such actions."""
    mover: Float[Array, "B players"] | None = None
    """How likely each seat is to move, the observer of cells and numbers first. None: the observer
    moves."""


class GridTower(nnx.Module):
    """The tower over a grid `[B, H, W, planes]` and a vector `[B, numbers]`, with value and scores.

    Value and scores are given for each seat, the observer first. A subclass gives the convolution
    and the policy.
    """

    def __init__(self, conv: Conv, network: Network, dtype: jnp.dtype, rngs: nnx.Rngs):
        config = network.config
        (height, width, planes), (numbers,) = network.board
        self.size = (height, width)
        self.num_players = network.num_players
        dense = functools.partial(nnx.Linear, dtype=dtype, rngs=rngs)
        channels, common = config.channels, config.common_channels
        self.numbers = dense(numbers, common)
        self.stem = conv(planes, channels, dtype, rngs)
        self.stem_hears = dense(common, channels)
        self.tower = nnx.List(
            [GridBlock(conv, channels, common, dtype, rngs) for _ in range(config.blocks)]
        )
        self.cells = dense(channels, config.value_channels)
        self.summary = dense(height * width * config.value_channels + common, config.value_hidden)
        zeros = nnx.initializers.zeros
        outputs = num_outputs(self.num_players)
        self.value = dense(config.value_hidden, outputs, kernel_init=zeros)
        self.predicts_scores = network.predicts_scores
        if self.predicts_scores:
            self.points = dense(config.value_hidden, self.num_players, kernel_init=zeros)
            self.lead = dense(config.value_hidden, outputs, kernel_init=zeros)

    def through_tower(
        self,
        grid: Float[Array, "B H W planes"],
        vector: Float[Array, "B numbers"],
        on_board: Float[Array, "H W 1"],
    ) -> tuple[Float[Array, "B H W C"], Float[Array, "B N"]]:
        """Returns cells and numbers after all blocks."""
        numbers = jax.nn.relu(self.numbers(vector))
        x = self.stem(grid) + self.stem_hears(numbers)[:, None, None]
        x = jax.nn.relu(x) * on_board
        for block in self.tower:
            x, numbers = block(x, numbers, on_board)
        return x, numbers

    def summarise(
        self, cells: Float[Array, "B cells C"], numbers: Float[Array, "B N"]
    ) -> Float[Array, "B S"]:
        """Returns features of the whole position."""
        of_cells = jax.nn.relu(self.cells(cells)).reshape(cells.shape[0], -1)
        return jax.nn.relu(self.summary(jnp.concatenate([of_cells, numbers], axis=-1)))

    def with_values(
        self,
        logits: Float[Array, "B actions"],
        summary: Float[Array, "B S"],
        mover: Float[Array, "B players"] | None,
    ) -> NetworkOutput:
        """Returns logits and values, with scores if the network predicts them.

        Args:
            logits: of all actions.
            summary: features of the whole position as its observer sees it.
            mover: how likely each seat is to move, the observer first; None: the observer moves.
        """
        value = jnp.tanh(self.value(summary).astype(jnp.float32))
        scores = None
        if self.predicts_scores:
            lead = of_all_seats(self.lead(summary), self.num_players)
            points = self.points(summary)
            scores = PredictedScores(points.astype(jnp.float32), lead.astype(jnp.float32))
        values = of_all_seats(value, self.num_players)
        if mover is not None:
            values, scores = jax.tree.map(lambda x: mover_first(x, mover), (values, scores))
        return NetworkOutput(logits.astype(jnp.float32), values, scores)


def mover_first(
    numbers: Float[Array, "B players"], mover: Float[Array, "B players"]
) -> Float[Array, "B players"]:
    """Returns numbers of all seats in turn order from the seat to move on.

    Args:
        numbers: of each seat, the observer first.
        mover: how likely each seat is to move, the observer first; the result is the mean.
    """
    players = numbers.shape[-1]
    seat = (np.arange(players)[:, None] + np.arange(players)) % players
    return jnp.einsum("bs,bsp->bp", mover.astype(numbers.dtype), numbers[:, seat])
