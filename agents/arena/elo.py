"""Elo ratings of players from the results of their games.

`sequential` is the update after each game that the Onitama report uses; its last value depends on
the order of the games and moves by tens of points. `maximum_likelihood` fits all games at once and
says how certain the ratings are.

The model is Davidson's (1970): it adds draws to the model of Bradley and Terry. With strengths
`g = 10 ** (rating / 400)` and a draw parameter `nu`, the chances of win, draw and loss are as
`g1 : nu * sqrt(g1 * g2) : g2`. Without draws it is exactly the formula of Elo's expected score.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse.csgraph
from jaxtyping import Float, Int

START = 1000.0
K_FACTOR = 32.0
SCALE = math.log(10.0) / 400.0  # natural-log strength for one rating point
# Somebody who won every game has no finite best rating. A normal prior this wide keeps it finite
# and moves a rating that the games do determine (errors of tens of points) by well under a point.
PRIOR_WIDTH = 2000.0
DRAW_PRIOR_WIDTH = 10.0  # of log(nu), for players who only draw


class Game(NamedTuple):
    """One game between two players, given by their indices."""

    first: int
    second: int
    score: float
    """Of the first player: 1 for a win, 0.5 for a draw, 0 for a loss."""


class Rating(NamedTuple):
    """A rating with its 95 % interval."""

    value: float
    low: float
    high: float


def sequential(
    games: Sequence[Game], num_players: int, start: float = START, k_factor: float = K_FACTOR
) -> Float[np.ndarray, "players"]:
    """Returns the ratings after the games were counted one by one, in the given order."""
    return history(games, num_players, start, k_factor)[-1]


def history(
    games: Sequence[Game], num_players: int, start: float = START, k_factor: float = K_FACTOR
) -> Float[np.ndarray, "games+1 players"]:
    """Returns the ratings of `sequential` before the first game and after each game."""
    ratings = np.full(num_players, start)
    found = [ratings.copy()]
    for first, second, score in games:
        expected = 1.0 / (1.0 + 10.0 ** ((ratings[second] - ratings[first]) / 400.0))
        change = k_factor * (score - expected)
        ratings[first] += change
        ratings[second] -= change
        found.append(ratings.copy())
    return np.stack(found)


def maximum_likelihood(
    games: Sequence[Game], num_players: int, anchor: int = 0, anchor_rating: float = START
) -> list[Rating]:
    """Returns the ratings that make the results most likely, with the anchor's rating fixed.

    Intervals come from the curvature of the likelihood. They are intervals of the difference to the
    anchor, so the interval of the anchor itself has no width.

    Raises:
        ValueError: if the games do not connect all players, or an index or score is out of range.
    """
    wins, draws = _counts(games, num_players)
    if not 0 <= anchor < num_players:
        raise ValueError(f"anchor must be from 0 to {num_players - 1}, got {anchor}")
    parts, part = scipy.sparse.csgraph.connected_components(wins + draws, directed=False)
    if parts > 1:
        away = np.flatnonzero(part != part[anchor]).tolist()
        raise ValueError(f"no chain of games connects player {anchor} with players {away}")

    free = np.flatnonzero(np.arange(num_players) != anchor)
    has_draws = bool(draws.any())  # without draws the likelihood grows as nu falls to zero

    def unpack(
        parameters: Float[np.ndarray, "parameters"],
    ) -> tuple[Float[np.ndarray, "players"], float]:
        strengths = np.zeros(num_players)
        strengths[free] = parameters[: len(free)]
        return strengths, float(parameters[-1]) if has_draws else -math.inf

    def loss(parameters: Float[np.ndarray, "parameters"]) -> float:
        strengths, log_draw = unpack(parameters)
        prior = (strengths**2).sum() / (PRIOR_WIDTH * SCALE) ** 2
        if has_draws:
            prior += (log_draw / DRAW_PRIOR_WIDTH) ** 2
        return float(prior / 2) - _log_likelihood(wins, draws, strengths, log_draw)

    def gradient(parameters: Float[np.ndarray, "parameters"]) -> Float[np.ndarray, "parameters"]:
        strengths, log_draw = unpack(parameters)
        by_strength, by_draw = _slopes(wins, draws, strengths, log_draw)
        by_strength = strengths / (PRIOR_WIDTH * SCALE) ** 2 - by_strength
        by_draw = log_draw / DRAW_PRIOR_WIDTH**2 - by_draw
        return np.append(by_strength[free], [by_draw] if has_draws else [])

    start = np.zeros(len(free) + has_draws)
    fit = scipy.optimize.minimize(loss, start, jac=gradient, method="BFGS", options={"gtol": 1e-6})
    curvature = np.atleast_2d(scipy.optimize.approx_fprime(fit.x, gradient, 1e-6))
    variance = np.diag(np.linalg.inv((curvature + curvature.T) / 2))

    values, errors = np.zeros(num_players), np.zeros(num_players)
    values[free] = fit.x[: len(free)] / SCALE
    errors[free] = 1.96 * np.sqrt(variance[: len(free)]) / SCALE
    values += anchor_rating
    return [
        Rating(float(value), float(value - error), float(value + error))
        for value, error in zip(values, errors, strict=True)
    ]


def _counts(
    games: Sequence[Game], num_players: int
) -> tuple[Int[np.ndarray, "players players"], Int[np.ndarray, "players players"]]:
    """Returns the wins of the row player over the column player, and the draws (symmetric)."""
    wins = np.zeros((num_players, num_players), np.int64)
    draws = np.zeros_like(wins)
    for game in games:
        first, second, score = game
        in_range = 0 <= first < num_players and 0 <= second < num_players and first != second
        if not in_range or score not in (0.0, 0.5, 1.0):
            raise ValueError(
                f"{game}: expected two different players below {num_players} and a score of 0, "
                "0.5 or 1"
            )
        if score == 0.5:
            draws[first, second] += 1
            draws[second, first] += 1
        elif score == 1.0:
            wins[first, second] += 1
        else:
            wins[second, first] += 1
    return wins, draws


def _log_chances(
    strengths: Float[np.ndarray, "players"], log_draw: float
) -> tuple[Float[np.ndarray, "players players"], Float[np.ndarray, "players players"]]:
    """Returns the logarithms of the chances that the row player wins, and that it draws."""
    win = np.broadcast_to(strengths[:, None], (len(strengths), len(strengths)))
    draw = log_draw + (win + win.T) / 2
    total = np.logaddexp(np.logaddexp(win, win.T), draw)
    return win - total, draw - total


def _log_likelihood(
    wins: Int[np.ndarray, "players players"],
    draws: Int[np.ndarray, "players players"],
    strengths: Float[np.ndarray, "players"],
    log_draw: float,
) -> float:
    log_win, log_drawn = _log_chances(strengths, log_draw)
    from_draws = draws * np.where(draws > 0, log_drawn, 0.0)  # -inf times zero is not a number
    return float((wins * log_win).sum() + from_draws.sum() / 2)


def _slopes(
    wins: Int[np.ndarray, "players players"],
    draws: Int[np.ndarray, "players players"],
    strengths: Float[np.ndarray, "players"],
    log_draw: float,
) -> tuple[Float[np.ndarray, "players"], float]:
    """Returns the derivatives of the log-likelihood: scored less expected points, and draws."""
    log_win, log_drawn = _log_chances(strengths, log_draw)
    games = wins + wins.T + draws
    chance_of_draw = np.exp(log_drawn)
    points = wins + draws / 2 - games * (np.exp(log_win) + chance_of_draw / 2)
    return points.sum(axis=1), float((draws - games * chance_of_draw).sum() / 2)
