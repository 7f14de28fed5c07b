"""Nim that counts points: eight for the last stone, three for the other seat."""

from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from tests.turn_nim import TurnNim, TurnNimState

WON, LOST = 8.0, 3.0


class PointsNim(TurnNim):
    counts_points: ClassVar[bool] = True
    roles: ClassVar[tuple[str, ...]] = ("first", "second", "nobody")

    def score(self, state: TurnNimState) -> Float[Array, "players"]:
        points = jnp.where(jnp.arange(2) == state.seat, LOST, WON)
        return jnp.where(self.is_over(state), points, 0.0)

    def role(self, state: Any) -> Int32[Array, "players"]:
        del state
        return jnp.arange(2)
