"""Tables of a tournament for the terminal."""

import math

import numpy as np
from jaxtyping import Float
from rich.table import Table

from agents.arena import elo
from agents.arena.formats import bracket
from agents.arena.standings import ordered_matrices, pairing_score, standings
from agents.arena.tournament import Pairing, Tournament
from jaxgames.matches.statistics import Score, repetition, wilson_interval

TITLES = {"round_robin": "Round robin", "gauntlet": "Gauntlet", "knockout": "Knock-out"}
# A wider interval comes from the prior, not from the games: somebody won or lost (nearly) all.
WIDEST_ERROR = 1000.0


def pairing_line(pairing: Pairing) -> str:
    """Returns one line about a pairing, seen from its first agent."""
    score = pairing_score(pairing, pairing.first)
    low, high = wilson_interval(score.mean, score.games)
    line = (
        f"{pairing.first} v {pairing.second}: {_percent(score.mean)} "
        f"(95 %: {_percent(low)} to {_percent(high)}), "
        f"+{score.wins} ={score.draws} -{score.losses}, {np.mean(pairing.plies):.1f} plies"
    )
    warning = repetition(pairing.different, score.games, "--opening-plies")
    return line if warning is None else f"{line}; {warning}"


def standings_table(
    tournament: Tournament, anchor: str | None, k_factor: float = elo.K_FACTOR
) -> Table:
    """Returns the table with one line for each agent, the strongest first."""
    lines = standings(tournament, anchor, k_factor)
    games = len(tournament.pairings[0].returns)
    repeated = [p for p in tournament.pairings if repetition(p.different, games, "")]
    table = Table(title=f"{TITLES[tournament.format]}, {games} games a pairing")
    if repeated:
        share = f"{len(repeated)} of {len(tournament.pairings)} pairings"
        table.caption = f"errors are too small: repeated games in {share}"
    table.add_column("agent", overflow="fold", min_width=10)
    headers = (
        "score %\n± s.e.",
        "95 %,\nWilson",
        "games\n+ = -",
        "rating\n± 95 %",
        "Elo,\nlast",
        "mean\nplies",
    )
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    for line in lines:
        is_anchor = line.name == (anchor or tournament.agents[0])
        low, high = line.interval
        table.add_row(
            line.name,
            _score(line.score),
            f"{_percent(low)}\n{_percent(high)}",
            f"+{line.score.wins} ={line.score.draws} -{line.score.losses}",
            f"{line.rating.value:.0f} {'anchor' if is_anchor else _error(line.rating)}",
            f"{line.last_elo:.0f}",
            f"{line.plies:.1f}",
        )
    return table


def matrix_tables(tournament: Tournament) -> list[Table]:
    """Returns scores, net wins and mean plies of each row's agent against each column's agent."""
    names, (scores, net_wins, plies) = ordered_matrices(tournament)
    matrices = (
        ("Score of the row against the column, %", 100.0 * scores, ".1f"),
        ("Net wins of the row against the column", net_wins, "+.0f"),
        ("Mean plies", plies, ".1f"),
    )
    return [_matrix_table(title, names, matrix, form) for title, matrix, form in matrices]


def bracket_table(tournament: Tournament) -> Table:
    """Returns the matches of a knock-out, round by round, with the winner of each."""
    scores = {(p.first, p.second): pairing_score(p, p.first) for p in tournament.pairings}
    net_wins = [sum(pairing.returns) for pairing in tournament.pairings]
    table = Table(title="Bracket; a drawn match goes to the better seed")
    for header in ("round", "match", "+ = -", "winner"):
        table.add_column(header, overflow="fold")
    for number, matches in enumerate(bracket(tournament.agents, net_wins), start=1):
        for match in matches:
            if match.second is None:
                table.add_row(str(number), match.first, "bye", match.first)
                continue
            score = scores[match.first, match.second]
            games = f"+{score.wins} ={score.draws} -{score.losses}"
            table.add_row(str(number), f"{match.first} v {match.second}", games, match.winner)
    return table


def _matrix_table(
    title: str, names: list[str], matrix: Float[np.ndarray, "agents agents"], form: str
) -> Table:
    table = Table(title=title)
    table.add_column("agent", overflow="fold")
    for number in range(1, len(names) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, (name, row) in enumerate(zip(names, matrix, strict=True), start=1):
        cells = ["-" if math.isnan(value) else format(value, form) for value in row]
        table.add_row(f"{number} {name}", *cells)
    return table


def _score(score: Score) -> str:
    """Returns score and standard error as text; a single pair of games has no standard error."""
    mean = _percent(score.mean)
    is_known = math.isfinite(score.standard_error)
    return f"{mean} ± {_percent(score.standard_error)}" if is_known else mean


def _error(rating: elo.Rating) -> str:
    error = rating.high - rating.value
    return f"± {error:.0f}" if error <= WIDEST_ERROR else f"± >{WIDEST_ERROR:.0f}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f}"
