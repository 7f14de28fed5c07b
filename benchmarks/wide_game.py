"""An artificial game of any width, and an evaluator: both cost next to nothing.

They time a search alone. Positions are random numbers, so that trees have the shape of real trees:
priors differ, values disagree with priors, and the best line is some plies deep.
"""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, UInt32

from jaxgames import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation

PRIOR_RANGE = 6.0  # logits are uniform in a range of this width


class WideState(struct.PyTreeNode):
    """A position."""

    number: UInt32[Array, ""]  # identifies the position
    seat: Int32[Array, ""]


@dataclasses.dataclass(frozen=True)
class WideGame(Rules[WideState]):
    """Two seats in turns, `width` legal actions in every position, no end."""

    width: int
    num_players: ClassVar[int] = 2
    version: ClassVar[str] = "1"
    max_steps: ClassVar[int] = 2**15

    @property
    def num_actions(self) -> int:
        """Returns the width."""
        return self.width

    @property
    def max_legal_actions(self) -> int:
        """Returns the width: all actions are legal."""
        return self.width

    def init(self, key: PRNGKeyArray) -> WideState:
        """Returns a random position."""
        return WideState(jax.random.bits(key, (), jnp.uint32), jnp.int32(0))

    def to_move(self, state: WideState) -> Int32[Array, ""]:
        """Returns the seat to move; seats alternate."""
        return state.seat

    def legal_actions(self, state: WideState) -> Bool[Array, "actions"]:
        """Returns the mask in which all actions are legal."""
        return jnp.ones_like(state.number, shape=(self.width,), dtype=bool)

    def step(self, state: WideState, action: Any, key: PRNGKeyArray | None) -> WideState:
        """Returns another random position."""
        del key
        return WideState(mix(state.number + mix(jnp.uint32(1) + action)), 1 - state.seat)

    def is_over(self, state: WideState) -> Bool[Array, ""]:
        """Returns false: the game has no end."""
        return jnp.zeros_like(state.seat, dtype=bool)

    def returns(self, state: WideState) -> Float[Array, "players"]:
        """Returns zeros: nobody wins."""
        return jnp.zeros_like(state.number, shape=(2,), dtype=jnp.float32)

    def observe(self, state: WideState, player: Any) -> UInt32[Array, ""]:
        """Returns the number."""
        del player
        return state.number


@dataclasses.dataclass(frozen=True)
class RandomNumbers:
    """Priors and values that look random and depend on the position only."""

    width: int

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns logits in [0, PRIOR_RANGE) and values in [-1, 1)."""
        del params, key
        actions = jnp.arange(self.width, dtype=jnp.uint32)
        logits = _unit(mix(state.number[:, None] + actions * jnp.uint32(0x9E3779B9)))
        value = 2 * _unit(mix(state.number)) - 1
        return Evaluation(PRIOR_RANGE * logits, jnp.stack([value, -value], axis=-1))


def mix(number: UInt32[Array, "*any"]) -> UInt32[Array, "*any"]:
    """Returns a number in which each bit depends on all bits of the argument."""
    number = number.astype(jnp.uint32)
    number = (number ^ (number >> 16)) * jnp.uint32(0x7FEB352D)
    number = (number ^ (number >> 15)) * jnp.uint32(0x846CA68B)
    return number ^ (number >> 16)


def _unit(number: UInt32[Array, "*any"]) -> Float[Array, "*any"]:
    return (number >> 8).astype(jnp.float32) / 2**24
