"""The network of AlphaTM: a deep tower with batch normalisation and two policy heads.

Source: the paper's description. The tower is a 3x3 convolution and 19 residual blocks (a figure
says 18) of 256 filters over planes `[9, 26]`. The policy has a 2x2 convolution that halves the
width. On it, a dense layer gives the logits of all outputs but the town tiles; a 1x1 convolution
with one filter and a dense layer give those of the town tiles. The value has a 1x1 convolution and
two dense layers.

In the paper the town tiles have a softmax of their own. A decision is about town tiles or about
other outputs, never both, so one softmax over the legal outputs gives the same.

**Normalisation.** While learning, a batch is normalised by its own mean and variance. Everywhere
else running averages of these are used, so that a position's value does not depend on the others in
its batch. The averages are part of the parameters. Their gradient is zero and they are no kernels,
so the optimizer leaves them alone; `Network.train` updates them.

Not in the paper: the second normalisation of each block starts at scale zero. A fresh tower, whose
averages fit no game yet, is then an identity and not 38 amplifications of its input.
"""

import functools

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

from jaxgames.env import Env
from jaxgames.networks import square_tower
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network, Tower
from jaxgames.networks.prediction import NetworkOutput, of_all_seats

TOWN_OUTPUTS = 5  # the last ones
MOMENTUM = 0.9  # of the running averages, in gradient steps


class NormalisedConv(nnx.Module):
    """A convolution without bias and a batch normalisation."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        window: tuple[int, int],
        dtype: jnp.dtype,
        rngs: nnx.Rngs,
        strides: tuple[int, int] = (1, 1),
        scale: nnx.Initializer = nnx.initializers.ones,
    ):
        self.conv = nnx.Conv(
            inputs, outputs, window, strides, use_bias=False, dtype=dtype, rngs=rngs
        )
        self.norm = nnx.BatchNorm(
            outputs, momentum=MOMENTUM, scale_init=scale, dtype=dtype, rngs=rngs
        )

    def __call__(self, x: Float[Array, "B H W inputs"]) -> Float[Array, "B H2 W2 outputs"]:
        """Returns the normalised sums, before any non-linearity."""
        return self.norm(self.conv(x))


class NormalisedBlock(nnx.Module):
    """Two 3x3 convolutions around a skip connection."""

    def __init__(self, channels: int, dtype: jnp.dtype, rngs: nnx.Rngs):
        conv = functools.partial(NormalisedConv, channels, channels, (3, 3), dtype, rngs)
        self.first = conv()
        self.second = conv(scale=nnx.initializers.zeros)

    def __call__(self, x: Float[Array, "B H W C"]) -> Float[Array, "B H W C"]:
        """Returns the block's output, of the same shape."""
        return jax.nn.relu(x + self.second(jax.nn.relu(self.first(x))))


class AlphaTMTower(nnx.Module):
    """The paper's network, in any size, for two seats."""

    def __init__(
        self,
        board: tuple[int, int, int],
        num_actions: int,
        config: NetworkConfig,
        dtype: jnp.dtype,
        rngs: nnx.Rngs,
    ):
        height, width, planes = board
        halved = height * -(-width // 2)
        conv = functools.partial(NormalisedConv, dtype=dtype, rngs=rngs)
        dense = functools.partial(nnx.Linear, dtype=dtype, rngs=rngs)
        channels, stem = config.channels, config.policy_channels

        self.stem = conv(planes, channels, (3, 3))
        self.tower = nnx.List(
            [NormalisedBlock(channels, dtype, rngs) for _ in range(config.blocks)]
        )
        self.policy_stem = conv(channels, stem, (2, 2), strides=(1, 2))
        self.main = dense(halved * stem, num_actions - TOWN_OUTPUTS)
        self.town_squares = conv(stem, 1, (1, 1))
        self.town = dense(halved, TOWN_OUTPUTS)
        self.value_squares = conv(channels, config.value_channels, (1, 1))
        self.value_hidden = dense(height * width * config.value_channels, config.value_hidden)
        self.value = dense(config.value_hidden, 1, kernel_init=nnx.initializers.zeros)

    def __call__(self, obs: Float[Array, "B H W planes"]) -> NetworkOutput:
        """Returns logits over all outputs and the value of each seat, observer first."""
        batch = obs.shape[0]
        x = jax.nn.relu(self.stem(obs))
        for block in self.tower:
            x = block(x)
        policy = jax.nn.relu(self.policy_stem(x))
        town = jax.nn.relu(self.town_squares(policy))
        logits = [self.main(policy.reshape(batch, -1)), self.town(town.reshape(batch, -1))]
        features = jax.nn.relu(self.value_squares(x)).reshape(batch, -1)
        value = self.value(jax.nn.relu(self.value_hidden(features))).astype(jnp.float32)
        policies = jnp.concatenate(logits, axis=-1).astype(jnp.float32)
        return NetworkOutput(policies, of_all_seats(jnp.tanh(value), num_players=2))


def _make(env: Env, config: NetworkConfig) -> Network:
    if env.num_players != 2 or env.num_actions <= TOWN_OUTPUTS:
        raise ValueError(
            f"network.tower=alphatm is for games of two seats with more than {TOWN_OUTPUTS} "
            f"actions; {env.id} has {env.num_players} and {env.num_actions}"
        )
    return square_tower.TOWER.make(env, config)


def _build(network: Network, dtype: jnp.dtype, rngs: nnx.Rngs) -> AlphaTMTower:
    return AlphaTMTower(network.board, network.num_actions, network.config, dtype, rngs)


TOWER = Tower(_make, _build)
