"""The figures that the report states, and its claims about trainings as a table.

Source: Dasgupta and Chong, "Mastering the game of Onitama with Reinforcement Learning", National
University of Singapore, 2021.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

GAME = "onitama_report"
RANDOM = "random"
TURNS = 71_789  # of an untrained actor, over which the report counts valid moves
GAMES = 2_500  # of each pair in its tournament
WINDOW = 50  # games of its moving averages
MOVES = {"mean": 14.2496, "median": 14, "mode": 12, "most": 30}  # valid moves of a turn

PLAIN = ("actions_only", "val_after_actions", "actions_after_val", "val_branch_actions")
"""Actors whose policy is the layer of actions alone."""
MULTIPLIED = (
    "val_after_actions_multiply",
    "actions_after_val_multiply",
    "val_branch_actions_multiply",
    "dual",
)
"""Actors whose policy is the product of actions and validities."""
PLAYERS = (RANDOM, *PLAIN, *MULTIPLIED)
BEST = "actions_after_val_multiply"
LONG_ACTOR = "val_branch_actions"

ELO: Mapping[str, float] = {BEST: 1130.0, RANDOM: 862.0}
"""Ratings that are stated: the best and the lowest."""
NET_WINS: Mapping[tuple[str, str], int] = {
    (BEST, "actions_only"): 304,
    (BEST, "actions_after_val"): 428,
    (BEST, "val_after_actions_multiply"): 270,
    ("actions_only", "actions_after_val"): 1234,
    ("actions_only", "val_after_actions_multiply"): 1184,
    ("val_branch_actions", "actions_after_val"): 809,
    ("val_after_actions_multiply", "val_after_actions"): 1690,
}
"""Wins less losses of the first against the second, of 2,500 games; the last is the largest."""
MEAN_PLIES: Mapping[tuple[str, str], float] = {
    ("actions_after_val", "val_branch_actions"): 80.1,
    ("val_after_actions_multiply", "val_after_actions"): 33.4,
}
"""Mean turns of either player in the games of a pair; the first is the highest of all pairs."""


class Claim(NamedTuple):
    """A claim of the report about the trainings of some actors."""

    option: str
    """Of the study, that names the trainings."""
    actors: Sequence[str]
    text: str
    field: str
    """Number of a training (`trainings.numbers`) that decides, between `low` and `high`."""
    low: float
    high: float


_ENDS, _BEST = "valid rate at the end: ", "best win rate at depth 1: "
CLAIMS: Sequence[Claim] = (
    Claim("runs", MULTIPLIED, f"{_ENDS}about 1 (from 0.9 on)", "valid_rate", 0.9, math.inf),
    Claim("runs", MULTIPLIED, f"{_BEST}never above 0.6", "best_wins", 0, 0.6),
    Claim("runs", PLAIN, "beats depth 1, so that the opponent rises", "deepest", 2, math.inf),
    Claim("runs", PLAIN, "win rate at depth 2: almost 0 (below 0.15)", "wins_deeper", 0, 0.15),
    Claim("runs", PLAIN, f"{_ENDS}0.1 to 0.65", "valid_rate", 0.1, 0.65),
    Claim("extended", [LONG_ACTOR], "deepest opponent: 2", "deepest", 2, 2),
    Claim(
        "extended", [LONG_ACTOR], "win rate at depth 2: 0.4 to 0.6", "last_wins_deeper", 0.4, 0.6
    ),
    Claim("extended", [LONG_ACTOR], f"{_ENDS}0.2 to 0.45", "valid_rate", 0.2, 0.45),
    Claim("wrong_rollout", PLAYERS, "rise of the win rate: none (below 0.05)", "gain", -1, 0.05),
    Claim("raw", MULTIPLIED, f"{_ENDS}about 1 (from 0.9 on)", "valid_rate", 0.9, math.inf),
    Claim("raw", MULTIPLIED, f"{_BEST}never above 0.6", "best_wins", 0, 0.6),
)
