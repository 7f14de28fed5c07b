"""A trained network as evaluator: turns observer-relative values into values of absolute seats."""

import dataclasses
from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation


class PolicyValueNetwork(Protocol):
    """A network as a pure function; must be hashable. `jaxgames.networks.Network` is one."""

    def apply(
        self, params: Params, obs: Any
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B players"]]:
        """Returns logits and values, the observing seat first, for a batch of observations."""
        ...


@dataclasses.dataclass(frozen=True)
class NetworkEvaluator:
    """Evaluates positions from the point of view of the seat to move."""

    rules: Rules
    network: PolicyValueNetwork

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the network's logits and the values of all seats."""
        del key
        seat = jax.vmap(self.rules.to_move)(state)
        obs = jax.vmap(self.rules.observe)(state, seat)
        logits, values = self.network.apply(params, obs)
        return Evaluation(logits, to_absolute_seats(values, seat))


def to_absolute_seats(
    values: Float[Array, "B players"], observer: Int32[Array, "B"]
) -> Float[Array, "B players"]:
    """Reorders values from `observer` first, then in turn order, to seats 0, 1, ..."""
    num_players = values.shape[-1]
    relative = (jnp.arange(num_players) - observer[:, None]) % num_players
    return jnp.take_along_axis(values, relative, axis=-1)


def to_observer_first(
    values: Float[Array, "B players"], observer: Int32[Array, "B"]
) -> Float[Array, "B players"]:
    """The inverse of `to_absolute_seats`."""
    num_players = values.shape[-1]
    absolute = (jnp.arange(num_players) + observer[:, None]) % num_players
    return jnp.take_along_axis(values, absolute, axis=-1)
