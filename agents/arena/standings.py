"""The table of a tournament: scores, both kinds of Elo rating, and matrices of the pairings."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from agents.arena import elo
from agents.arena.tournament import Pairing, Tournament
from jaxgames.matches import statistics


class Standing(NamedTuple):
    """One line of the table."""

    name: str
    score: statistics.Score
    """Over all opponents; the pairings have equally many games."""
    interval: tuple[float, float]
    """Wilson's 95 % interval of the score, over all games."""
    rating: elo.Rating
    """Maximum likelihood, with its 95 % interval."""
    last_elo: float
    """After the sequential update of the Onitama report."""
    plies: float
    """Mean length of the agent's games."""


def standings(
    tournament: Tournament, anchor: str | None = None, k_factor: float = elo.K_FACTOR
) -> list[Standing]:
    """Returns the lines of the table, the best rating first.

    Args:
        tournament: a finished tournament.
        anchor: agent whose rating is fixed at `elo.START`; the first one if None.
        k_factor: points at stake in a game, for the sequential rating.
    """
    names = tournament.agents
    games = games_in_order(tournament)
    last = elo.sequential(games, len(names), k_factor=k_factor)
    anchor_index = 0 if anchor is None else names.index(anchor)
    ratings = elo.maximum_likelihood(games, len(names), anchor_index)
    table = []
    for i, name in enumerate(names):
        score = _total(tournament, name)
        interval = statistics.wilson_interval(score.mean, score.games)
        plies = float(np.mean([pairing.plies for pairing in _pairings_of(tournament, name)]))
        table.append(Standing(name, score, interval, ratings[i], float(last[i]), plies))
    return sorted(table, key=lambda line: -line.rating.value)


def pairing_score(pairing: Pairing, name: str) -> statistics.Score:
    """Returns the score of one of the two agents of a pairing."""
    first = np.array(pairing.returns)
    return statistics.score(
        np.stack([first, -first], axis=1), (pairing.first, pairing.second).index(name)
    )


def ordered_matrices(
    tournament: Tournament,
) -> tuple[list[str], list[Float[np.ndarray, "agents agents"]]]:
    """Returns the agents, the strongest first, and their scores, net wins and mean plies."""
    names = [line.name for line in standings(tournament)]
    order = [tournament.agents.index(name) for name in names]
    matrices = (score_matrix, net_wins_matrix, plies_matrix)
    return names, [matrix(tournament)[np.ix_(order, order)] for matrix in matrices]


def score_matrix(tournament: Tournament) -> Float[np.ndarray, "agents agents"]:
    """Returns the score of the row's agent against the column's; NaN if they did not play."""
    return _matrix(tournament, lambda pairing, name: pairing_score(pairing, name).mean)


def net_wins_matrix(tournament: Tournament) -> Float[np.ndarray, "agents agents"]:
    """Returns net wins of the row's agent against the column's; NaN if they did not play."""

    def net_wins(pairing: Pairing, name: str) -> float:
        score = pairing_score(pairing, name)
        return score.wins - score.losses

    return _matrix(tournament, net_wins)


def plies_matrix(tournament: Tournament) -> Float[np.ndarray, "agents agents"]:
    """Returns the mean length of the games of each two agents; NaN if they did not play."""
    return _matrix(tournament, lambda pairing, _: float(np.mean(pairing.plies)))


def _matrix(
    tournament: Tournament, value: Callable[[Pairing, str], float]
) -> Float[np.ndarray, "agents agents"]:
    names = tournament.agents
    matrix = np.full((len(names), len(names)), np.nan)
    for pairing in tournament.pairings:
        row, column = names.index(pairing.first), names.index(pairing.second)
        matrix[row, column] = value(pairing, pairing.first)
        matrix[column, row] = value(pairing, pairing.second)
    return matrix


def games_in_order(tournament: Tournament) -> list[elo.Game]:
    """Returns the games in the order in which the sequential rating counts them.

    A knock-out is counted match by match. In the other formats, each round has one game of every
    pairing, as if the pairings were played side by side.
    """
    names = tournament.agents
    if tournament.format == "knockout":
        ordered = [(pair, outcome) for pair in tournament.pairings for outcome in pair.returns]
    else:
        rounds = zip(*(pair.returns for pair in tournament.pairings), strict=True)
        ordered = [
            played for row in rounds for played in zip(tournament.pairings, row, strict=True)
        ]
    return [
        elo.Game(names.index(pair.first), names.index(pair.second), (1.0 + outcome) / 2.0)
        for pair, outcome in ordered
    ]


def _total(tournament: Tournament, name: str) -> statistics.Score:
    scores = [pairing_score(pairing, name) for pairing in _pairings_of(tournament, name)]
    error = math.sqrt(sum(score.standard_error**2 for score in scores)) / len(scores)
    return statistics.Score(
        mean=sum(score.mean for score in scores) / len(scores),
        standard_error=error,
        games=sum(score.games for score in scores),
        wins=sum(score.wins for score in scores),
        draws=sum(score.draws for score in scores),
        losses=sum(score.losses for score in scores),
    )


def _pairings_of(tournament: Tournament, name: str) -> list[Pairing]:
    return [p for p in tournament.pairings if name in (p.first, p.second)]
