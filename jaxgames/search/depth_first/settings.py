"""The settings of a depth-first search and their checks."""

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
    """The game, the score and the hyper-parameters of a depth-first search.

    Raises:
        ValueError: for a game or a setting that the search does not allow.
    """

    rules: Rules[Any]
    score: IntegerScore
    max_depth: int = 3  # most plies to search, the own move included
    pruning: Pruning = "pvs"
    table_bits: int | None = None  # a table of 2^bits entries for each lane; None: no table
    quiescence: int = 0  # further plies in which noisy moves are searched; needs tactics
    tactics: ordering.Tactics | None = None
    deepening: bool = True  # search depth 1, 2, ... up to the wanted depth
    shares_params: bool = False  # all lanes have the same parameters, without a leading axis

    def __post_init__(self) -> None:
        """Checks the game and the settings."""
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
        """Returns the levels of a stack: one for every position that can be expanded."""
        return self.max_depth + self.quiescence
