"""The default network: a residual tower with a policy head and a value head; `Network` for any.

Nothing outside this package knows Flax: a `Network` is pure functions, `init(key) -> params` and
`apply(params, obs) -> (logits, values)`, where `params` is a nested dict of arrays.
"""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float, PRNGKeyArray

from configs.alphazero import NetworkConfig
from jaxgames import Env
from jaxgames.networks.blocks import ResidualBlock
from jaxgames.networks.grid_tower import GridTower
from jaxgames.networks.hex_tower import HexTower
from jaxgames.networks.prediction import Prediction, num_outputs, of_all_seats
from jaxgames.networks.tile_tower import TileTower
from jaxgames.rules import CellActions, TileActions
from papers.alphatm.network import TOWN_OUTPUTS, AlphaTMTower

_OVER_PAIRS = ("hex", "tile")  # towers that see a grid and a vector
_LEARNED = (nnx.Param, nnx.BatchStat)  # kinds of arrays that `params` holds


class PolicyValueTower(nnx.Module):
    """Convolutional tower over a board `[H, W, planes]`.

    Policy: actions that are numbered square by square (`action = square * k + kind`) or, with
    `by_plane`, kind by kind (`kind * squares + square`) come from a 1x1 convolution with `k`
    channels, so that what is learned on one square serves all; the few actions left over, or with
    `on_squares=False` all of them, come from a dense layer. Value: one number for two seats (the
    game is zero-sum), else one for each seat; index 0 is the seat that observes, then in turn
    order.
    """

    def __init__(
        self,
        board: tuple[int, int, int],
        num_actions: int,
        num_players: int,
        by_plane: bool,
        on_squares: bool,
        config: NetworkConfig,
        dtype: jnp.dtype,
        rngs: nnx.Rngs,
    ):
        height, width, planes = board
        squares = height * width
        self.num_players = num_players
        self.by_plane = by_plane
        self.kinds, self.extra = divmod(num_actions, squares) if on_squares else (0, num_actions)
        conv = functools.partial(nnx.Conv, dtype=dtype, rngs=rngs)
        dense = functools.partial(nnx.Linear, dtype=dtype, rngs=rngs)

        self.stem = conv(planes, config.channels, (3, 3))
        self.tower = nnx.List(
            [ResidualBlock(config.channels, dtype, rngs) for _ in range(config.blocks)]
        )
        self.policy_hidden = conv(config.channels, config.policy_channels, (1, 1))
        if self.kinds:
            self.policy_square = conv(config.policy_channels, self.kinds, (1, 1))
        if self.extra:
            self.policy_extra = dense(squares * config.policy_channels, self.extra)
        self.value_squares = conv(config.channels, config.value_channels, (1, 1))
        self.value_hidden = dense(squares * config.value_channels, config.value_hidden)
        outputs = num_outputs(num_players)
        self.value = dense(config.value_hidden, outputs, kernel_init=nnx.initializers.zeros)

    def __call__(self, obs: Float[Array, "B H W planes"]) -> Prediction:
        """Returns logits over all actions and the value of each seat, observer first."""
        batch = obs.shape[0]
        x = jax.nn.relu(self.stem(obs))
        for block in self.tower:
            x = block(x)

        hidden = jax.nn.relu(self.policy_hidden(x))
        parts = []
        if self.kinds:
            of_squares = self.policy_square(hidden)
            if self.by_plane:
                of_squares = jnp.moveaxis(of_squares, -1, 1)
            parts.append(of_squares.reshape(batch, -1))
        if self.extra:
            parts.append(self.policy_extra(hidden.reshape(batch, -1)))
        logits = jnp.concatenate(parts, axis=-1).astype(jnp.float32)

        features = jax.nn.relu(self.value_squares(x)).reshape(batch, -1)
        value = self.value(jax.nn.relu(self.value_hidden(features))).astype(jnp.float32)
        return Prediction(logits, of_all_seats(jnp.tanh(value), self.num_players))


@dataclasses.dataclass(frozen=True)
class Network:
    """A network for one game as pure functions; hashable, holds no parameters."""

    board: Any
    """Shape of the observation: `(height, width, planes)`; for towers over a grid and a vector a
    pair, that of the grid and that of the vector, `(numbers,)`."""
    num_actions: int
    num_players: int
    config: NetworkConfig
    by_plane: bool = False
    """How actions on squares are numbered; see `Rules.actions_by_plane`."""
    on_squares: bool = True
    """Whether actions belong to squares; see `Rules.actions_on_squares`."""
    cell_actions: tuple[CellActions, ...] = ()
    """Actions on the cells of a hexagonal board; see `Rules.cell_actions`."""
    tile_actions: TileActions | None = None
    """Actions of two steps; see `Rules.tile_actions`."""
    predicts_scores: bool = False
    """Whether there are heads for the points of the seats."""

    @functools.cached_property
    def _graph(self) -> Any:
        model = nnx.eval_shape(lambda: self._build(jax.random.key(0)))
        return nnx.split(model, _LEARNED)[0]

    def _build(self, key: PRNGKeyArray) -> PolicyValueTower | GridTower | AlphaTMTower:
        dtype = jnp.dtype(_compute_dtype(self.config.dtype))
        if self.config.tower == "hex":
            grid, (numbers,) = self.board
            return HexTower(
                grid,
                numbers,
                self.num_actions,
                self.num_players,
                self.cell_actions,
                self.predicts_scores,
                config=self.config,
                dtype=dtype,
                rngs=nnx.Rngs(key),
            )
        if self.config.tower == "tile":
            assert self.tile_actions is not None
            grid, (numbers,) = self.board
            return TileTower(
                grid,
                numbers,
                self.num_actions,
                self.num_players,
                self.tile_actions,
                self.predicts_scores,
                config=self.config,
                dtype=dtype,
                rngs=nnx.Rngs(key),
            )
        if self.config.tower == "alphatm":
            rngs = nnx.Rngs(key)
            return AlphaTMTower(self.board, self.num_actions, self.config, dtype, rngs)
        sizes = (self.board, self.num_actions, self.num_players)
        return PolicyValueTower(
            *sizes,
            self.by_plane,
            self.on_squares,
            config=self.config,
            dtype=dtype,
            rngs=nnx.Rngs(key),
        )

    def init(self, key: PRNGKeyArray) -> Any:
        """Returns fresh float32 parameters: a nested dict of arrays."""
        return nnx.to_pure_dict(nnx.split(self._build(key), _LEARNED)[1])

    def apply(
        self, params: Any, obs: Any
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B players"]]:
        """Returns logits and values (observer first) for a batch of observations."""
        prediction = self.predict(params, obs)
        return prediction.logits, prediction.values

    def predict(self, params: Any, obs: Any) -> Prediction:
        """Returns all that the network says about a batch of observations."""
        model = nnx.merge(self._graph, nnx.State(params))
        model.eval()
        return model(*self._arrays(obs))

    def train(self, params: Any, obs: Any) -> tuple[Prediction, Any]:
        """Returns what `predict` does, as learning sees it, and the parameters after it.

        They differ in networks with batch normalisation: a batch is normalised by its own
        statistics, and the running averages of these, which are among the parameters, move on.
        """
        model = nnx.merge(self._graph, nnx.State(params))
        model.train()
        return model(*self._arrays(obs)), nnx.to_pure_dict(nnx.state(model, _LEARNED))

    def _arrays(self, obs: Any) -> tuple[Array, ...]:
        return tuple(obs) if self.config.tower in _OVER_PAIRS else (obs,)


def make_network(env: Env, config: NetworkConfig) -> Network:
    """Returns the network for a game.

    Raises:
        ValueError: if the game's observation is not what the tower needs: one array `[height,
            width, planes]`, or for some towers such a grid and a vector; or if the tower is one for
            two seats and the game has more, or for actions of two steps and it has none.
    """
    shape, rules = env.observation_shape, env.rules
    sizes = (env.num_actions, env.num_players, config)
    if config.tower in _OVER_PAIRS:
        if not (isinstance(shape, tuple) and [_rank(part) for part in shape] == [3, 1]):
            raise ValueError(
                f"network.tower={config.tower} needs an observation of a grid [height, width, "
                f"planes] and a vector; {env.id} has {shape}"
            )
        if config.tower == "tile" and rules.tile_actions is None:
            raise ValueError(
                "network.tower=tile is for actions that name a tile first; "
                f"those of {env.id} do not"
            )
        pair = tuple(shape)  # not the game's own type, so that networks of equal sizes are equal
        return Network(
            pair,
            *sizes,
            cell_actions=rules.cell_actions,
            tile_actions=rules.tile_actions,
            predicts_scores=rules.counts_points,
        )
    if config.tower == "alphatm" and (env.num_players != 2 or env.num_actions <= TOWN_OUTPUTS):
        raise ValueError(
            f"network.tower=alphatm is for games of two seats with more than {TOWN_OUTPUTS} "
            f"actions; {env.id} has {env.num_players} and {env.num_actions}"
        )
    if _rank(shape) != 3:
        raise ValueError(
            f"network.tower={config.tower} needs an observation [height, width, planes]; "
            f"{env.id} has {shape}"
        )
    return Network(
        shape, *sizes, by_plane=rules.actions_by_plane, on_squares=rules.actions_on_squares
    )


def _rank(shape: Any) -> int | None:
    """Returns the number of axes; None for what is not the shape of one array."""
    is_one = isinstance(shape, tuple) and all(isinstance(n, int) for n in shape)
    return len(shape) if is_one else None


def count_parameters(params: Any) -> int:
    """Returns the number of learned numbers, running averages included."""
    return sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(params))


def _compute_dtype(name: str) -> str:
    if name != "auto":
        return name
    return "float32" if jax.default_backend() == "cpu" else "bfloat16"
