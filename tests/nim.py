"""Nim: take stones from one heap; whoever takes the last stone wins.

Action `a` removes `a % MAX_TAKE + 1` stones from heap `a // MAX_TAKE`.
"""

import dataclasses
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32, PRNGKeyArray

from jaxgames import Rules

HEAPS = np.array([3, 5, 7], np.int8)  # stones in each heap at the start
MAX_TAKE = int(HEAPS.max())
TAKEN = np.kron(
    np.eye(len(HEAPS), dtype=np.int8), np.arange(1, MAX_TAKE + 1, dtype=np.int8)[:, None]
)


class NimState(struct.PyTreeNode):
    """A position."""

    heaps: Int8[Array, "heaps"]  # stones left
    seat: Int32[Array, ""]  # seat to move


@dataclasses.dataclass(frozen=True)
class Nim(Rules[NimState]):
    """Normal-play Nim for two seats."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = len(TAKEN)
    max_legal_actions: ClassVar[int] = int(HEAPS.sum())
    max_steps: ClassVar[int] = int(HEAPS.sum())
    version: ClassVar[str] = "1"

    def init(self, key: PRNGKeyArray) -> NimState:
        """Returns the start position; Nim has no chance."""
        del key
        return NimState(heaps=jnp.asarray(HEAPS), seat=jnp.int32(0))

    def to_move(self, state: NimState) -> Int32[Array, ""]:
        """Returns the seat that must act."""
        return state.seat

    def legal_actions(self, state: NimState) -> Bool[Array, "actions"]:
        """Returns the actions that take no more stones than the heap holds."""
        return (state.heaps >= TAKEN).all(axis=-1)

    def step(
        self, state: NimState, action: Int32[Array, ""], key: PRNGKeyArray | None = None
    ) -> NimState:
        """Takes the stones and passes the turn."""
        del key
        return NimState(heaps=state.heaps - jnp.asarray(TAKEN)[action], seat=1 - state.seat)

    def is_over(self, state: NimState) -> Bool[Array, ""]:
        """The game ends with the last stone."""
        return (state.heaps == 0).all()

    def returns(self, state: NimState) -> Float[Array, "players"]:
        """Returns +1 for the seat that took the last stone and -1 for the other."""
        outcome = jnp.where(jnp.arange(self.num_players) == state.seat, -1.0, 1.0)
        return jnp.where(self.is_over(state), outcome, 0.0)

    def observe(self, state: NimState, player: Int32[Array, ""]) -> Float[Array, "heaps"]:
        """Returns the heaps scaled to [0, 1]; both seats see the same."""
        del player
        return state.heaps / jnp.asarray(HEAPS, jnp.float32)


def make_score(rules):
    """Returns who wins every position by Bouton's theorem, as an estimated return."""
    del rules
    return score


def score(state: NimState) -> Float[Array, "players"]:
    heaps = state.heaps
    wins = heaps[0] ^ heaps[1] ^ heaps[2] != 0  # the seat to move
    own = jnp.where(wins, 0.5, -0.5)
    return jnp.where(jnp.arange(2) == state.seat, own, -own)
