"""Retrograde analysis: exact values of a whole class of positions, with play of any length.

Source: Thompson, "Retrograde analysis of certain endgames", ICCA Journal, 1986.

The successors of every position are computed once, forwards, by the rules. Then positions are
decided backwards: those won in 1 ply, lost in 2, won in 3, and so on, until a distance decides
none. Positions that are left are drawn. Nothing here knows a particular game.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

ALWAYS_WON = np.iinfo(np.int16).max
"""The value of `no_move` for the opponent: a move that does not exist decides nothing."""


class Successors(NamedTuple):
    """Some positions, each with its successors."""

    positions: np.ndarray
    """`[n]` int: the index of each position."""
    wins: np.ndarray
    """`[n]` bool: whether a move wins at once. Other moves of such a position are not read."""
    after: np.ndarray
    """`[n, moves]` int: the index of the position after each move; `no_move` in unused columns."""


class SolvedPositions(NamedTuple):
    """Positions of a game for two seats with exact values, for training."""

    games: Any
    """Game states `[N, ...]`."""
    best: np.ndarray
    """`[N, actions]` bool: the fastest wins, the longest defences or all moves that draw."""
    values: np.ndarray
    """`[N, 2]` float32: the return of each seat with best play."""


class IndexedPositions(Protocol):
    """A class of positions numbered `0` to `no_move - 1`, closed under moves.

    The game has two seats that move in turns. A position is seen by the seat to move and has a move
    that leads to another one of the class, or wins at once. The index of no position is `no_move`.
    """

    @property
    def no_move(self) -> int:
        """The size of the table; as a successor it marks a move that does not exist."""
        ...

    def successors(self) -> Iterator[Successors]:
        """Yields all positions in which the game goes on, each once, in parts of any size."""
        ...


def solve(indexed: IndexedPositions) -> np.ndarray:
    """Returns the exact values of a class of positions.

    Returns:
        `[no_move + 1]` int16 by index: `n` for a win of the seat to move in `n` plies with best
        play, `-n` for a loss in `n` plies, 0 for a draw and for numbers that are no position. The
        last entry is `ALWAYS_WON`.
    """
    table = np.zeros(indexed.no_move + 1, np.int16)
    table[indexed.no_move] = ALWAYS_WON
    positions, successors = _undecided_after_one_ply(indexed, table)
    for distance in itertools.count(2):
        values = table[successors]
        # A seat loses when all its moves let the opponent win, and wins when one makes it lose.
        decided = (values > 0).all(axis=1) if distance % 2 == 0 else (values < 0).any(axis=1)
        if not decided.any():
            break
        table[positions[decided]] = distance if distance % 2 else -distance
        positions, successors = positions[~decided], successors[~decided]
    return table


def _undecided_after_one_ply(
    indexed: IndexedPositions, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Enters the wins in one ply; returns the index and the successors of all other positions."""
    positions, successors = [], []
    for part in indexed.successors():
        table[part.positions[part.wins]] = 1
        positions.append(part.positions[~part.wins])
        successors.append(part.after[~part.wins])
    return np.concatenate(positions), np.concatenate(successors)
