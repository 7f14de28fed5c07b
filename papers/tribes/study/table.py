"""Table 1 of the paper: wins of all pairs, and means at the end of games, beside its figures."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from benchmarks import measuring
from papers.tribes.study import paper
from papers.tribes.study.games import FEATURES, Batch

CLOSE, FAR = 2.0, 3.0  # differences in standard errors: agreement, and what must be explained


class Cell(NamedTuple):
    """One pair of players; wins of the first, in percent."""

    first: str
    second: str
    games: int
    wins: float
    error: float
    z: float
    """Difference from the paper's figure, in standard errors of both."""


class Row(NamedTuple):
    """Means of one player. Its opponents have equal weight, whatever their numbers of games."""

    player: str
    games: int
    means: dict[str, paper.Average]
    errors: dict[str, float]
    """Standard errors that these means would have with the paper's number of games."""


def cells(batches: Sequence[Batch]) -> list[Cell]:
    """Returns a cell for each pair that has games."""
    found = []
    for (first, second), stated in paper.WINS.items():
        ranks = _feature(batches, (first, second), "rank")
        if not len(ranks):
            continue
        wins = int((ranks[:, 0] == 1).sum())
        ours, theirs = _share(wins, len(ranks)), _share(stated * paper.GAMES / 100, paper.GAMES)
        share = 100 * wins / len(ranks)
        z = _z(ours._replace(mean=share), theirs._replace(mean=stated))
        found.append(Cell(first, second, len(ranks), share, ours.error, z))
    return found


def rows(batches: Sequence[Batch]) -> list[Row]:
    """Returns a row for each player that has games."""
    found = []
    for player in paper.PLAYERS:
        own = {name: _own(batches, player, name) for name in FEATURES}
        games = sum(map(len, own["rank"]))
        if games:
            own["wins"] = [100.0 * (ranks == 1) for ranks in own["rank"]]
            means = {name: _average(values) for name, values in own.items()}
            errors = {name: _error(values, paper.GAMES) for name, values in own.items()}
            found.append(Row(player, games, means, errors))
    return found


def report(batches: Sequence[Batch]) -> tuple[list[str], dict[str, Any]]:
    """Returns the lines of the report, and its numbers."""
    pairs, players = cells(batches), rows(batches)
    of_pairs = [
        [
            f"{cell.first} v {cell.second}",
            cell.games,
            f"{cell.wins:.1f} ({cell.error:.1f})",
            f"{paper.WINS[cell.first, cell.second]:.1f}",
            f"{cell.z:+.1f}",
        ]
        for cell in pairs
    ]
    lines = [
        "Wins of the row against the column in percent, with the standard error.",
        "",
        *_matrix(pairs, players),
        "",
        f"{sum(abs(cell.z) <= CLOSE for cell in pairs)} of {len(pairs)} pairs agree with the paper "
        f"within {CLOSE:g} standard errors; {sum(abs(cell.z) > FAR for cell in pairs)} differ by "
        f"more than {FAR:g}.",
        "",
        *measuring.table(["pair", "games", "ours", "paper", "difference / error"], of_pairs),
        "",
        "Means at the end of each player's games; its opponents have equal weight. In brackets the "
        "standard error, then the difference from the paper's figure (the line below) in standard "
        "errors of both. Except for the score, the errors that the paper states are the mean "
        "divided by the root of the games; for them we assume that its games spread as ours.",
        "",
        *_averages(players),
    ]
    numbers = {
        "pairs": [cell._asdict() for cell in pairs],
        "players": [
            row._asdict() | {"means": {name: value._asdict() for name, value in row.means.items()}}
            for row in players
        ],
    }
    return lines, numbers


def _matrix(pairs: Sequence[Cell], players: Sequence[Row]) -> list[str]:
    names = [row.player for row in players]
    texts = {(name, name): "*" for name in names}
    for cell in pairs:
        texts[cell.first, cell.second] = f"{cell.wins:.1f} ({cell.error:.1f})"
        texts[cell.second, cell.first] = f"{100 - cell.wins:.1f} ({cell.error:.1f})"
    table = [[row, *(texts.get((row, column), "") for column in names)] for row in names]
    return measuring.table(["", *names], table)


def _averages(players: Sequence[Row]) -> list[str]:
    names = ["wins", *FEATURES]
    table = []
    for row in players:
        stated = paper.MEANS[row.player]
        games = paper.GAMES * (len(paper.PLAYERS) - 1)
        ours = []
        for name in names:
            mean, theirs = row.means[name], stated[name]
            if name != "score":
                theirs = theirs._replace(error=row.errors[name])
            ours.append(f"{_text(mean)}, {_z(mean, theirs):+.1f}")
        table.append([row.player, row.games, *ours])
        table.append(["paper", games, *(_text(stated[name]) for name in names)])
    return measuring.table(["player", "games", *names], table)


def _feature(
    batches: Sequence[Batch], pair: tuple[str, str], name: str
) -> Float[np.ndarray, "games 2"]:
    found = [batch.features[name] for batch in batches if (batch.first, batch.second) == pair]
    return np.array([game for batch in found for game in batch], np.float64).reshape(-1, 2)


def _own(batches: Sequence[Batch], player: str, name: str) -> list[Float[np.ndarray, "games"]]:
    """Returns a feature of a player at the end of its games, an array for each opponent."""
    parts = [
        _feature(batches, pair, name)[:, pair.index(player)]
        for pair in paper.WINS
        if player in pair
    ]
    return [part for part in parts if len(part)]


def _average(pairs: Sequence[Float[np.ndarray, "games"]]) -> paper.Average:
    """Returns the mean over pairs of their means."""
    return paper.Average(float(np.mean([values.mean() for values in pairs])), _error(pairs))


def _error(pairs: Sequence[Float[np.ndarray, "games"]], games: int | None = None) -> float:
    """Returns the standard error of the mean over pairs, with their games or `games` each."""
    variances = [values.var(ddof=1) / (games or len(values)) for values in pairs]
    return math.sqrt(sum(variances)) / len(pairs)


def _share(wins: float, games: int) -> paper.Average:
    """Returns a share in percent; its error is never zero (one win and one loss more)."""
    share = (wins + 1) / (games + 2)
    return paper.Average(100 * share, 100 * math.sqrt(share * (1 - share) / games))


def _z(ours: paper.Average, stated: paper.Average) -> float:
    """Returns a difference in standard errors of both; NaN if they have none."""
    error = math.hypot(ours.error, stated.error)
    return (ours.mean - stated.mean) / error if error else math.nan


def _text(average: paper.Average) -> str:
    digits = 0 if average.mean > 1000 else 1 if average.mean > 10 else 2
    return f"{average.mean:,.{digits}f} ({average.error:,.{digits}f})"
