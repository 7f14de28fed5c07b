"""`Network`: a policy-value network of any tower as pure functions.

The functions are `init(key) -> params` and `apply(params, obs) -> (logits, values)`, where `params`
is a nested dict of arrays. Nothing outside this package uses Flax.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.boards.packed_planes import as_floats
from jaxgames.env import Env
from jaxgames.internal.caches import WithoutCaches
from jaxgames.networks.config import ModelConfig, NetworkConfig
from jaxgames.networks.prediction import NetworkOutput
from jaxgames.networks.towers import load_tower
from jaxgames.rules import CellActions, TileActions

LEARNED = (nnx.Param, nnx.BatchStat)  # kinds of arrays that `params` holds


@dataclasses.dataclass(frozen=True)
class Network(WithoutCaches):
    """A network for one game as pure functions; hashable, holds no parameters."""

    board: Any
    """Shape of the observation: `(height, width, planes)`. For towers over a grid and a vector, the
    pair of the grid's shape and the vector's shape, `((height, width, planes), (numbers,))`."""
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
    """Actions of two plies; see `Rules.tile_actions`."""
    predicts_scores: bool = False
    """Whether there are heads for the points of the seats."""

    @functools.cached_property
    def _graph(self) -> Any:
        model = nnx.eval_shape(lambda: self._build(jax.random.key(0)))
        return nnx.split(model, LEARNED)[0]

    def _build(self, key: PRNGKeyArray) -> nnx.Module:
        dtype = compute_dtype(self.config.dtype)
        module: nnx.Module = self.tower.build(self, dtype, nnx.Rngs(key))
        return module

    @property
    def tower(self) -> "Tower":
        """How the network's modules are made."""
        tower: Tower = load_tower(self.config.tower)
        return tower

    @property
    def model_config(self) -> ModelConfig:
        """The sizes of a network that is part of a learned model."""
        assert isinstance(self.config, ModelConfig), "other networks have no dynamics"
        return self.config

    def init(self, key: PRNGKeyArray) -> Any:
        """Returns fresh float32 parameters: a nested dict of arrays."""
        return nnx.to_pure_dict(nnx.split(self._build(key), LEARNED)[1])

    def apply(
        self, params: Any, obs: Any
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B players"]]:
        """Returns logits and values for a batch of observations; the observer's value is first."""
        prediction = self.predict(params, obs)
        return prediction.logits, prediction.values

    @allows_empty("obs")
    def predict(self, params: Any, obs: Any) -> NetworkOutput:
        """Returns the whole prediction for a batch of observations, scores included."""
        model = nnx.merge(self._graph, nnx.State(params))
        model.eval()
        return model(*self.arrays(obs))

    def train(self, params: Any, obs: Any) -> tuple[NetworkOutput, Any]:
        """Returns the prediction in training mode, and the parameters after it.

        Only networks with batch normalisation differ from `predict`. A batch is normalised by its
        own statistics, and the running averages of the statistics, which are among the parameters,
        are updated.
        """
        model = nnx.merge(self._graph, nnx.State(params))
        model.train()
        return model(*self.arrays(obs)), nnx.to_pure_dict(nnx.state(model, LEARNED))

    def arrays(self, obs: Any) -> tuple[Array, ...]:
        """Returns an observation as arguments of the network's module."""
        floats = as_floats(obs)
        return tuple(floats) if self.tower.observes_pair else (floats,)


class Tower(NamedTuple):
    """How the networks of one tower are made; the table of towers is `towers.py`."""

    make: Callable[[Env, NetworkConfig], Network]
    """Returns the network for a game; raises a `ValueError` for a game that does not fit."""
    build: Callable[[Network, jnp.dtype, nnx.Rngs], Any]
    """Returns the Flax module of a network, which maps observations to a `NetworkOutput`."""
    observes_pair: bool = False
    """Whether the observation is a pair of a grid and a vector."""
    dynamics: Callable[[Network, jnp.dtype, nnx.Rngs], Any] | None = None
    """Returns the Flax module that predicts the features after an action; see `dynamics.py`. None
    for a tower that only judges positions. With it, the tower's module splits its work into
    `represent(*observation) -> features` and `predict(features) -> Prediction`."""


def make_network(env: Env, config: NetworkConfig) -> Network:
    """Returns the network for a game.

    Args:
        env: the game.
        config: the tower and its sizes.

    Raises:
        ValueError: if the game does not fit the tower. A tower may need an observation `[height,
            width, planes]`, or such a grid and a vector, or two seats, or actions of two plies.
    """
    tower: Tower = load_tower(config.tower)
    return tower.make(env, config)


def check_planes(env: Env, config: NetworkConfig) -> None:
    """Checks that a game's observation is one array `[height, width, planes]`.

    Raises:
        ValueError: if it is not.
    """
    if _rank(env.observation_shape) != 3:
        raise ValueError(
            f"network.tower={config.tower} needs an observation [height, width, planes]; "
            f"{env.id} has {env.observation_shape}"
        )


def make_network_over_pair(env: Env, config: NetworkConfig) -> Network:
    """Returns the network for a game whose observation is a grid and a vector.

    Raises:
        ValueError: for a game with another observation.
    """
    shape, rules = env.observation_shape, env.rules
    if not (isinstance(shape, tuple) and [_rank(part) for part in shape] == [3, 1]):
        raise ValueError(
            f"network.tower={config.tower} needs an observation of a grid [height, width, "
            f"planes] and a vector; {env.id} has {shape}"
        )
    return Network(
        tuple(shape),  # not the game's own type, so that networks of equal sizes are equal
        env.num_actions,
        env.num_players,
        config,
        cell_actions=rules.cell_actions,
        tile_actions=rules.tile_actions,
        predicts_scores=rules.counts_points,
    )


def _rank(shape: Any) -> int | None:
    """Returns the number of axes; None if `shape` is not the shape of one array."""
    is_one = isinstance(shape, tuple) and all(isinstance(n, int) for n in shape)
    return len(shape) if is_one else None


def count_parameters(params: Any) -> int:
    """Returns the number of learned numbers, running averages included."""
    return sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(params))


def compute_dtype(dtype: str) -> jnp.dtype:
    """Returns the type that a network computes in, by its setting and the devices of this process.

    Args:
        dtype: the setting, the name of a type or "auto".
    """
    if dtype != "auto":
        return jnp.dtype(dtype)
    return jnp.dtype("float32" if jax.default_backend() == "cpu" else "bfloat16")
