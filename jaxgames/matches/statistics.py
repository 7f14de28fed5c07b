"""Scores of a match with their uncertainty.

A player's *score* is (wins + draws / 2) / games, or for several seats the mean return mapped from
[-1, 1] to [0, 1]. Games of one group start from the same position, so their results are not
independent: a lucky deal for the first seat helps each player once. The standard error is therefore
taken over groups. Where deals are uneven, it is smaller than the error of independent games.
"""

import math
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, UInt32

from jaxgames.batching.key_words import as_numpy

MOSTLY_DIFFERENT = 0.9


class Mean(NamedTuple):
    """A mean over all games of a match."""

    value: float
    error: float
    """Standard error, over groups of games; infinite for a single group."""


class Score(NamedTuple):
    """The result of one player in a match."""

    mean: float
    """Score in [0, 1]."""
    standard_error: float
    """Of the mean, over groups of games; infinite for a single group."""
    games: int
    wins: int
    draws: int
    losses: int


def score(returns: Float[np.ndarray, "games players"], player: int = 0) -> Score:
    """Returns the score of a player of a match, whose games stand in groups (see `match.py`).

    A win is a return above the mean of the game's players, a loss one below it.

    Raises:
        ValueError: if there are no games, or if they do not fill whole groups.
    """
    returns = np.asarray(returns, np.float64)
    if returns.ndim != 2 or not returns.size or returns.shape[0] % returns.shape[1]:
        raise ValueError(
            f"returns must have the shape [groups * players, players], got {returns.shape}"
        )
    own = returns[:, player]
    level = returns.mean(axis=1)
    mean = over_groups((own + 1.0) / 2.0, returns.shape[1])
    wins, losses = int((own > level).sum()), int((own < level).sum())
    return Score(*mean, len(own), wins, len(own) - wins - losses, losses)


def over_groups(by_game: Float[np.ndarray, "games"], size: int) -> Mean:
    """Returns the mean of a number over all games, whose groups have `size` games each."""
    by_group = by_game.reshape(-1, size).mean(axis=1)
    groups = len(by_group)
    error = float(by_group.std(ddof=1) / math.sqrt(groups)) if groups > 1 else math.inf
    return Mean(float(by_group.mean()), error)


def count_different(actions: UInt32[np.ndarray, "games"], finals: Any, size: int) -> int:
    """Returns the number of different games of a match.

    Two games count as one if the players have the same seats, and actions and final position are
    equal. Agents without chance repeat themselves in a game without a deal, and what is repeated
    tells nothing new of their strength.

    Args:
        actions: a hash of the actions of each game.
        finals: a pytree of arrays `[games, ...]`, the position at the end of each game.
        size: the games of a group, each with other seats.
    """
    columns = [np.arange(len(actions)) % size, actions, *map(as_numpy, jax.tree.leaves(finals))]
    rows = [
        np.ascontiguousarray(column).reshape(len(actions), -1).view(np.uint8)
        for column in columns
        if column.size
    ]
    return len({row.tobytes() for row in np.concatenate(rows, axis=1)})


def repetition(different: int | None, games: int, option: str) -> str | None:
    """Returns a warning if many games of a match are repeated; None if not, or if not known.

    Args:
        different: the number of different games.
        games: the number of all games.
        option: name of the setting that makes games differ.
    """
    if different is None or different >= MOSTLY_DIFFERENT * games:
        return None
    return (
        f"only {different} of the {games} games are different, so the errors are too small: "
        f"take more {option}"
    )


def wilson_interval(mean: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Returns Wilson's interval for a score from independent games; useful near 0 and 1.

    Draws make a score vary less than wins and losses would, so with draws the interval is too
    wide rather than too narrow.

    Args:
        mean: the score in [0, 1].
        games: number of games.
        z: half width in standard deviations; 1.96 for 95 %.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    1927.
    """
    if games < 1 or not 0.0 <= mean <= 1.0:
        raise ValueError(f"need a score in [0, 1] from at least one game, got {mean} from {games}")
    weight = z * z / games
    centre = (mean + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(mean * (1 - mean) / games + weight / (4 * games))
    return max(0.0, centre - half), min(1.0, centre + half)
