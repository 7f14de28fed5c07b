"""Targets of TD(lambda): lambda returns of all seats, computed backwards through the plies."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from train.afterstates.play import Afterstates


def lambda_returns(
    predicted: Float[Array, "T B heads"], record: Afterstates, trace: float
) -> tuple[Float[Array, "T B heads"], Bool[Array, "T B"]]:
    """Returns the target of each afterstate, and the mask of afterstates that have one.

    The target is the outcome where the game ended by its rules. Elsewhere it is the next value in
    the game, of share `1 - trace`, and the target of the next afterstate. The last afterstate of a
    game in progress, and of a game that was cut off, has no target.

    Args:
        predicted: the newest prediction for each afterstate, seat 0 first.
        record: what happened.
        trace: lambda.
    """

    def earlier(
        carry: tuple[Array, Array, Array], now: tuple[Array, Afterstates]
    ) -> tuple[tuple[Array, Array, Array], tuple[Array, Array]]:
        target, value, has_next = carry
        predicted, ply = now
        mixed = (1 - trace) * value + trace * target
        mixed = jnp.where((has_next & ~ply.ended)[:, None], mixed, predicted)
        new_target = jnp.where(ply.decided[:, None], ply.outcome, mixed)
        new_value = jnp.where(ply.decided[:, None], ply.outcome, predicted)
        has_target = jnp.where(ply.ended, ply.decided, has_next & ply.is_action)
        counts = ply.is_action | ply.ended
        carry = (
            jnp.where(counts[:, None], new_target, target),
            jnp.where(counts[:, None], new_value, value),
            counts | has_next,
        )
        return carry, (new_target, has_target)

    nothing = jnp.zeros_like(predicted[0])
    start = (nothing, nothing, jnp.zeros(nothing.shape[0], bool))
    _, (targets, has_target) = jax.lax.scan(earlier, start, (predicted, record), reverse=True)
    return targets, has_target
