"""Tables of a tournament for the terminal."""

import numpy as np
from rich.table import Table

from agents.arena.standings import pairing_score, score_matrix, standings
from agents.arena.statistics import wilson_interval
from agents.arena.tournament import Pairing, Tournament


def pairing_line(pairing: Pairing) -> str:
    """Returns one line about a pairing, seen from its first agent."""
    score = pairing_score(pairing, pairing.first)
    low, high = wilson_interval(score.mean, score.games)
    return (
        f"{pairing.first} v {pairing.second}: {_percent(score.mean)} "
        f"(95 %: {_percent(low)} to {_percent(high)}), "
        f"+{score.wins} ={score.draws} -{score.losses}, {np.mean(pairing.plies):.1f} plies"
    )


def standings_table(tournament: Tournament, anchor: str | None) -> Table:
    """Returns the table with one line for each agent, the strongest first."""
    lines = standings(tournament, anchor)
    table = Table(title=f"Round robin, {len(tournament.pairings[0].returns)} games a pairing")
    table.add_column("agent", overflow="fold", min_width=10)
    headers = ("score %\n± s.e.", "games\n+ = -", "rating\n± 95 %", "Elo,\nlast", "mean\nplies")
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    for line in lines:
        score, rating = line.score, line.rating
        is_anchor = line.name == (anchor or tournament.agents[0])
        error = "anchor" if is_anchor else f"± {rating.high - rating.value:.0f}"
        table.add_row(
            line.name,
            f"{_percent(score.mean)} ± {_percent(score.standard_error)}",
            f"+{score.wins} ={score.draws} -{score.losses}",
            f"{rating.value:.0f} {error}",
            f"{line.last_elo:.0f}",
            f"{line.plies:.1f}",
        )
    return table


def score_table(tournament: Tournament) -> Table:
    """Returns the score in percent of each line's agent against each column's."""
    order = [tournament.agents.index(line.name) for line in standings(tournament)]
    matrix = score_matrix(tournament)
    table = Table(title="Score of the row against the column, %")
    table.add_column("agent", overflow="fold")
    for number in range(1, len(order) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    for number, row in enumerate(order, start=1):
        cells = ["-" if row == column else _percent(matrix[row, column]) for column in order]
        table.add_row(f"{number} {tournament.agents[row]}", *cells)
    return table


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f}"
