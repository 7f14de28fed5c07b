"""`NetworkOutput`: the output of a network for a batch of positions."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float


class PredictedScores(NamedTuple):
    """Expected final points, in units of the learner; the observer first."""

    points: Float[Array, "B players"]
    lead: Float[Array, "B players"]
    """Own points less the points of the best other seat."""


class NetworkOutput(NamedTuple):
    """Logits over all actions, and the value of each seat, observer first."""

    logits: Float[Array, "B actions"]
    values: Float[Array, "B players"]
    scores: PredictedScores | None = None
    """None if the network predicts no points."""


def of_all_seats(own: Float[Array, "B outputs"], num_players: int) -> Float[Array, "B players"]:
    """Returns numbers for all seats; with two seats, the second number is minus the first."""
    return jnp.concatenate([own, -own], axis=-1) if num_players == 2 else own


def num_outputs(num_players: int) -> int:
    """Returns the number of outputs that `of_all_seats` takes."""
    return 1 if num_players == 2 else num_players
