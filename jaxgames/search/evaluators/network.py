"""`NetworkEvaluator`: a trained network as evaluator.

Networks give the value of the observing seat first; evaluators give values of absolute seats.
"""

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
        """Returns logits and values, the observing seat first, for a batch of observations.

        `jaxgames.PackedPlanes` in them become an array by `astype`.
        """
        ...


@dataclasses.dataclass(frozen=True)
class NetworkEvaluator:
    """Evaluates positions by a network, which observes them as the seat to move."""

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
    """Returns values by seat 0, 1, ... from values that start with the seat `observer`."""
    return _rolled(values, observer, 1)


def to_observer_first(
    values: Float[Array, "B players"], observer: Int32[Array, "B"]
) -> Float[Array, "B players"]:
    """Returns values that start with the seat `observer`: the inverse of `to_absolute_seats`."""
    return _rolled(values, observer, -1)


def _rolled(
    values: Float[Array, "B players"], observer: Int32[Array, "B"], direction: int
) -> Float[Array, "B players"]:
    """Returns each row moved on by the number of its observer, the end of it to the start.

    A gather would do the same; a TPU reads its entries one after the other.
    """
    num_players = values.shape[-1]
    seat, result = observer % num_players, values
    for number in range(1, num_players):
        moved = jnp.roll(values, direction * number, axis=-1)
        result = jnp.where((seat == number)[:, None], moved, result)
    return result
