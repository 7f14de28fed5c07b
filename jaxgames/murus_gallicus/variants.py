"""The named rule variants of Murus Gallicus.

Sources disagree on three points; a variant decides them. `default` follows Wilson, Savinov,
Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020). `basic` is the designer's
basic game, `designer` and `delayed` his advanced game.
"""

from typing import NamedTuple

from jaxgames.murus_gallicus.board import Direction

CATAPULT = 3  # stones of a catapult, the highest stack there is
TOWER = 2
# Directions in which a catapult fires, by their number.
FIRE_DIRECTIONS = {
    3: (Direction.N, Direction.NE, Direction.NW),
    5: (Direction.N, Direction.NE, Direction.E, Direction.W, Direction.NW),
    8: tuple(Direction),
}
IMMEDIATE, DELAYED = WIN_TIMINGS = ("immediate", "delayed")


class Variant(NamedTuple):
    """The rules in which the variants differ."""

    max_stack: int
    """Highest stack: 3, or 2 for a game without catapults."""
    fire_directions: int
    """Number of directions in which a catapult fires; a key of `FIRE_DIRECTIONS`."""
    win_timing: str
    """`"immediate"`: a stone on the far row wins at once. `"delayed"`: it wins if it still stands
    there when its owner's next turn begins."""

    @property
    def has_catapults(self) -> bool:
        """Whether stacks of three stones exist."""
        return self.max_stack == CATAPULT

    @property
    def fire(self) -> tuple[Direction, ...]:
        """Directions in which a catapult fires."""
        return FIRE_DIRECTIONS[self.fire_directions] if self.has_catapults else ()


VARIANTS = {
    "default": Variant(max_stack=3, fire_directions=5, win_timing=IMMEDIATE),
    "basic": Variant(max_stack=2, fire_directions=5, win_timing=IMMEDIATE),
    "delayed": Variant(max_stack=3, fire_directions=5, win_timing=DELAYED),
    "designer": Variant(max_stack=3, fire_directions=5, win_timing=DELAYED),
    "fire3": Variant(max_stack=3, fire_directions=3, win_timing=IMMEDIATE),
    "fire8": Variant(max_stack=3, fire_directions=8, win_timing=IMMEDIATE),
}
# Most legal actions of any position with at most 16 stones a side, by `max_stack`; the number of
# fire directions does not matter. Exact: the optima of the integer program in
# tests/jaxgames/murus_gallicus/test_bound.py. With catapults they are 8 towers in all 8 directions,
# and 23 double strikes, since 8 towers can be next to 5 catapults in 23 pairs at most.
MAX_LEGAL_ACTIONS = {2: 57, 3: 87}
