"""Exhaustive play finds exact distances: compared with plain recursion on Nim."""

import functools
import itertools

import numpy as np
import pytest

from benchmarks.golden.murus_gallicus import closure
from jaxgames.batching import trees
from tests.conformance.games import HEAPS, TAKEN, Nim, NimState

RULES = Nim()
POSITIONS = [heaps for heaps in itertools.product(*(range(n + 1) for n in HEAPS)) if any(heaps)]


def games_of(positions) -> NimState:
    states = [NimState(np.array(heaps, np.int8), np.int32(0)) for heaps in positions]
    return trees.stack(states)


def identity(games: NimState) -> np.ndarray:
    """Whose turn it is does not matter for the value of a heap."""
    return np.ascontiguousarray(games.heaps).view(np.uint8)


@functools.cache
def distance(heaps: tuple[int, ...]) -> int:
    """Returns the distance by recursion; a player without a heap has lost already."""
    replies = []
    for action in range(len(TAKEN)):
        after = tuple(int(n) for n in np.array(heaps) - TAKEN[action])
        if min(after) >= 0:
            replies.append(-distance(after) if any(after) else 0)
    moves = [1 if reply == 0 else reply + (1 if reply > 0 else -1) for reply in replies]
    wins = [move for move in moves if move > 0]
    return min(wins) if wins else min(moves)


def solve(positions, depth: int) -> closure.Solved:
    return closure.solve(RULES, games_of(positions), depth, identity)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 8])
def test_positions_of_nim_have_their_exact_distance_up_to_the_depth(depth):
    solved = solve(POSITIONS[::-1], depth)
    expected = [distance(heaps) for heaps in POSITIONS[::-1]]
    shown = [value if abs(value) <= depth else 0 for value in expected]
    assert solved.distances.tolist() == shown
    assert {1, 3, -2, -4} <= set(expected) and max(map(abs, expected)) <= 8


def test_moves_of_each_position_have_their_distances():
    solved = solve(POSITIONS, depth=8)
    for number, heaps in enumerate(POSITIONS):
        chosen = solved.moves.parents == number
        found = dict(
            zip(solved.moves.actions[chosen], solved.of_moves[chosen].tolist(), strict=True)
        )
        expected = {}
        for action in range(len(TAKEN)):
            after = tuple(int(n) for n in np.array(heaps) - TAKEN[action])
            if min(after) >= 0:
                reply = distance(after) if any(after) else 0
                expected[action] = 1 if not any(after) else -reply - (1 if reply > 0 else -1)
        if 1 in expected.values():  # only moves that win at once are listed then
            expected = {action: value for action, value in expected.items() if value == 1}
        assert found == expected, heaps


def test_one_position_alone_is_solved_through_positions_that_were_not_asked_for():
    solved = solve([(3, 3, 2)], depth=8)
    assert solved.distances.tolist() == [distance((3, 3, 2))]


def test_equal_positions_are_refused():
    with pytest.raises(ValueError, match="expected different positions"):
        solve([(1, 1, 0), (1, 1, 0)], depth=2)
