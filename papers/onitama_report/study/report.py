"""The figures that the report states.

Source: Dasgupta and Chong, "Mastering the game of Onitama with Reinforcement Learning", National
University of Singapore, 2021.
"""

from collections.abc import Mapping
from typing import NamedTuple

GAME = "onitama_report"
RANDOM = "random"
TURNS = 71_789  # of an untrained actor, over which the report counts valid moves
GAMES = 2_500  # of each pair in its tournament
WINDOW = 50  # games of its moving averages
EPISODES = 10_000  # of the training of each actor
LONG_EPISODES = 100_000
LONG_ACTOR = "val_branch_actions"


class Moves(NamedTuple):
    """Valid moves of a turn."""

    mean: float
    median: float
    mode: int
    most: int


MOVES = Moves(14.2496, 14, 12, 30)

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

ELO: Mapping[str, float] = {"actions_after_val_multiply": 1130.0, RANDOM: 862.0}
"""Ratings that are stated: the best and the lowest."""
NET_WINS: Mapping[tuple[str, str], int] = {
    ("actions_after_val_multiply", "actions_only"): 304,
    ("actions_after_val_multiply", "actions_after_val"): 428,
    ("actions_after_val_multiply", "val_after_actions_multiply"): 270,
    ("actions_only", "actions_after_val"): 1234,
    ("actions_only", "val_after_actions_multiply"): 1184,
    ("val_branch_actions", "actions_after_val"): 809,
    ("val_after_actions_multiply", "val_after_actions"): 1690,
}
"""Wins less losses of the first against the second, of 2,500 games; the last is the largest."""

LARGEST_NET_WIN = ("val_after_actions_multiply", "val_after_actions")
LONGEST = ("actions_after_val", "val_branch_actions")
MEAN_PLIES: Mapping[tuple[str, str], float] = {LONGEST: 80.1, LARGEST_NET_WIN: 33.4}
"""Mean turns of either player in the games of a pair; the first is the highest of all pairs."""
