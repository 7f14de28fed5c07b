"""`AfterstateDomain`: a game as values of afterstates see it.

An afterstate is the position after an action, seen by the seat that acted. Its value for each seat
is an estimate by the rules of thumb of the game plus what a network has learned. Before anything is
learned, the player follows the estimate alone.

Source: R. Sutton and A. Barto, "Reinforcement Learning", sections 6.8 and 12; G. Tesauro, "Temporal
difference learning and TD-Gammon", 1995.
"""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, UInt8

from jaxgames.boards.packed_planes import as_floats
from jaxgames.rules import Rules, Seat, SeatValues
from jaxgames.search.evaluators.heuristic import Score

_MOST_CERTAIN = 0.99  # of a score: at 1, nothing that is learned would change the value


@dataclasses.dataclass(frozen=True)
class AfterstateDomain:
    """The domain of a game of which only the rules are known.

    A subclass adds features that are cheap to compute and say more than the observation, an
    estimate to start from, and the scale of outcomes. All methods take one game.
    """

    rules: Rules[Any]

    bounded: ClassVar[bool] = True
    """Whether outcomes lie in [-1, 1]. Then a value is `tanh(estimate + learned)`, otherwise
    `estimate + learned`."""
    points_unit: ClassVar[float] = 100.0
    """Game points that count as one in the prediction of final points."""

    def features(self, state: Any, seat: Seat) -> Float[Array, "features"]:
        """Returns what `seat` knows, as numbers of about 1 at most, from its point of view."""
        leaves = jax.tree.leaves(as_floats(self.rules.observe(state, seat)))
        return jnp.concatenate([jnp.ravel(leaf) for leaf in leaves])

    @property
    def num_seat_features(self) -> int:
        """Features of each seat, the last ones, the seat that looks first; 0: not by seats.

        With them, a network of few seats can start to learn the game of more.
        """
        return 0

    @property
    def num_cell_codes(self) -> int:
        """Codes that a cell of the map may have; 0 in games whose map is not shown by cells."""
        return 0

    def cells(self, state: Any, seat: Seat) -> UInt8[Array, "cells"] | None:
        """Returns the code of every cell of the map as `seat` sees it; None without such codes.

        A code says what is on a cell and who gets at it. Every pair of a cell and a code has
        learned numbers of its own, so a game with one map and few codes is served best.
        """
        del state, seat
        return None

    def estimate(self, state: Any, seat: Seat) -> SeatValues:
        """Returns the value of every seat by rules of thumb, as far as `seat` knows.

        The game is not over.
        """
        del state, seat
        return jnp.zeros((self.rules.num_players,), jnp.float32)

    def features_and_estimate(
        self, state: Any, seat: Seat
    ) -> tuple[Float[Array, "features"], SeatValues]:
        """Returns both; a game whose features hold parts of the estimate computes these once."""
        return self.features(state, seat), self.estimate(state, seat)

    def outcome(self, state: Any) -> SeatValues:
        """Returns the value of every seat in a game that is over."""
        return self.rules.returns(state)

    def points(self, state: Any) -> SeatValues:
        """Returns the points of every seat so far, in `points_unit`."""
        return self.rules.score(state).astype(jnp.float32) / self.points_unit


@dataclasses.dataclass(frozen=True)
class ScoredAfterstates(AfterstateDomain):
    """The domain of a game with a score: what is learned is added to the score."""

    score: Score
    """Estimates the return of every seat, in [-1, 1], from one position that is not over."""

    def estimate(self, state: Any, seat: Seat) -> SeatValues:
        """Returns the numbers whose `tanh` is the score, which is kept off its limits."""
        del seat
        return jnp.arctanh(jnp.clip(self.score(state), -_MOST_CERTAIN, _MOST_CERTAIN))
