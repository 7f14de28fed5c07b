"""The tower `square`, the default: for square boards observed as planes."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

from jaxgames.env import Env
from jaxgames.networks.blocks import ResidualBlock
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.dynamics import SquareDynamics
from jaxgames.networks.network import Network, Tower, check_planes
from jaxgames.networks.prediction import NetworkOutput, num_outputs, of_all_seats


class SquareTower(nnx.Module):
    """Convolutional tower over a board `[H, W, planes]`.

    Policy: logits of actions on squares come from a 1x1 convolution with `k` channels, so that all
    squares share what is learned on one. These actions are numbered square by square
    (`action = square * k + kind`) or, with `by_plane`, kind by kind (`kind * squares + square`).
    The other actions have logits from a dense layer; with `on_squares=False` all actions have.
    Value: one number for two seats (the game is zero-sum), else one for each seat. Seats
    are in turn order from the observer.
    """

    def __init__(self, network: Network, dtype: jnp.dtype, rngs: nnx.Rngs):
        config = network.config
        height, width, planes = network.board
        squares = height * width
        self.num_players = network.num_players
        self.by_plane = network.by_plane
        self.kinds = network.num_actions // squares if network.on_squares else 0
        self.extra = network.num_actions - self.kinds * squares
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
        outputs = num_outputs(self.num_players)
        self.value = dense(config.value_hidden, outputs, kernel_init=nnx.initializers.zeros)

    def __call__(self, obs: Float[Array, "B H W planes"]) -> NetworkOutput:
        """Returns logits over all actions and the value of each seat, observer first."""
        return self.predict(self.represent(obs))

    def represent(self, obs: Float[Array, "B H W planes"]) -> Float[Array, "B H W C"]:
        """Returns the features of the squares after all blocks."""
        x = jax.nn.relu(self.stem(obs))
        for block in self.tower:
            x = block(x)
        return x

    def predict(self, x: Float[Array, "B H W C"]) -> NetworkOutput:
        """Returns the prediction from the features of the squares."""
        batch = x.shape[0]
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
        return NetworkOutput(logits, of_all_seats(jnp.tanh(value), self.num_players))


def _make(env: Env, config: NetworkConfig) -> Network:
    check_planes(env, config)
    rules = env.rules
    return Network(
        env.observation_shape,
        env.num_actions,
        env.num_players,
        config,
        by_plane=rules.actions_by_plane,
        on_squares=rules.actions_on_squares,
    )


TOWER = Tower(_make, SquareTower, dynamics=SquareDynamics)
