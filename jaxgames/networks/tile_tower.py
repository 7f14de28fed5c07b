"""The tower `tile`: for square boards on which an action is a tile, then a sub-action there."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float

from jaxgames.env import Env
from jaxgames.networks.blocks import conv3x3, few_outputs, only_output
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.dynamics import TileDynamics
from jaxgames.networks.grid_tower import GridFeatures, GridTower
from jaxgames.networks.network import Network, Tower, make_network_over_pair
from jaxgames.networks.prediction import NetworkOutput
from jaxgames.rules import TileActions

NEVER = -1e4
"""Logit of numbers that name no action in this step."""


class TileTower(GridTower):
    """Tower over a grid `[B, H, W, planes]` and a vector `[B, numbers]`.

    Policy of the first ply: one logit for each tile, from weights that all tiles share; logits of
    the actions without a tile come from the whole position. Policy of the second ply: logits of
    sub-actions, from the features of the chosen tile and the whole position. A sub-action that
    names a second tile, such as a move, adds a logit of that tile, which knows the chosen tile.
    """

    def __init__(self, network: Network, dtype: jnp.dtype, rngs: nnx.Rngs):
        super().__init__(conv3x3, network, dtype, rngs)
        config, tile_actions = network.config, network.tile_actions
        assert tile_actions is not None, "the tower refuses other games"
        self.num_actions = network.num_actions
        self.tile_actions = tile_actions
        dense = functools.partial(nnx.Linear, dtype=dtype, rngs=rngs)
        self.policy_hidden = dense(config.channels, config.policy_channels)
        self.policy_hears = dense(config.common_channels, config.policy_channels)
        self.policy_tiles = dense(config.policy_channels, 1)
        self.policy_others = dense(config.value_hidden, tile_actions.others)
        self.policy_sub_actions = dense(
            config.policy_channels + config.value_hidden, tile_actions.sub_actions
        )
        if tile_actions.targets:
            self.target_hidden = dense(config.channels, config.policy_channels)
            self.target_hears = dense(
                config.policy_channels + config.value_hidden, config.policy_channels
            )
            self.policy_targets = dense(config.policy_channels, len(tile_actions.targets))

    def __call__(
        self, grid: Float[Array, "B H W planes"], vector: Float[Array, "B numbers"]
    ) -> NetworkOutput:
        """Returns logits and values, with scores if the network predicts them."""
        return self.predict(self.represent(grid, vector))

    def represent(
        self, grid: Float[Array, "B H W planes"], vector: Float[Array, "B numbers"]
    ) -> GridFeatures:
        """Returns the features after all blocks, and the chosen tile."""
        on_board = jnp.ones((*self.size, 1), jnp.float32)
        x, numbers = self.through_tower(grid, vector, on_board)
        chosen = grid[..., self.tile_actions.chosen_plane].reshape(grid.shape[0], -1)
        has_chosen = vector[:, self.tile_actions.has_chosen, None] > 0
        return GridFeatures(x, numbers, jnp.where(has_chosen, chosen, 0.0))

    def predict(self, features: GridFeatures) -> NetworkOutput:
        """Returns the prediction from the features of a position."""
        x, numbers, chosen = features.cells, features.numbers, features.chosen
        assert chosen is not None, "this tower says which tile was chosen"
        x = x.reshape(x.shape[0], -1, x.shape[-1])
        summary = self.summarise(x, numbers)

        hidden = jax.nn.relu(self.policy_hidden(x) + self.policy_hears(numbers)[:, None])
        first = jnp.concatenate(
            [only_output(self.policy_tiles, hidden), self.policy_others(summary)], axis=-1
        )
        of_tile = jnp.einsum("bt,btc->bc", chosen.astype(hidden.dtype), hidden)
        source = jnp.concatenate([of_tile, summary], axis=-1)
        second = self.policy_sub_actions(source)
        if self.tile_actions.targets:
            named = jax.nn.relu(self.target_hidden(x) + self.target_hears(source)[:, None])
            of_targets = few_outputs(self.policy_targets, named)
            second += logits_of_targets(self.tile_actions, self.size, of_targets, chosen)
        has_chosen = chosen.any(axis=-1, keepdims=True)
        logits = jnp.where(has_chosen, self._padded(second), self._padded(first))
        return self.with_values(logits, summary, features.mover)

    def _padded(self, logits: Float[Array, "B some"]) -> Float[Array, "B actions"]:
        missing = self.num_actions - logits.shape[1]
        return jnp.pad(logits, ((0, 0), (0, missing)), constant_values=NEVER)


def logits_of_targets(
    actions: TileActions,
    size: tuple[int, int],
    of_targets: Float[Array, "B groups tiles"],
    chosen: Float[Array, "B tiles"],
) -> Float[Array, "B sub_actions"]:
    """Returns what the tile that each sub-action names adds to its logit; zero without one.

    Products with shifts by rows and columns move the chosen tile to the middle of a window.

    Args:
        actions: the sub-actions and the tiles that they name.
        size: rows and columns of the board.
        of_targets: what each tile adds to the sub-actions of each group that name it.
        chosen: one at the chosen tile.
    """
    (batch, groups, _), dtype = of_targets.shape, of_targets.dtype
    reach = max(abs(step) for _, offsets in actions.targets for pair in offsets for step in pair)
    board = chosen.reshape(batch, *size).astype(dtype)
    row_shifts, column_shifts = (jnp.asarray(_shifts(side, reach), dtype) for side in size)
    rows = jnp.einsum("br,irh->bih", board.sum(axis=2), row_shifts)
    columns = jnp.einsum("bc,jcw->bjw", board.sum(axis=1), column_shifts)
    of_targets = of_targets.reshape(batch, groups, *size)
    window = jnp.einsum("bih,bghw,bjw->bgij", rows, of_targets, columns)
    parts, end = [], 0
    for group, (start, offsets) in enumerate(actions.targets):
        row, column = np.array(offsets).T + reach
        parts += [jnp.zeros((batch, start - end), dtype), window[:, group, row, column]]
        end = start + len(offsets)
    parts.append(jnp.zeros((batch, actions.sub_actions - end), dtype))
    return jnp.concatenate(parts, axis=-1)


def _shifts(side: int, reach: int) -> Float[np.ndarray, "window side side"]:
    """Returns ones at `[i, chosen, chosen + i - reach]`: lines of a window around a chosen one."""
    line = np.arange(side)
    offset = np.arange(-reach, reach + 1)
    return (line == line[:, None] + offset[:, None, None]).astype(np.float32)


def _make(env: Env, config: NetworkConfig) -> Network:
    network = make_network_over_pair(env, config)
    if network.tile_actions is None:
        raise ValueError(
            f"network.tower=tile is for actions that name a tile first; actions of {env.id} do not"
        )
    return network


TOWER = Tower(_make, TileTower, observes_pair=True, dynamics=TileDynamics)
