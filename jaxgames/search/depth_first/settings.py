"""The settings of a depth-first search, and what it refuses."""

import dataclasses
from typing import Any, Literal

from jaxgames.rules import Rules
from jaxgames.search.depth_first import ordering
from jaxgames.search.evaluators.integer_score import IntegerScore

Pruning = Literal["none", "alpha_beta", "pvs"]
MAX_DEPTH = 64
MAX_TABLE_BITS = 24


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a depth-first search is asked to do.

    Raises:
        ValueError: for a game or a setting that the search does not allow.
    """

    rules: Rules[Any]
    score: IntegerScore
    max_depth: int = 3  # plies looked ahead at most, the own move included
    pruning: Pruning = "pvs"
    table_bits: int | None = None  # a table of 2^bits entries for each lane; None: no table
    quiescence: int = 0  # further plies of noisy moves; needs tactics
    tactics: ordering.Tactics | None = None
    deepening: bool = True  # whether to search depth 1, 2, ... before the depth asked for

    def __post_init__(self) -> None:
        """Refuses what the search would misjudge."""
        if self.rules.num_players != 2:
            raise ValueError(
                f"a depth-first search needs two seats, this game has {self.rules.num_players}"
            )
        if self.rules.stochastic or not self.rules.perfect_information:
            raise ValueError("a depth-first search needs a game without chance and hidden moves")
        if not 1 <= self.max_depth <= MAX_DEPTH:
            raise ValueError(f"depth must be from 1 to {MAX_DEPTH} plies, got {self.max_depth}")
        if self.pruning not in ("none", "alpha_beta", "pvs"):
            raise ValueError(f"pruning must be none, alpha_beta or pvs, got {self.pruning!r}")
        if self.table_bits is not None and not 1 <= self.table_bits <= MAX_TABLE_BITS:
            raise ValueError(
                f"table must be from 1 to {MAX_TABLE_BITS} bits, got {self.table_bits}"
            )
        if not 0 <= self.quiescence <= MAX_DEPTH:
            raise ValueError(
                f"quiescence must be from 0 to {MAX_DEPTH} plies, got {self.quiescence}"
            )
        if self.quiescence and self.tactics is None:
            raise ValueError("quiescence needs a game whose noisy moves are known (tactics)")
        if self.rules.num_actions >= 2**15:
            raise ValueError(
                f"a depth-first search numbers actions with 15 bits, got {self.rules.num_actions}"
            )

    @property
    def levels(self) -> int:
        """Levels of a stack: every position that is entered has one."""
        return self.max_depth + self.quiescence
