"""The levels, the players and the figures of the paper.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020,
table 1 and the section on complexity.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

from jaxgames.tribes.tables.tribes import Tribe

SIDE = 11
TRIBES = (Tribe.XIN_XI, Tribe.IMPERIUS)
LEVEL_SEEDS = (
    1590191438878, 1590791907337, 1591330872230, 1590557911279, 1589827394219,
    1590597667781, 1588955551452, 1588591994323, 1590218550448, 1592282275322,
    1592432219672, 1590938785410, 1589359308213, 1591528602817, 1592393638354,
    1588485987095, 1588564020405, 1589717827778, 1592435145738, 1592040799152,
    1588965819946, 1589014941900, 1590182659177, 1590912178111, 1588407146837,
)  # fmt: skip
CALLS = 2000  # of the forward model, for one decision of a player that searches
GAMES = 500  # of each pair

PLAYERS: Mapping[str, str] = {
    "RHEA": "rhea:budget={calls}",
    "RB": "rule_based",
    "MCTS": "planning_mcts:budget={calls}",
    "MC": "mc:budget={calls},together=10",
    "OSLA": "osla:budget={calls}",
    "RND": "random:of=actions",
}
"""Spec strings by the names of the paper, in the order of its table."""

STEP_BY_STEP = ("RHEA", "MCTS")
"""Players that search one position after another, so that more games at once cost little."""

WINS: Mapping[tuple[str, str], float] = {
    ("RHEA", "RB"): 58.6, ("RHEA", "MCTS"): 63.0, ("RHEA", "MC"): 77.8, ("RHEA", "OSLA"): 74.8,
    ("RHEA", "RND"): 100.0, ("RB", "MCTS"): 56.2, ("RB", "MC"): 62.4, ("RB", "OSLA"): 70.2,
    ("RB", "RND"): 98.8, ("MCTS", "MC"): 62.0, ("MCTS", "OSLA"): 60.8, ("MCTS", "RND"): 98.6,
    ("MC", "OSLA"): 54.8, ("MC", "RND"): 99.0, ("OSLA", "RND"): 99.4,
}  # fmt: skip
"""Games that the first of a pair won, in percent; the second won the others."""


class Average(NamedTuple):
    """A mean over games, with its standard error."""

    mean: float
    error: float


_COLUMNS = ("wins", "rank", "score", "technologies", "cities", "production")
_MEANS = {
    "RHEA": (
        (74.84, 1.50), (1.25, 0.03), (11610.56, 134.34),
        (88.95, 1.78), (2.68, 0.05), (20.68, 0.41),
    ),
    "RB": (
        (65.80, 1.32), (1.34, 0.03), (8076.32, 81.58),
        (71.14, 1.42), (2.98, 0.06), (20.29, 0.41),
    ),
    "MCTS": (
        (60.44, 1.21), (1.40, 0.03), (9966.55, 106.19),
        (85.27, 1.71), (2.23, 0.04), (16.96, 0.34),
    ),
    "MC": (
        (50.32, 1.01), (1.50, 0.03), (8065.96, 71.22),
        (82.35, 1.65), (2.23, 0.04), (14.73, 0.29),
    ),
    "OSLA": (
        (47.76, 0.96), (1.52, 0.03), (8927.05, 88.84),
        (82.31, 1.65), (2.05, 0.04), (15.17, 0.30),
    ),
    "RND": (
        (0.84, 0.02), (1.99, 0.04), (3708.76, 12.51),
        (58.54, 1.17), (0.39, 0.01), (0.01, 0.00),
    ),
}  # fmt: skip
MEANS: Mapping[str, Mapping[str, Average]] = {
    player: dict(zip(_COLUMNS, itertools.starmap(Average, row), strict=True))
    for player, row in _MEANS.items()
}
"""Means at the end of all games of each player; wins and technologies in percent.

The errors are the paper's: except for the score, the mean by the root of the number of games.
"""

TURNS = 50  # number of the last turn; the first has number 0
HALF = 25  # turns of the first half
LAST_TURNS = 5  # turns for which the paper states the branching of winners


class Complexity(NamedTuple):
    """Means over turns, for the whole game and its halves."""

    moves: tuple[float, float, float]
    """Of a turn."""
    choices: tuple[float, float, float]
    """Legal actions of a decision."""
    branching: tuple[float, float, float]
    """Of a turn: decimal logarithm of the product of its numbers of choices."""


COMPLEXITY = Complexity((9.86, 6.47, 13.11), (54.47, 21.86, 85.83), (15.0, 7.0, 23.0))
BRANCHING_OF_WINNERS = 32.0  # in the last turns; decimal logarithm
