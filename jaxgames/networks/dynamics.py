"""Dynamics: the features of a position after an action, predicted from the features before it.

A tower computes features from what the seat to move observes. On squares, a board may be turned for
the seat that sees it: the dynamics turn features into those for the seat that moves next, and say
which seat that is. On other grids, features stay those of one observer, and say which seat moves.
Either way a prediction from features has the value of the seat to move first.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float, Int32

from jaxgames.networks.blocks import ResidualBlock, conv3x3, scaled
from jaxgames.networks.grid_tower import Conv, GridBlock, GridFeatures
from jaxgames.networks.hex_convolution import HexConv, on_board, shifted_places
from jaxgames.networks.network import Network
from jaxgames.networks.pooling import largest


class ActionTable(NamedTuple):
    """Where each action happens, and what it is."""

    cell: np.ndarray  # [actions] int32: cell of the features; the number of cells for no cell
    kind: np.ndarray  # [actions] int32: what is learned of an action is shared by its kind
    num_kinds: int


class Placed(NamedTuple):
    """The actions of a batch, as features can take them up."""

    where: Float[Array, "B cells"]  # one at the cell of the action; zeros for no cell
    kind: Int32[Array, "B"]
    chosen: Float[Array, "B tiles"] | None  # of the features after the action


class SquareDynamics(nnx.Module):
    """Dynamics of the tower `square`.

    The action is added to the square that it belongs to, or to all squares. Then a linear map over
    all squares can turn the board, since the next seat may see it from the other side. It starts as
    half a turn: what it makes stands beside the board as it was, so no start excludes the other.
    """

    def __init__(self, network: Network, dtype: jnp.dtype, rngs: nnx.Rngs):
        self.network = network
        config = network.model_config
        height, width, _ = network.board
        squares, channels = height * width, config.channels
        kinds = square_actions(network).num_kinds
        self.action = _embed(kinds, channels, dtype, rngs, size=1.0)
        self.move = ResidualBlock(channels, dtype, rngs)
        self.turn = nnx.Linear(
            squares, squares, use_bias=False, dtype=dtype, rngs=rngs, kernel_init=_half_turn
        )
        self.stem = nnx.Conv(2 * channels, channels, (3, 3), dtype=dtype, rngs=rngs)
        self.blocks = nnx.List(
            [ResidualBlock(channels, dtype, rngs) for _ in range(config.dynamics_blocks)]
        )
        self.seat = nnx.Linear(2 * channels, network.num_players, dtype=dtype, rngs=rngs)

    def __call__(
        self, x: Float[Array, "B H W C"], action: Int32[Array, "B"]
    ) -> tuple[Float[Array, "B H W C"], Float[Array, "B players"]]:
        """Returns the features after an action, and logits of the next seat, the mover first."""
        batch, height, width, channels = x.shape
        table = square_actions(self.network)
        cell = jnp.asarray(table.cell)[action]
        where = jax.nn.one_hot(cell, height * width, dtype=x.dtype)
        where = where + (cell == height * width)[:, None].astype(x.dtype)
        what = self.action(jnp.asarray(table.kind)[action])
        placed = where[:, :, None] * what[:, None]
        x = self.move(x + placed.reshape(x.shape))
        turned = self.turn(jnp.swapaxes(x.reshape(batch, -1, channels), 1, 2))
        turned = jnp.swapaxes(turned, 1, 2).reshape(x.shape)
        x = jax.nn.relu(self.stem(jnp.concatenate([x, turned], axis=-1)))
        for block in self.blocks:
            x = block(x)
        x = scaled(x)
        return x, self.seat(_pooled(x)).astype(jnp.float32)


class GridDynamics(nnx.Module):
    """The part that the dynamics of the towers `hex` and `tile` share.

    The action is added to the cell that it belongs to and to the vector of numbers. The features
    stay those of the seat that observed the position at the start: most of what it saw is still so.
    """

    def __init__(
        self, conv: Conv, network: Network, num_kinds: int, dtype: jnp.dtype, rngs: nnx.Rngs
    ):
        self.network = network
        config = network.model_config
        channels, common = config.channels, config.common_channels
        self.to_cell = _embed(num_kinds, channels, dtype, rngs, size=0.3)
        self.to_numbers = _embed(num_kinds, common, dtype, rngs, size=0.3)
        # The first block takes the action up; the others work on what it changes.
        self.blocks = nnx.List(
            [
                GridBlock(conv, channels, common, dtype, rngs)
                for _ in range(1 + config.dynamics_blocks)
            ]
        )
        players = network.num_players
        self.seat = nnx.Linear(2 * channels + common, players, dtype=dtype, rngs=rngs)
        self.other_moves = nnx.Linear(players - 1, common, use_bias=False, dtype=dtype, rngs=rngs)

    def on_board(self) -> np.ndarray:
        """Returns `[H, W, 1]`: one for cells of the board."""
        raise NotImplementedError

    def place(self, features: GridFeatures, action: Int32[Array, "B"]) -> Placed:
        """Returns the actions of a batch as features can take them up."""
        raise NotImplementedError

    def __call__(
        self, features: GridFeatures, action: Int32[Array, "B"]
    ) -> tuple[GridFeatures, Float[Array, "B players"]]:
        """Returns the features after an action, and logits of the next seat, the mover first."""
        x, numbers, before = features.cells, features.numbers, features.mover
        assert before is not None, "a learned model says who moves"
        placed = self.place(features, action)
        change = placed.where[:, :, None].astype(x.dtype) * self.to_cell(placed.kind)[:, None]
        x = x + change.reshape(x.shape)
        numbers = numbers + self.to_numbers(placed.kind)
        mask = jnp.asarray(self.on_board())
        for block in self.blocks:
            x, numbers = block(x, numbers, mask)
        x, numbers = scaled(x), scaled(numbers)
        seat = self.seat(jnp.concatenate([_pooled(x), numbers], axis=-1)).astype(jnp.float32)
        mover = moves_next(before, jax.lax.stop_gradient(jax.nn.softmax(seat)))
        numbers = scaled(numbers + self.other_moves((mover - before)[:, 1:]))
        return GridFeatures(x, numbers, placed.chosen, mover), seat


class HexDynamics(GridDynamics):
    """Dynamics of the tower `hex`: actions on cells are those of `Rules.cell_actions`."""

    def __init__(self, network: Network, dtype: jnp.dtype, rngs: nnx.Rngs):
        super().__init__(HexConv, network, hex_actions(network).num_kinds, dtype, rngs)

    def on_board(self) -> np.ndarray:
        """Returns the mask of the shifted rows."""
        height, width, _ = self.network.board[0]
        return on_board(height, width)

    def place(self, features: GridFeatures, action: Int32[Array, "B"]) -> Placed:
        """Returns the cell and the kind of each action, from a table."""
        table = hex_actions(self.network)
        where = jax.nn.one_hot(jnp.asarray(table.cell)[action], self.on_board().size)
        return Placed(where, jnp.asarray(table.kind)[action], features.chosen)


class TileDynamics(GridDynamics):
    """Dynamics of the tower `tile`: the first step chooses a tile, the second acts there.

    The chosen tile is known exactly, since the numbers of the actions name it.
    """

    def __init__(self, network: Network, dtype: jnp.dtype, rngs: nnx.Rngs):
        actions = network.tile_actions
        assert actions is not None, "the tower refuses other games"
        num_kinds = 1 + actions.others + actions.sub_actions
        super().__init__(conv3x3, network, num_kinds, dtype, rngs)

    def on_board(self) -> np.ndarray:
        """Returns ones."""
        height, width, _ = self.network.board[0]
        return np.ones((height, width, 1), np.float32)

    def place(self, features: GridFeatures, action: Int32[Array, "B"]) -> Placed:
        """Returns the tile and the kind of each action, and the tile that is chosen after it."""
        actions, before = self.network.tile_actions, features.chosen
        assert actions is not None and before is not None
        tiles = before.shape[-1]
        is_second = before.any(axis=-1)
        chooses = ~is_second & (action < tiles)
        named = jax.nn.one_hot(jnp.where(chooses, action, tiles), tiles)
        # A prediction may take an action that does not exist: the kinds below are bounded.
        other = 1 + jnp.clip(action - tiles, 0, actions.others - 1)
        second = 1 + actions.others + jnp.minimum(action, actions.sub_actions - 1)
        kind = jnp.where(is_second, second, jnp.where(chooses, 0, other))
        return Placed(jnp.where(is_second[:, None], before, named), kind, named)


def square_actions(network: Network) -> ActionTable:
    """Returns the table of a game on squares (`Rules.actions_on_squares`)."""
    height, width, _ = network.board
    squares = height * width
    kinds = network.num_actions // squares if network.on_squares else 0
    number = np.arange(kinds * squares, dtype=np.int32)
    if network.by_plane:
        cell, kind = number % squares, number // squares
    else:
        cell, kind = number // max(kinds, 1), number % max(kinds, 1)
    others = np.arange(network.num_actions - len(number), dtype=np.int32)
    return ActionTable(
        cell=np.concatenate([cell, np.full_like(others, squares)]),
        kind=np.concatenate([kind, kinds + others]),
        num_kinds=kinds + len(others),
    )


def hex_actions(network: Network) -> ActionTable:
    """Returns the table of a game on hexes (`Rules.cell_actions`), with cells of shifted rows."""
    height, width, _ = network.board[0]
    places = shifted_places(height, width)
    cell = np.full((network.num_actions,), on_board(height, width).size, np.int32)
    kind = np.full((network.num_actions,), -1, np.int32)
    num_kinds = 0
    for actions in network.cell_actions:
        number = actions.start + np.arange(len(actions.cells) * actions.kinds)
        cell[number] = np.repeat(places[np.array(actions.cells)], actions.kinds)
        kind[number] = num_kinds + np.tile(np.arange(actions.kinds), len(actions.cells))
        num_kinds += actions.kinds
    others = np.flatnonzero(kind < 0)
    kind[others] = num_kinds + np.arange(len(others))
    return ActionTable(cell, kind, num_kinds + len(others))


def moves_next(
    mover: Float[Array, "B players"], steps: Float[Array, "B players"]
) -> Float[Array, "B players"]:
    """Returns how likely each seat is to move, the observer first.

    Args:
        mover: how likely each seat was to move before, the observer first.
        steps: how likely the turn goes on by each number of seats.
    """
    players = mover.shape[-1]
    number = (np.arange(players)[:, None] - np.arange(players)) % players  # from a seat to a seat
    return jnp.einsum("bs,bps->bp", mover, steps[:, number])


def _embed(kinds: int, units: int, dtype: jnp.dtype, rngs: nnx.Rngs, size: float) -> nnx.Embed:
    """Returns numbers for each kind of action, added to features of size one.

    Of smaller ones on squares a fresh model hardly tells actions apart, and the search, which
    stretches the range of their values, follows that noise. A game with hundreds of kinds sees each
    of them rarely, and large ones would drown what its model knows of the position.

    Args:
        kinds: number of kinds.
        units: numbers of each.
        dtype: of the results.
        rngs: of the start.
        size: standard deviation of the numbers at the start.
    """
    init = nnx.initializers.normal(size)
    return nnx.Embed(kinds, units, dtype=dtype, rngs=rngs, embedding_init=init)


def _half_turn(key: Array, shape: tuple[int, int], dtype: jnp.dtype, **_: Any) -> Array:
    """Returns the kernel that reverses the order of the squares."""
    del key
    return jnp.eye(*shape, dtype=dtype)[::-1]


def _pooled(x: Float[Array, "B H W C"]) -> Float[Array, "B F"]:
    return jnp.concatenate([x.mean(axis=(1, 2)), largest(x, (1, 2))], axis=-1)
