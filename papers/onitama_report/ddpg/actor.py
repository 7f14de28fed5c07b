"""The eight actors of the Onitama report, and the mask that removes invalid actions.

Source: Dasgupta and Chong, "Mastering the game of Onitama with Reinforcement Learning" (2021). An
actor has a layer "actions", a softmax over all actions. All but one also have a layer "validity",
which learns for each action how likely it is to be valid. The actors differ in what feeds the two
layers, and in the policy: the softmax alone, or its product with the validities.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.network import Network, sizes
from papers.onitama_report.ddpg.preprocess import Preprocess, small_weights

LEAST_MASS = 1e-12  # of a policy on valid actions; less counts as nothing, its gradient overflows


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
            kernel_init=small_weights,
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


@dataclasses.dataclass(frozen=True)
class ActorNetwork(Network):
    """An actor as pure functions of its parameters; `apply` returns an `ActorOutput`."""

    architecture: str
    """One of `WIRINGS`."""

    def build(self, key: PRNGKeyArray) -> Actor:
        """Returns an actor with fresh parameters."""
        return Actor(
            WIRINGS[self.architecture],
            self.board,
            self.numbers,
            self.num_actions,
            self.config,
            nnx.Rngs(key),
        )


def make_actor(env: Env[Any], architecture: str, config: NetworkConfig) -> ActorNetwork:
    """Returns an actor for a game.

    Raises:
        ValueError: for an unknown architecture, or a game whose observation is not a board
            `[planes, height, width]` and a vector.
    """
    if architecture not in WIRINGS:
        raise ValueError(unknown("architecture", architecture, WIRINGS))
    return ActorNetwork(*sizes(env), config, architecture)


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
