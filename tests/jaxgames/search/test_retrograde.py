"""Retrograde analysis: compared with values that follow from repeated sweeps over all positions."""

import dataclasses

import numpy as np
import pytest

from jaxgames.search import retrograde

POSITIONS = 300
MOST_MOVES = 4


@dataclasses.dataclass(frozen=True)
class RandomGraph:
    """Positions with random moves to each other, cycles included; some win at once."""

    seed: int
    part: int = 100  # positions that are handed out together

    no_move = POSITIONS

    def arrays(self):
        random = np.random.default_rng(self.seed)
        after = random.integers(POSITIONS, size=(POSITIONS, MOST_MOVES))
        after[np.arange(MOST_MOVES) >= random.integers(1, MOST_MOVES + 1, (POSITIONS, 1))] = (
            POSITIONS
        )
        return random.random(POSITIONS) < 0.1, after

    def successors(self):
        wins, after = self.arrays()
        order = np.random.default_rng(self.seed + 1).permutation(POSITIONS)
        for first in range(0, POSITIONS, self.part):
            rows = order[first : first + self.part]
            yield retrograde.Successors(rows, wins[rows], after[rows])


def by_sweeps(graph):
    """Returns the values by plain recursion in the distance, one position at a time."""
    wins, after = graph.arrays()
    values = [1 if win else 0 for win in wins]
    for distance in range(2, POSITIONS):
        before = list(values)
        for position in range(POSITIONS):
            replies = [before[other] for other in after[position] if other != POSITIONS]
            if before[position]:
                continue
            if any(reply < 0 for reply in replies):
                values[position] = distance
            elif all(reply > 0 for reply in replies):
                values[position] = -distance
    return values


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_repeated_sweeps(seed):
    table = retrograde.solve(RandomGraph(seed))
    assert table.dtype == np.int16 and table[POSITIONS] == retrograde.ALWAYS_WON
    assert table[:POSITIONS].tolist() == by_sweeps(RandomGraph(seed))
    assert {1, -2, 3, 0} <= set(table.tolist())


def test_values_do_not_depend_on_the_parts_in_which_positions_come():
    np.testing.assert_array_equal(
        retrograde.solve(RandomGraph(0)), retrograde.solve(RandomGraph(0, part=7))
    )
