"""`IntegerScore`: the score of a position at the horizon of a depth-first search.

Scores are whole numbers. So a window of one unit separates two values exactly (null windows, PVS),
and a table stores a value in one word.
"""

import dataclasses
from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.rules import Rules
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.afterstates import AfterstateReturns
from jaxgames.search.evaluators.heuristic import Score

MAX_SCORE = 2**28
"""Scores lie strictly between `-MAX_SCORE` and `MAX_SCORE`; wins and losses lie beyond."""
UNITS = 2**20  # units of one point of return, for scores made of a `Score`


class IntegerScore(Protocol):
    """Scores one position. Must be hashable, since searches hold it as a field."""

    def __call__(self, params: Params, state: Any) -> Int32[Array, ""]:
        """Returns the score of a position that is not over, for the seat to move, in any unit."""
        ...


@dataclasses.dataclass(frozen=True)
class Rounded:
    """A `Score` (an estimated return) in units of 2^-20. It takes no parameters."""

    rules: Rules[Any]
    score: Score

    def __call__(self, params: Params, state: Any) -> Int32[Array, ""]:
        """Returns the rounded score of the seat to move."""
        del params
        value = self.score(state)[self.rules.to_move(state)]
        return jnp.round(value * UNITS).astype(jnp.int32)


@dataclasses.dataclass(frozen=True)
class Learned:
    """Learned values of afterstates in units of 2^-20, as the seat that waits sees the position.

    The seats must alternate: then that seat has acted last, and a position is an afterstate of its
    action. The parameters are those of the network.
    """

    rules: Rules[Any]
    network: AfterstateReturns

    def __call__(self, params: Params, state: Any) -> Int32[Array, ""]:
        """Returns the rounded value of the seat to move."""
        seat = self.rules.to_move(state)
        one = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
        value = self.network.returns(params, one, 1 - seat[None])[0, seat]
        return jnp.round(value * UNITS).astype(jnp.int32)


class Latch(Protocol):
    """The condition and the effect of the change. Must be hashable."""

    def is_due(self, state: Any) -> Bool[Array, ""]:
        """Returns whether the evaluation of the seat to move changes from this position on."""
        ...

    def thrown(self, params: Params) -> Params:
        """Returns the parameters of a player for the rest of the game."""
        ...
