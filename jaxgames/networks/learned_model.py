"""`LearnedModel`: MuZero's representation, dynamics and prediction as pure functions.

Representation and prediction are a tower and its heads (`network.py`); the dynamics belong to the
tower as well (`dynamics.py`). All parameters are one nested dict.

Source: J. Schrittwieser et al., "Mastering Atari, Go, chess and shogi by planning with a learned
model", Nature 588, 2020.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from jaxgames.env import Env
from jaxgames.internal.caches import WithoutCaches
from jaxgames.networks.blocks import scaled
from jaxgames.networks.config import ModelConfig
from jaxgames.networks.dynamics import GridDynamics
from jaxgames.networks.grid_tower import GridFeatures
from jaxgames.networks.network import LEARNED, Network, compute_dtype, make_network
from jaxgames.networks.prediction import NetworkOutput

KIND = "learned_model"
"""Mark of a network file that holds a learned model: the entry `kind` of its description."""
Features = Any
"""What the model knows of a position: a pytree of arrays with a leading axis `B`."""


class NextFeatures(NamedTuple):
    """What follows an action."""

    features: Features
    """Of the position after the action, for the seat that moves there."""
    seat_logits: Float[Array, "B players"]
    """Logits of the seat that moves there, the seat that acted first, the others in turn order."""


class _Modules(nnx.Module):
    """All layers of a learned model."""

    def __init__(self, network: Network, key: PRNGKeyArray):
        tower, config = network.tower, network.model_config
        dtype, rngs = compute_dtype(config.dtype), nnx.Rngs(key)
        assert tower.dynamics is not None, "checked when the model was made"
        self.tower = tower.build(network, dtype, rngs)
        self.dynamics = tower.dynamics(network, dtype, rngs)
        if config.projection:
            size = _feature_count(network, self.tower)
            self.project = _Perceptron(size, config.projection, dtype, rngs)
            self.foresee = _Perceptron(config.projection, config.projection, dtype, rngs)


class _Perceptron(nnx.Module):
    def __init__(self, inputs: int, units: int, dtype: jnp.dtype, rngs: nnx.Rngs):
        self.hidden = nnx.Linear(inputs, units, dtype=dtype, rngs=rngs)
        self.out = nnx.Linear(units, units, dtype=dtype, rngs=rngs)

    def __call__(self, x: Float[Array, "B inputs"]) -> Float[Array, "B units"]:
        """Returns the output of two layers."""
        found: Array = self.out(jax.nn.relu(self.hidden(x)))
        return found


@dataclasses.dataclass(frozen=True)
class LearnedModel(WithoutCaches):
    """A model of one game; hashable, holds no parameters. `network.config` is a `ModelConfig`."""

    network: Network

    @functools.cached_property
    def _graph(self) -> Any:
        return nnx.split(
            nnx.eval_shape(lambda: _Modules(self.network, jax.random.key(0))), LEARNED
        )[0]

    @property
    def keeps_view(self) -> bool:
        """Whether features after actions stay those of the first observer.

        Otherwise they are those of the seat that moves then.
        """
        dynamics = self.network.tower.dynamics
        return isinstance(dynamics, type) and issubclass(dynamics, GridDynamics)

    def init(self, key: PRNGKeyArray) -> Any:
        """Returns fresh float32 parameters: a nested dict of arrays."""
        return nnx.to_pure_dict(nnx.split(_Modules(self.network, key), LEARNED)[1])

    def _merged(self, params: Any) -> Any:
        return nnx.merge(self._graph, nnx.State(params))

    def represent(self, params: Any, obs: Any) -> Features:
        """Returns the features of positions as their observers see them."""
        features = self._merged(params).tower.represent(*self.network.arrays(obs))
        return _observed(features, self.network.num_players)

    def predict(self, params: Any, features: Features) -> NetworkOutput:
        """Returns logits over all actions, and values (and scores), the seat to move first."""
        prediction: NetworkOutput = self._merged(params).tower.predict(features)
        return prediction

    def step(self, params: Any, features: Features, action: Int32[Array, "B"]) -> NextFeatures:
        """Returns what the model expects after an action."""
        return NextFeatures(*self._merged(params).dynamics(features, action))

    def apply(
        self, params: Any, obs: Any
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B players"]]:
        """Returns logits and values without any step, as `Network.apply` does."""
        prediction = self.predict(params, self.represent(params, obs))
        return prediction.logits, prediction.values

    def project(self, params: Any, features: Features) -> Float[Array, "B D"]:
        """Returns the numbers in which predicted and observed features are compared."""
        projected: Array = self._merged(params).project(_flat(features))
        return projected

    def foresee(self, params: Any, projected: Float[Array, "B D"]) -> Float[Array, "B D"]:
        """Returns the projection of observed features, expected from that of predicted ones."""
        expected: Array = self._merged(params).foresee(projected)
        return expected


def make_model(env: Env[Any], config: ModelConfig) -> LearnedModel:
    """Returns the learned model of a game.

    Args:
        env: the game.
        config: the tower and the sizes.

    Raises:
        ValueError: if the game does not fit the tower, or the tower has no dynamics.
    """
    network = make_network(env, config)
    if network.tower.dynamics is None:
        raise ValueError(
            f"network.tower={config.tower} has no dynamics, so it cannot be a learned model"
        )
    return LearnedModel(network)


def _observed(features: Features, num_players: int) -> Features:
    """Returns a tower's features as dynamics predict them: on their scale, with who moves."""
    if not isinstance(features, GridFeatures):
        return scaled(features)
    cells, numbers = scaled(features.cells), scaled(features.numbers)
    first = jnp.zeros((len(cells), num_players)).at[:, 0].set(1.0)
    return features._replace(cells=cells, numbers=numbers, mover=first)


def _flat(features: Features) -> Float[Array, "B N"]:
    if isinstance(features, GridFeatures):
        features = features._replace(mover=None)  # not a part of the position as it is seen
    leaves = jax.tree.leaves(features)
    return jnp.concatenate([leaf.reshape(len(leaf), -1) for leaf in leaves], axis=-1)


def _feature_count(network: Network, tower: Any) -> int:
    """Returns how many numbers the features of one position are."""
    shapes = network.board if network.tower.observes_pair else (network.board,)
    obs = [jnp.zeros((1, *shape)) for shape in shapes]
    return int(_flat(tower.represent(*obs)).shape[-1])
