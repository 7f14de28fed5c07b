"""A residual tower for hexagonal boards, with numbers that belong to no cell.

The observation is a grid in offset rows (odd rows shifted right by half a cell, `boards/hex.py`)
and a vector. Inside, rows are shifted so that the six neighbours of any cell lie at the same six
places of a 3x3 window: all but two opposite corners. So a layer is an ordinary convolution whose
kernel has seven weights, and the price is a wider board: six layers of 32 channels on 64 boards of
9 x 13 cells take 12 ms of one CPU core, square ones 9 ms, and 30 ms if neighbours are gathered.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float

from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.grid_tower import GridTower
from jaxgames.networks.network import Network, Tower, make_network_over_pair
from jaxgames.networks.prediction import Prediction
from jaxgames.rules import CellActions

# Which of the seven weights stands at each place of the window, row by row; None: no neighbour.
_WINDOW = (None, 0, 1, 2, 3, 4, 5, 6, None)
_WEIGHTS = 7
_LECUN = nnx.initializers.lecun_normal()


class HexConv(nnx.Module):
    """A convolution over a cell and its six neighbours, on shifted rows `[B, H, W, C]`."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        dtype: jnp.dtype,
        rngs: nnx.Rngs,
        init: nnx.Initializer = _LECUN,
    ):
        kernel = init(rngs.params(), (_WEIGHTS * inputs, outputs), jnp.float32)
        self.kernel = nnx.Param(kernel.reshape(_WEIGHTS, inputs, outputs))
        self.bias = nnx.Param(jnp.zeros((outputs,), jnp.float32))
        self.dtype = dtype

    def __call__(self, x: Float[Array, "B H W inputs"]) -> Float[Array, "B H W outputs"]:
        """Returns the sum over the neighbourhood of each cell."""
        kernel = self.kernel[...].astype(self.dtype)
        nothing = jnp.zeros_like(kernel[0])
        window = [nothing if place is None else kernel[place] for place in _WINDOW]
        summed = jax.lax.conv_general_dilated(
            x.astype(self.dtype),
            jnp.stack(window).reshape(3, 3, *nothing.shape),
            window_strides=(1, 1),
            padding="SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )
        return summed + self.bias[...].astype(self.dtype)


class HexTower(GridTower):
    """Tower over a grid `[B, H, W, planes]` and a vector `[B, numbers]`.

    Policy: the kinds of actions that a cell has come from the same weights for all cells; all other
    actions from a dense layer.
    """

    def __init__(
        self,
        grid: tuple[int, int, int],
        numbers: int,
        num_actions: int,
        num_players: int,
        cell_actions: tuple[CellActions, ...],
        predicts_scores: bool,
        config: NetworkConfig,
        dtype: jnp.dtype,
        rngs: nnx.Rngs,
    ):
        super().__init__(HexConv, grid, numbers, num_players, predicts_scores, config, dtype, rngs)
        self.cell_actions = cell_actions
        kinds = sum(actions.kinds for actions in cell_actions)
        on_cells = sum(actions.kinds * len(actions.cells) for actions in cell_actions)
        self.num_others = num_actions - on_cells
        dense = functools.partial(nnx.Linear, dtype=dtype, rngs=rngs)
        if kinds:
            self.policy_hidden = dense(config.channels, config.policy_channels)
            self.policy_hears = dense(config.common_channels, config.policy_channels)
            self.policy_cells = dense(config.policy_channels, kinds)
        if self.num_others:
            self.policy_others = dense(config.value_hidden, self.num_others)

    def __call__(
        self, grid: Float[Array, "B H W planes"], vector: Float[Array, "B numbers"]
    ) -> Prediction:
        """Returns logits, values and, if it predicts them, scores."""
        on_board = jnp.asarray(_on_board(*self.size))
        x, numbers = self.through_tower(to_shifted(grid), vector, on_board)
        # The cells of the board.
        x = x.reshape(x.shape[0], -1, x.shape[-1])[:, shifted_places(*self.size)]
        summary = self.summarise(x, numbers)
        return self.predict(self._policy(x, numbers, summary), summary)

    def _policy(
        self,
        x: Float[Array, "B cells C"],
        numbers: Float[Array, "B N"],
        summary: Float[Array, "B S"],
    ) -> Float[Array, "B actions"]:
        """Returns the logits of cells between the others, as the actions are numbered."""
        others = summary[:, :0]
        if self.num_others:
            others = self.policy_others(summary)
        if self.cell_actions:
            hidden = jax.nn.relu(self.policy_hidden(x) + self.policy_hears(numbers)[:, None])
            of_cells = self.policy_cells(hidden)  # [B, cells, kinds]
        parts: list[Array] = []
        done, kind = 0, 0
        for actions in self.cell_actions:
            gap = actions.start - sum(part.shape[1] for part in parts)
            parts.append(others[:, done : done + gap])
            done += gap
            own = of_cells[:, np.array(actions.cells), kind : kind + actions.kinds]
            parts.append(own.reshape(own.shape[0], -1))
            kind += actions.kinds
        return jnp.concatenate([*parts, others[:, done:]], axis=-1)


def shifted_places(height: int, width: int) -> np.ndarray:
    """Returns `[cells]` int32: where each cell of the offset rows is among the shifted ones."""
    most = (height - 1) // 2
    return np.array(
        [
            row * (width + most) + column + most - row // 2
            for row, column in itertools.product(range(height), range(width))
        ],
        np.int32,
    )


def to_shifted(grid: Float[Array, "B H W C"]) -> Float[Array, "B H V C"]:
    """Returns the rows shifted, row `y` by `(H - 1) // 2 - y // 2`, with zeros beside them."""
    most = (grid.shape[1] - 1) // 2
    rows = []
    for row in range(grid.shape[1]):
        left = most - row // 2
        rows.append(jnp.pad(grid[:, row], ((0, 0), (left, most - left), (0, 0))))
    return jnp.stack(rows, axis=1)


def _on_board(height: int, width: int) -> np.ndarray:
    """Returns `[H, V, 1]`: one on the board, zero beside it."""
    most = (height - 1) // 2
    board = np.zeros((height * (width + most), 1), np.float32)
    board[shifted_places(height, width)] = 1
    return board.reshape(height, width + most, 1)


def _build(network: Network, dtype: jnp.dtype, rngs: nnx.Rngs) -> HexTower:
    grid, (numbers,) = network.board
    return HexTower(
        grid,
        numbers,
        network.num_actions,
        network.num_players,
        network.cell_actions,
        network.predicts_scores,
        config=network.config,
        dtype=dtype,
        rngs=rngs,
    )


TOWER = Tower(make_network_over_pair, _build, observes_pair=True)
