"""The eight actors and the critic of the Onitama report, as pure functions of their parameters.

Source: Dasgupta and Chong, "Mastering the game of Onitama with Reinforcement Learning" (2021). An
actor has a layer "actions", a softmax over all actions, and all but one have a layer "validity",
which learns for each action how likely it is to be valid. The actors differ in how the two layers
hang together, and in whether the final policy is the softmax or its product with the validities.
Kernel sizes, the number of the first channels, the width of the first dense layer and the
activations are our choice, since the report shows them in figures that cannot be read.

**Normalisation** is as in `alphatm.py`: by the batch's own statistics while learning, elsewhere by
running averages, which are among the parameters.

The 3x3 convolutions are written as products of matrices. Learners with different seeds compute side
by side (`jax.vmap`), which turns ordinary convolutions into grouped ones. A gradient step takes 5
times as long with those for one learner on two cores, and 1.2 times as long for four.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from jaxgames.env import Env
from jaxgames.messages import unknown
from papers.onitama_report.config import NetworkConfig

MOMENTUM = 0.9  # of the running averages, in gradient steps
WINDOW = 3  # squares along a side of what a convolution sees
SMALL_WEIGHT = 3e-3  # greatest first weight of the layer "actions" and of the critic's value
LEAST_MASS = 1e-12  # of a policy on valid actions; less counts as nothing, its gradient overflows
SMALLEST_SIDE = 4  # of a board that is halved twice
_LEARNED = (nnx.Param, nnx.BatchStat)  # kinds of arrays that parameters hold


class Wiring(NamedTuple):
    """How the two layers of an actor hang together."""

    validity: str | None
    """Where the validities come from, and which layer sees the other: None (there are none),
    "after_actions", "before_actions", "branch" (neither sees the other) or "apart" (from a
    preprocessing of their own)."""
    multiplies: bool
    """Whether the policy is the product of both layers, normalised."""


WIRINGS = {
    "actions_only": Wiring(None, multiplies=False),
    "val_after_actions": Wiring("after_actions", multiplies=False),
    "actions_after_val": Wiring("before_actions", multiplies=False),
    "val_branch_actions": Wiring("branch", multiplies=False),
    "val_after_actions_multiply": Wiring("after_actions", multiplies=True),
    "actions_after_val_multiply": Wiring("before_actions", multiplies=True),
    "val_branch_actions_multiply": Wiring("branch", multiplies=True),
    "dual": Wiring("apart", multiplies=True),
}
VALIDITY_NET = ("validity", "validity_preprocess")
"""What `dual` uses for the validities alone, by its names in the parameters."""


class ActorOutput(NamedTuple):
    """What an actor says about a batch of positions."""

    policy: Float[Array, "B actions"]
    """The final policy; it may give a share to invalid actions."""
    actions: Float[Array, "B actions"]
    """The softmax of the layer "actions"."""
    validity_logits: Float[Array, "B actions"] | None
    """The layer "validity" before its sigmoid; None if the actor has none."""


class Convolution(nnx.Module):
    """A 3x3 convolution, zeros beyond the edge, and a batch normalisation."""

    def __init__(self, inputs: int, outputs: int, rngs: nnx.Rngs):
        # No bias: the normalisation has one.
        self.kernel = nnx.Linear(WINDOW**2 * inputs, outputs, use_bias=False, rngs=rngs)
        self.norm = nnx.BatchNorm(outputs, momentum=MOMENTUM, rngs=rngs)

    def __call__(self, x: Float[Array, "B H W inputs"]) -> Float[Array, "B H W outputs"]:
        """Returns the normalised sums, before any non-linearity."""
        height, width = x.shape[1:3]
        padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        steps = range(WINDOW)
        shifted = [padded[:, i : i + height, j : j + width] for i in steps for j in steps]
        return self.norm(self.kernel(jnp.concatenate(shifted, axis=-1)))


class Preprocess(nnx.Module):
    """Turns a board and vectors of numbers into features."""

    def __init__(
        self,
        board: tuple[int, int, int],
        vectors: tuple[int, ...],
        config: NetworkConfig,
        rngs: nnx.Rngs,
    ):
        planes, height, width = board
        self.convolutions = nnx.List(
            [
                Convolution(planes, config.channels, rngs),
                Convolution(config.channels, 2 * config.channels, rngs),
            ]
        )
        self.vectors = nnx.List([nnx.Linear(size, size, rngs=rngs) for size in vectors])
        squares = (height // 4) * (width // 4)
        self.first = nnx.Linear(
            squares * 2 * config.channels + sum(vectors), config.hidden, rngs=rngs
        )
        self.second = nnx.Linear(config.hidden, config.hidden, rngs=rngs)

    def __call__(
        self, board: Float[Array, "B planes H W"], *vectors: Float[Array, "B N"]
    ) -> Float[Array, "B hidden"]:
        """Returns the features of each position."""
        x = jnp.moveaxis(board, 1, -1)
        for convolution in self.convolutions:
            x = _halve(jax.nn.relu(convolution(x)))
        parts = [x.reshape(x.shape[0], -1)]
        for layer, vector in zip(self.vectors, vectors, strict=True):
            parts.append(jax.nn.relu(layer(vector)))
        x = jax.nn.relu(self.first(jnp.concatenate(parts, axis=-1)))
        return jax.nn.relu(self.second(x))


class Actor(nnx.Module):
    """Any of the eight actors."""

    def __init__(
        self,
        wiring: Wiring,
        board: tuple[int, int, int],
        numbers: int,
        num_actions: int,
        config: NetworkConfig,
        rngs: nnx.Rngs,
    ):
        self.wiring = wiring
        preprocess = functools.partial(Preprocess, board, (numbers,), config, rngs)
        self.preprocess = preprocess()
        sees_validity = wiring.validity == "before_actions"
        sees_actions = wiring.validity == "after_actions"
        self.actions = nnx.Linear(
            num_actions if sees_validity else config.hidden,
            num_actions,
            kernel_init=_small,
            rngs=rngs,
        )
        if wiring.validity is not None:
            inputs = num_actions if sees_actions else config.hidden
            self.validity = nnx.Linear(inputs, num_actions, rngs=rngs)
        if wiring.validity == "apart":
            self.validity_preprocess = preprocess()

    def __call__(
        self, board: Float[Array, "B planes H W"], numbers: Float[Array, "B numbers"]
    ) -> ActorOutput:
        """Returns the policy and what it is made of."""
        features = self.preprocess(board, numbers)
        validity = None
        if self.wiring.validity == "before_actions":
            validity = self.validity(features)
            logits = self.actions(jax.nn.sigmoid(validity))
        else:
            logits = self.actions(features)
        actions = jax.nn.softmax(logits)
        if self.wiring.validity == "after_actions":
            validity = self.validity(actions)
        elif self.wiring.validity == "branch":
            validity = self.validity(features)
        elif self.wiring.validity == "apart":
            validity = self.validity(self.validity_preprocess(board, numbers))
        policy = actions
        if self.wiring.multiplies and validity is not None:
            # The normalised product, by sums of logarithms so that nothing is divided by zero.
            policy = jax.nn.softmax(logits + jax.nn.log_sigmoid(validity))
        return ActorOutput(policy, actions, validity)


class Critic(nnx.Module):
    """The value of an action vector in a position."""

    def __init__(
        self,
        board: tuple[int, int, int],
        numbers: int,
        num_actions: int,
        config: NetworkConfig,
        rngs: nnx.Rngs,
    ):
        self.preprocess = Preprocess(board, (numbers, num_actions), config, rngs)
        self.value = nnx.Linear(config.hidden, 1, kernel_init=_small, rngs=rngs)

    def __call__(
        self,
        board: Float[Array, "B planes H W"],
        numbers: Float[Array, "B numbers"],
        action: Float[Array, "B actions"],
    ) -> Float[Array, "B"]:
        """Returns the expected discounted reward of acting so."""
        return self.value(self.preprocess(board, numbers, action))[:, 0]


@dataclasses.dataclass(frozen=True)
class ActorCriticNetwork:
    """An actor or a critic as pure functions; hashable, holds no parameters."""

    architecture: str
    """One of `WIRINGS`, or "critic"."""
    board: tuple[int, int, int]
    """Planes, height and width of the board."""
    numbers: int
    """Length of the vector beside it."""
    num_actions: int
    config: NetworkConfig

    @functools.cached_property
    def _graph(self) -> Any:
        model = nnx.eval_shape(lambda: self._build(jax.random.key(0)))
        return nnx.split(model, _LEARNED)[0]

    def _build(self, key: PRNGKeyArray) -> Actor | Critic:
        sizes = (self.board, self.numbers, self.num_actions, self.config, nnx.Rngs(key))
        if self.architecture == "critic":
            return Critic(*sizes)
        return Actor(WIRINGS[self.architecture], *sizes)

    def init(self, key: PRNGKeyArray) -> Any:
        """Returns fresh float32 parameters: a nested dict of arrays."""
        return nnx.to_pure_dict(nnx.split(self._build(key), _LEARNED)[1])

    def apply(self, params: Any, *inputs: Array) -> Any:
        """Returns an actor's `ActorOutput`, or a critic's values `[B]`."""
        model = nnx.merge(self._graph, nnx.State(params))
        model.eval()
        return model(*inputs)

    def train(self, params: Any, *inputs: Array) -> tuple[Any, Any]:
        """Returns what `apply` does, as learning sees it, and the parameters after it.

        A batch is normalised by its own statistics, and the running averages of these move on.
        """
        model = nnx.merge(self._graph, nnx.State(params))
        model.train()
        return model(*inputs), nnx.to_pure_dict(nnx.state(model, _LEARNED))


def make_actor(env: Env[Any], architecture: str, config: NetworkConfig) -> ActorCriticNetwork:
    """Returns an actor for a game.

    Raises:
        ValueError: for an unknown architecture, or a game whose observation is not a board
            `[planes, height, width]` and a vector.
    """
    if architecture not in WIRINGS:
        raise ValueError(unknown("architecture", architecture, WIRINGS))
    return _make(env, architecture, config)


def make_critic(env: Env[Any], config: NetworkConfig) -> ActorCriticNetwork:
    """Returns the critic for a game.

    Raises:
        ValueError: for a game whose observation is not a board and a vector.
    """
    return _make(env, "critic", config)


def masked_policy(
    policy: Float[Array, "*B actions"], mask: Bool[Array, "*B actions"]
) -> Float[Array, "*B actions"]:
    """Returns the policy with invalid actions removed, normalised: the report's "hand of god".

    A policy that leaves nothing on valid actions becomes uniform over them, which is our choice.
    """
    kept = jnp.where(mask, policy, 0.0)
    is_lost = kept.sum(axis=-1, keepdims=True) < LEAST_MASS
    kept = jnp.where(is_lost, mask.astype(kept.dtype), kept)
    return kept / jnp.maximum(kept.sum(axis=-1, keepdims=True), LEAST_MASS)


def _make(env: Env[Any], architecture: str, config: NetworkConfig) -> ActorCriticNetwork:
    shape = env.observation_shape
    is_pair = isinstance(shape, tuple) and len(shape) == 2
    if not is_pair or [len(part) if isinstance(part, tuple) else 0 for part in shape] != [3, 1]:
        raise ValueError(
            "actor and critic need an observation of a board [planes, height, width] and a vector; "
            f"{env.id} has {shape}"
        )
    board, (numbers,) = shape
    if min(board[1:]) < SMALLEST_SIDE:
        raise ValueError(
            f"actor and critic need a board of at least {SMALLEST_SIDE} x {SMALLEST_SIDE} squares; "
            f"{env.id} has {board[1]} x {board[2]}"
        )
    return ActorCriticNetwork(architecture, tuple(board), numbers, env.num_actions, config)


def _small(key: PRNGKeyArray, shape: tuple[int, ...], dtype: Any) -> Array:
    """Returns the weights of a last layer as in the DDPG paper: a fresh actor has no preference.

    With larger ones a fresh critic's chance opinions make a policy certain before it has learned.
    """
    return jax.random.uniform(key, shape, dtype, -SMALL_WEIGHT, SMALL_WEIGHT)


def _halve(x: Float[Array, "B H W C"]) -> Float[Array, "B H2 W2 C"]:
    """Returns the maxima of all whole blocks of 2x2 squares."""
    batch, height, width, channels = x.shape
    height, width = height // 2, width // 2
    blocks = x[:, : 2 * height, : 2 * width].reshape(batch, height, 2, width, 2, channels)
    return blocks.max(axis=(2, 4))
