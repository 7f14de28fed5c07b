"""`TimePolicy`: the depth and the time of a search for a move by a player with a clock."""

import dataclasses
from typing import Any, NamedTuple, Protocol


class MovePlan(NamedTuple):
    """The plan for one move."""

    depth: int  # plies to look ahead
    seconds: float  # after which the deepest finished search decides
    is_panic: bool = False  # whether the player is short of time


class TimePolicy(Protocol):
    """Plans a move; a pure function of the position and the time that is left."""

    @property
    def max_depth(self) -> int:
        """The greatest depth of any plan."""
        ...

    def plan(self, game: Any, remaining: float) -> MovePlan:
        """Returns the plan for a position with host values and the seconds left for the game."""
        ...


LARGEST_SHARE = 1 / 8  # of the time left; no move may use more, whatever its depth


@dataclasses.dataclass(frozen=True)
class Static:
    """Always the same depth, as the program of the paper's first milestone.

    That program did not guard its time. Here, a move stops at a share of the time left, so that a
    machine that is too slow for the depth plays on with a smaller depth.
    """

    depth: int = 5

    def __post_init__(self) -> None:
        """Checks the depth."""
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, got {self.depth}")

    @property
    def max_depth(self) -> int:
        """The depth."""
        return self.depth

    def plan(self, game: Any, remaining: float) -> MovePlan:
        """Returns the same depth for every position."""
        del game
        return MovePlan(self.depth, LARGEST_SHARE * remaining)
