"""The tower `hex`: for hexagonal boards, whose observation is a grid and a vector.

The grid has offset rows: odd rows lie half a cell further right (`boards/hexes.py`). The tower
works on shifted rows, which `hex_convolution.py` describes.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float

from jaxgames.networks.dynamics import HexDynamics
from jaxgames.networks.grid_tower import GridFeatures, GridTower
from jaxgames.networks.hex_convolution import HexConv, on_board, shifted_places, to_shifted
from jaxgames.networks.network import Network, Tower, make_network_over_pair
from jaxgames.networks.prediction import NetworkOutput


class HexTower(GridTower):
    """Tower over a grid `[B, H, W, planes]` and a vector `[B, numbers]`.

    Policy: logits of actions on cells come from weights that all cells share. Logits of all other
    actions come from a dense layer.
    """

    def __init__(self, network: Network, dtype: jnp.dtype, rngs: nnx.Rngs):
        super().__init__(HexConv, network, dtype, rngs)
        config = network.config
        self.cell_actions = network.cell_actions
        kinds = sum(actions.kinds for actions in self.cell_actions)
        on_cells = sum(actions.kinds * len(actions.cells) for actions in self.cell_actions)
        self.num_others = network.num_actions - on_cells
        dense = functools.partial(nnx.Linear, dtype=dtype, rngs=rngs)
        if kinds:
            self.policy_hidden = dense(config.channels, config.policy_channels)
            self.policy_hears = dense(config.common_channels, config.policy_channels)
            self.policy_cells = dense(config.policy_channels, kinds)
        if self.num_others:
            self.policy_others = dense(config.value_hidden, self.num_others)

    def __call__(
        self, grid: Float[Array, "B H W planes"], vector: Float[Array, "B numbers"]
    ) -> NetworkOutput:
        """Returns logits and values, with scores if the network predicts them."""
        return self.predict(self.represent(grid, vector))

    def represent(
        self, grid: Float[Array, "B H W planes"], vector: Float[Array, "B numbers"]
    ) -> GridFeatures:
        """Returns the features after all blocks, those of the cells on shifted rows."""
        mask = jnp.asarray(on_board(*self.size))
        return GridFeatures(*self.through_tower(to_shifted(grid), vector, mask))

    def predict(self, features: GridFeatures) -> NetworkOutput:
        """Returns the prediction from the features of a position."""
        x, numbers = features.cells, features.numbers
        # The cells of the board.
        x = x.reshape(x.shape[0], -1, x.shape[-1])[:, shifted_places(*self.size)]
        summary = self.summarise(x, numbers)
        return self.with_values(self._policy(x, numbers, summary), summary, features.mover)

    def _policy(
        self,
        x: Float[Array, "B cells C"],
        numbers: Float[Array, "B N"],
        summary: Float[Array, "B S"],
    ) -> Float[Array, "B actions"]:
        """Returns the logits of all actions in the order of their numbers."""
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


TOWER = Tower(make_network_over_pair, HexTower, observes_pair=True, dynamics=HexDynamics)
