"""Checks of solved endings of Murus Gallicus, and of totals over all endings with few stones."""

import functools
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Bool

from benchmarks import host_batches
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    compare,
    different,
)
from benchmarks.golden.murus_gallicus import closure
from benchmarks.golden.murus_gallicus.positions import MurusEncoding, check_positions
from benchmarks.host_batches import Batch
from jaxgames.murus_gallicus import notation
from jaxgames.murus_gallicus.board import FILES, HALF, HALF_BITS, NUM_CELLS, Bitboard
from jaxgames.murus_gallicus.moves import Stones
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState

FIELDS = {"fen": str, "value": int, "dtm": int, "best": [str], "stones": int}
COUNT_FIELDS = {"to_move": str, "by_dtm": dict} | dict.fromkeys(
    ("roman_stones", "gaul_stones", "positions", "win", "loss", "unresolved"), int
)
RULES = MurusGallicus()
RECORDS = 64  # records that are solved together
OWN_CHUNK = 64  # boards of the side to act, each with all boards of the other side
CHUNK = 1 << 18  # positions
LONGEST = 24  # plies that totals look ahead; all distances with few stones are far shorter


def check_solved(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares value, distance and all best moves with exhaustive play to the listed distance."""
    del settings
    return check_positions(records, _check_solved)


def identity(games: MurusState) -> np.ndarray:
    """Returns `[positions, bytes]` uint8 that identify positions: stones and seat, not plies."""
    words = jax.tree.leaves((games.own, games.other, games.seat.astype(np.uint32)))
    return np.ascontiguousarray(np.stack(words, axis=1)).view(np.uint8)


def _check_solved(encoding: MurusEncoding, records: list[Record], games: Batch) -> list[Verdict]:
    rules = encoding.rules
    verdicts = [EQUAL] * len(records)
    distances = np.array([record["dtm"] for record in records])
    for distance in np.unique(distances):
        group = np.flatnonzero(distances == distance)
        for part in host_batches.slices(len(group), RECORDS):
            chosen = group[part]
            positions = host_batches.take(games, chosen)
            solved = closure.solve(rules, positions, int(distance), identity)
            for row, i in enumerate(chosen):
                verdicts[i] = _judge(rules, records[i], host_batches.take(games, i), row, solved)
    return verdicts


def _judge(
    rules: MurusGallicus, record: Record, game: Any, row: int, solved: closure.Solved
) -> Verdict:
    """Compares a record with the distances of its position and of all moves from there."""
    value = int(solved.distances[row])
    if value == 0:
        return different("dtm", record["dtm"], f"no result within {record['dtm']} plies")
    keeps = (solved.moves.parents == row) & (solved.of_moves == value)
    best = solved.moves.actions[keeps].tolist() if value > 0 else []
    mine = {
        "dtm": abs(value),
        "value": int(np.sign(value)),
        "best": sorted(notation.action_to_text(rules, game, action) for action in best),
        "stones": sum(_count_stones(side) for side in (game.own, game.other)),
    }
    return compare(record | {"best": sorted(record["best"])}, mine)


def _count_stones(stones: Stones) -> int:
    digits = ((stones.low, 1), (stones.high, 2))
    return sum(weight * int(word).bit_count() for b, weight in digits for word in (b.near, b.far))


def check_totals(record: Record) -> Verdict:
    """Compares totals over all placements of few stones, by exact distance."""
    stones = record["roman_stones"], record["gaul_stones"]
    if record["to_move"] not in ("r", "g"):
        return different("to_move", record["to_move"], "r or g")
    # The rules are the same for Romans and Gauls, so sides differ only in who acts.
    own, other = stones if record["to_move"] == "r" else stones[::-1]
    by_distance = totals(own, other)
    won = {n: count for n, count in by_distance.items() if n is not None and n % 2 == 1}
    lost = {n: count for n, count in by_distance.items() if n is not None and n % 2 == 0}
    mine = {
        "positions": sum(by_distance.values()),
        "win": sum(won.values()),
        "loss": sum(lost.values()),
        "unresolved": by_distance.get(None, 0),
        "by_dtm": {str(n): count for n, count in sorted((won | lost).items())},
    }
    return compare(record, mine)


@functools.cache
def totals(own_stones: int, other_stones: int) -> dict[int | None, int]:
    """Returns the number of placements by their distance to the end; None: no end was found.

    Distance 0 means that the side to act has lost, because it has no legal action. Odd distances
    are wins. No stone stands on its far row.
    """
    found: dict[int | None, int] = {0: 0}
    open_positions = []
    for games in placements(own_stones, other_stones):
        can_act = host_batches.map_chunks(_can_act, CHUNK, games)
        found[0] += int((~can_act).sum())
        open_positions.append(host_batches.take(games, can_act))
    games = jax.tree.map(lambda *leaves: np.concatenate(leaves), *open_positions)
    for part in host_batches.slices(host_batches.size(games), CHUNK):
        solved = closure.solve(RULES, host_batches.take(games, part), LONGEST, identity)
        for value, count in zip(*np.unique(solved.distances, return_counts=True), strict=True):
            distance = abs(int(value)) or None
            found[distance] = found.get(distance, 0) + int(count)
    return found


def placements(own_stones: int, other_stones: int) -> Any:
    """Yields batches that together hold all placements of these stones, with seat 0 to act.

    No two colours share a cell, and no stone stands on its far row.
    """
    own, other = (_boards(number) for number in (own_stones, other_stones))
    occupied = [boards[:, 0] | boards[:, 1] for boards in (own, other)]
    turned = _turned(occupied[1])
    for part in host_batches.slices(len(own), OWN_CHUNK):
        i, j = np.nonzero((occupied[0][part, None] & turned) == 0)
        first, second = own[part][i], other[j]
        values: dict[str, Any] = {
            "own": _stones(first),
            "other": _stones(second),
            "seat": np.zeros(len(i), np.int8),
            "ply": np.zeros(len(i), np.uint16),
        }
        yield MurusState(**values, swapped=None, history=None)


def _boards(stones: int) -> np.ndarray:
    """Returns `[boards, 2]` uint64: all ways to place one side's stones, as two binary digits."""
    found: set[tuple[int, int]] = {(0, 0)}
    for _ in range(stones):
        found = {
            added
            for board in found
            for cell in range(NUM_CELLS - FILES)
            for added in _add(board, cell)
        }
    return np.array(sorted(found), np.uint64)


def _add(board: tuple[int, int], cell: int) -> list[tuple[int, int]]:
    """Returns the board with one more stone on a cell, or an empty list if the stack is full."""
    low, high = board
    bit = 1 << cell
    if low & high & bit:
        return []
    return [(low ^ bit, high ^ (low & bit))]


def _turned(cells: np.ndarray) -> np.ndarray:
    """Returns sets of cells in the frame of the other side."""
    result = np.zeros_like(cells)
    for cell in range(NUM_CELLS):
        bit = (cells >> np.uint64(cell)) & np.uint64(1)
        result |= bit << np.uint64(NUM_CELLS - 1 - cell)
    return result


def _stones(boards: np.ndarray) -> Stones:
    words = [
        [
            (digit & np.uint64(HALF_BITS)).astype(np.uint32),
            (digit >> np.uint64(HALF)).astype(np.uint32),
        ]
        for digit in boards.T
    ]
    return Stones(*(Bitboard(*pair) for pair in words))


@jax.jit
def _can_act(games: MurusState) -> Bool[Array, "B"]:
    return jax.vmap(RULES.outcome)(games) == 0
