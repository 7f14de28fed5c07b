"""Exact values of positions of two-seat games with strict alternation, by exhaustive play.

Forwards, all positions within a number of plies are visited, each once. A position with a win in
one ply is not searched further, which keeps endings with many moves small. Backwards, positions are
decided in the order of their distance: wins and losses in 1 ply, in 2, and so on. Nothing here
knows a particular game.

A *distance* is `n` for a win in `n` plies with best play (the winner hurries, the loser delays),
`-n` for a loss in `n` plies, and 0 for a position that the searched plies do not decide.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from benchmarks import host_batches
from benchmarks.golden.core import perft
from benchmarks.host_batches import Batch
from jaxgames.rules import Rules

Identity = Callable[[Batch], np.ndarray]
"""Maps positions to `[positions, bytes]` uint8. Positions with equal rows have equal values."""

NOT_VISITED = -1


class Moves(NamedTuple):
    """The moves of positions, ordered by position, then by action."""

    parents: np.ndarray  # [moves] int32, number of the position
    actions: np.ndarray  # [moves] int16
    children: np.ndarray  # [moves] int32, number of the position after the move, or NOT_VISITED
    outcomes: np.ndarray  # [moves] int8, sign of the return of the seat that moves, if it ends


class Solved(NamedTuple):
    """The distances of positions and of their moves; the distance of a move is its mover's.

    Where a move wins at once, only the moves that win at once are listed.
    """

    distances: np.ndarray  # [positions]
    moves: Moves
    of_moves: np.ndarray  # [moves]


def solve(rules: Rules[Any], games: Batch, depth: int, identity: Identity) -> Solved:
    """Returns the distances of positions in which the game goes on.

    Args:
        rules: the game.
        games: different positions.
        depth: plies to look ahead; distances up to it are exact.
        identity: distinguishes positions.

    Raises:
        ValueError: if two positions are the same.
    """
    numbers = _Numbers()
    numbers.enter(identity(games))
    if len(numbers) < host_batches.size(games):
        raise ValueError("expected different positions, got one of them twice")
    layers: list[Moves] = []
    frontier = games
    while len(layers) < depth and host_batches.size(frontier):
        is_last = len(layers) == depth - 1
        moves, frontier = _visit(rules, frontier, numbers, identity, is_last)
        layers.append(moves)
    values = _decide(layers, len(numbers), depth)
    of_moves = _of_moves(layers[0], values)
    return Solved(values[: host_batches.size(games)], layers[0], of_moves)


def _visit(
    rules: Rules[Any], frontier: Batch, numbers: "_Numbers", identity: Identity, is_last: bool
) -> tuple[Moves, Batch]:
    """Returns the moves of the positions numbered last, and the new positions after them."""
    first = len(numbers) - host_batches.size(frontier)
    moves, after = [], [host_batches.take(frontier, slice(0))]
    for part in host_batches.slices(host_batches.size(frontier), perft.CHUNK):
        edges = perft.expand(rules, host_batches.take(frontier, part))
        outcomes = np.where(edges.is_over, np.sign(edges.outcome), 0).astype(np.int8)
        starts = np.flatnonzero(np.diff(edges.parents, prepend=-1))
        wins = np.maximum.reduceat(outcomes, starts) > 0
        kept = ~wins[edges.parents] | (outcomes > 0)
        children = np.full(len(kept), NOT_VISITED, np.int32)
        if not is_last:
            goes_on = kept & ~edges.is_over
            reached = host_batches.take(edges.children, goes_on)
            if goes_on.any():
                children[goes_on], new = numbers.enter(identity(reached))
                after.append(host_batches.take(reached, new))
        found = Moves(first + part.start + edges.parents, edges.actions, children, outcomes)
        moves.append(host_batches.take(found, kept))
    return _joined(moves), _joined(after)


def _joined(parts: list[Any]) -> Any:
    return jax.tree.map(lambda *arrays: np.concatenate(arrays), *parts)


def _decide(layers: list[Moves], count: int, depth: int) -> np.ndarray:
    """Returns the distances of all visited positions.

    A position first reached after `k` plies is searched `depth - k` plies deep; if these do not
    decide it, its distance is 0.
    """
    values = np.zeros(count, np.int32)
    for plies in range(1, depth + 1):
        before = values.copy()  # moves may lead back to layers changed in this round
        for moves in layers[: depth + 1 - plies]:
            starts = np.flatnonzero(np.diff(moves.parents, prepend=-1))
            owners = moves.parents[starts]
            of_moves = _of_moves(moves, before)
            wins = np.maximum.reduceat(of_moves == plies, starts)
            loses = np.maximum.reduceat(of_moves, starts) < 0
            decided = np.where(wins, plies, np.where(loses, -plies, 0))
            values[owners] = np.where(before[owners] == 0, decided, before[owners])
    return values


def _of_moves(moves: Moves, values: np.ndarray) -> np.ndarray:
    """Returns the distance of each move from the distance of the position after it."""
    reply = np.where(moves.children == NOT_VISITED, 0, values[moves.children])
    return np.where(reply == 0, moves.outcomes, -np.sign(reply) * (np.abs(reply) + 1))


class _Numbers:
    """Numbers positions in the order in which they are first met."""

    def __init__(self) -> None:
        self._keys: np.ndarray | None = None  # sorted
        self._numbers = np.zeros(0, np.int32)  # of each key

    def __len__(self) -> int:
        return len(self._numbers)

    def enter(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the number of each row, and the indices of the rows that got a new number."""
        keys = np.ascontiguousarray(rows).view(f"S{rows.shape[1]}")[:, 0]
        # New numbers start at `len(self)` and follow the order of the rows.
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        if self._keys is None:
            self._keys = unique[:0]
        place = np.searchsorted(self._keys, unique)
        known = place < len(self._keys)
        known[known] = self._keys[place[known]] == unique[known]
        order = np.argsort(first[~known])
        fresh = np.empty(len(order), np.int32)
        fresh[order] = len(self) + np.arange(len(order), dtype=np.int32)
        numbers = np.empty(len(unique), np.int32)
        numbers[known] = self._numbers[place[known]]
        numbers[~known] = fresh
        self._keys = np.insert(self._keys, place[~known], unique[~known])
        self._numbers = np.insert(self._numbers, place[~known], fresh)
        return numbers[inverse], first[~known][order]
