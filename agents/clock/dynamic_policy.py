"""The dynamic time management of the Murus Gallicus paper, as a table.

Source: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020),
with the thresholds of their program, for 120 seconds a game. The fewer stacks can act, the fewer
moves there are, and the deeper a search gets. The opening is played fast.

The program could train eight time limits: 20, 115, 20, 80, 80, 100, 70 and 50 seconds. The use of
three of them (100, 70, 50) is not described. The two further limits of panic mode and the longest
time for one move replace them, so there are eight limits here too.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from agents.clock.policy import LARGEST_SHARE, MovePlan
from jaxgames.murus_gallicus.board import FILES
from jaxgames.murus_gallicus.position import heights
from jaxgames.murus_gallicus.rules import MurusState
from jaxgames.murus_gallicus.variants import TOWER


class Limits(NamedTuple):
    """The limits, in seconds left for the game. All of them may be trained."""

    panic: float = 20.0  # panic begins
    opening: float = 115.0  # the opening ends
    three: float = 20.0  # least for looking far ahead with up to three active stacks
    four: float = 80.0  # and with four
    advanced: float = 80.0  # and with five, once few stacks stand on the first two ranks
    panic_three: float = 15.0  # panic with three active stacks grows
    flag: float = 0.8  # hardly any time is left: depth 1 with four or more active stacks
    move: float = 10.0  # longest time for one move; tighter than `LARGEST_SHARE` above 80 seconds


DEFAULT_LIMITS = Limits()


class Facts(NamedTuple):
    """Numbers of the side to act, on which the table decides."""

    active: int  # towers and catapults
    home: int  # stacks on the home row
    back: int  # stacks on ranks 1 and 2


class Row(NamedTuple):
    """A depth and the conditions for it; a bound of None is no condition."""

    depth: int
    max_active: int | None = None
    min_active: int | None = None
    max_home: int | None = None
    max_back: int | None = None
    over: str | None = None  # limit that the time left must exceed
    up_to: str | None = None  # limit that the time left must not exceed
    at_least: str | None = None  # limit that the time left must reach

    def fits(self, facts: Facts, remaining: float, limits: Limits) -> bool:
        """Returns whether the row applies."""
        bounds = (
            (facts.active, self.max_active),
            (facts.home, self.max_home),
            (facts.back, self.max_back),
        )
        return (
            all(bound is None or number <= bound for number, bound in bounds)
            and (self.min_active is None or facts.active >= self.min_active)
            and (self.over is None or remaining > getattr(limits, self.over))
            and (self.up_to is None or remaining <= getattr(limits, self.up_to))
            and (self.at_least is None or remaining >= getattr(limits, self.at_least))
        )


Table = tuple[Row, ...]
"""The first row that fits decides."""

PANIC: Table = (
    Row(1, min_active=4, up_to="flag"),
    Row(7, max_active=1),
    Row(5, max_active=2),
    Row(5, max_active=3, over="panic_three"),
    Row(3),
)
OPENING: Table = (
    Row(7, max_home=3, max_active=4),
    Row(5, max_home=5),
    Row(3),
)
LATER: Table = (
    Row(7, max_active=3, at_least="three"),
    Row(7, max_active=4, at_least="four"),
    Row(7, max_active=5, max_back=2, at_least="advanced"),
    Row(5),
)


@dataclasses.dataclass(frozen=True)
class Dynamic:
    """The depth by stacks and time, from the tables above."""

    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        """Checks the limits."""
        for name, value in self.limits._asdict().items():
            if not value >= 0:
                raise ValueError(f"limit {name} must be at least 0 seconds, got {value}")

    @property
    def max_depth(self) -> int:
        """The greatest depth of the tables."""
        return max(row.depth for row in PANIC + OPENING + LATER)

    def plan(self, game: MurusState, remaining: float) -> MovePlan:
        """Returns the plan for a position with host values and the seconds left for the game."""
        facts = facts_of(game)
        is_panic = remaining <= self.limits.panic
        if is_panic:
            table = PANIC
        else:
            table = OPENING if remaining > self.limits.opening else LATER
        depth = next(row.depth for row in table if row.fits(facts, remaining, self.limits))
        seconds = min(self.limits.move, LARGEST_SHARE * remaining)
        return MovePlan(depth, seconds, is_panic)


def facts_of(game: MurusState) -> Facts:
    """Returns the facts of a position with host values."""
    own = np.maximum(heights(game), 0)
    return Facts(
        active=int((own >= TOWER).sum()),
        home=int((own[:FILES] > 0).sum()),
        back=int((own[: 2 * FILES] > 0).sum()),
    )
