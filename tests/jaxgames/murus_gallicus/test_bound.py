"""`max_legal_actions` is exact: the optimum of an integer program over all positions.

Variables: which stack stands on which cell, and one for each way to act, which may be 1 only where
the rules allow it. The objective counts those. Each side has at most 16 stones. The program is
written from the rules' sentences, on coordinates, and solved exactly by HiGHS.
"""

import numpy as np
import pytest
from scipy import optimize, sparse

from jaxgames.murus_gallicus import notation, position
from jaxgames.murus_gallicus.rules import MurusGallicus
from tests.jaxgames.murus_gallicus.positions import legal_actions

RANKS, FILES, STONES = 7, 8, 16
CELLS = [(x, y) for y in range(RANKS) for x in range(FILES)]
COMPASS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
KINDS = ("W", "T", "C", "w", "t", "c")
HEIGHTS = {"W": 1, "T": 2, "C": 3, "w": 1, "t": 2, "c": 3}
FIRES = {
    3: [d for d in COMPASS if d[1] == 1],
    5: [d for d in COMPASS if d[1] >= 0],
    8: COMPASS,
}


class Program:
    """Maximises a sum of 0-1 variables under sparse constraints `sum <= bound`."""

    def __init__(self) -> None:
        self.numbers: dict = {}
        self.gains: list[int] = []
        self.rows: list[dict] = []
        self.bounds: list[int] = []

    def variable(self, name, gain: int) -> None:
        self.numbers[name] = len(self.gains)
        self.gains.append(gain)

    def require(self, terms: dict, bound: int) -> None:
        self.rows.append(terms)
        self.bounds.append(bound)

    def solve(self):
        matrix = sparse.lil_matrix((len(self.rows), len(self.gains)))
        for i, row in enumerate(self.rows):
            for name, factor in row.items():
                matrix[i, self.numbers[name]] = factor
        answer = optimize.milp(
            -np.array(self.gains),
            constraints=optimize.LinearConstraint(matrix.tocsr(), ub=np.array(self.bounds)),
            integrality=np.ones(len(self.gains)),
            bounds=optimize.Bounds(0, 1),
            options={"mip_rel_gap": 0},
        )
        assert answer.status == 0, answer.message
        chosen = {name for name, number in self.numbers.items() if answer.x[number] > 0.5}
        return round(-answer.fun), chosen


def most_legal_actions(max_stack: int, fire_directions: int):
    program = Program()
    kinds = [kind for kind in KINDS if HEIGHTS[kind] <= max_stack]
    for cell in CELLS:
        for kind in kinds:
            program.variable((kind, cell), 0)
    for cell in CELLS:
        program.require({(kind, cell): 1 for kind in kinds}, 1)
    for side in (str.isupper, str.islower):
        stones = {(k, cell): HEIGHTS[k] for cell in CELLS for k in kinds if side(k)}
        program.require(stones, STONES)

    def forbid(name, kinds_there: str, cell) -> dict:
        return {name: 1} | {(kind, cell): 1 for kind in kinds_there if kind in kinds}

    full = "C" if max_stack == 3 else "T"
    for x, y in CELLS:
        for dx, dy in COMPASS:
            one, two, three = ((x + k * dx, y + k * dy) for k in (1, 2, 3))
            if one in CELLS:
                # A tower moves or strikes: one or the other.
                name = ("tower", x, y, dx, dy)
                program.variable(name, 1)
                program.require({name: 1, ("T", (x, y)): -1}, 0)
                program.require(forbid(name, f"t{full}", one), 1)
                struck = {("w", one): -1, ("c", one): -1} if max_stack == 3 else {("w", one): -1}
                if two in CELLS:
                    program.require(forbid(name, f"wtc{full}", two) | struck, 1)
                else:
                    program.require({name: 1} | struck, 0)
            if max_stack < 3:
                continue
            if one in CELLS:
                name = ("double strike", x, y, dx, dy)
                program.variable(name, 1)
                program.require({name: 1, ("T", (x, y)): -1}, 0)
                program.require({name: 1, ("c", one): -1}, 0)
            for target in (two, three):
                if (dx, dy) in FIRES[fire_directions] and target in CELLS:
                    name = ("shot", x, y, target)
                    program.variable(name, 1)
                    program.require({name: 1, ("C", (x, y)): -1}, 0)
                    program.require(forbid(name, "WTC", target), 1)
    return program.solve()


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["default", "basic", "fire3", "fire8"])
def test_bound_is_the_optimum_and_reached(variant):
    rules = MurusGallicus(variant=variant)
    most, chosen = most_legal_actions(rules.terms.max_stack, rules.terms.fire_directions)
    assert most == rules.max_legal_actions
    stacks = {cell: kind for kind, cell in (name for name in chosen if name[0] in KINDS)}
    rows = ["".join(stacks.get((x, y), "1") for x in range(FILES)) for y in range(RANKS)]
    game = notation.text_to_state(rules, f"{'/'.join(rows[::-1])} r")
    assert legal_actions(rules, game).sum() == most


def test_a_swap_is_one_action_more():
    rules = MurusGallicus(pie_rule=True)
    assert rules.max_legal_actions == MurusGallicus().max_legal_actions + 1


def test_bound_is_reached_by_eight_towers_around_five_catapults():
    rules = MurusGallicus()
    game = notation.text_to_state(rules, "8/8/2TTTT2/2cccc2/2TTTT2/3c4/8 r")
    assert len(position.legal_moves(rules, game)) == rules.max_legal_actions == 87
