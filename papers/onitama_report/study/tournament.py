"""The tournament of the report: its nine players, and ours beside them."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.arena import elo, plots
from agents.arena.standings import (
    Standing,
    games_in_order,
    net_wins_matrix,
    plies_matrix,
    standings,
)
from agents.arena.tournament import Tournament, run
from benchmarks import measuring
from configs.tournament import TournamentConfig
from papers.onitama_report.study import report
from papers.onitama_report.study.runs import Run

OPTIONS = "observation=planes"  # of our network; actors have the observation of the report
OURS = "AlphaZero, 32 simulations"
SMOOTH = 100  # round robins of the running mean in the picture


def nine_players(runs: Sequence[Run], seed: int) -> dict[str, str]:
    """Returns the spec strings of the report's players by their names, with actors of one seed.

    Raises:
        ValueError: if the runs lack one of the report's actors.
    """
    specs = {report.RANDOM: "random"}
    for name in (*report.PLAIN, *report.MULTIPLIED):
        file_name = f"{name}-seed_{seed}.npz"
        paths = [run.folder / "actors" / file_name for run in runs]
        path = next((path for path in paths if path.exists()), None)
        if path is None:
            folders = ", ".join(str(run.folder) for run in runs)
            raise ValueError(f"--runs: there is no actors/{file_name} in {folders}")
        specs[name] = f"ddpg:actor={path}"
    return specs


def others(network: str | None, depths: Sequence[int]) -> dict[str, str]:
    """Returns the spec strings of the other players: our network, and minimax of some depths."""
    specs = {}
    if network is not None:
        specs[OURS] = f"gumbel:network={network},simulations=32"
        specs["AlphaZero, no search"] = f"network:network={network}"
    return specs | {f"minimax depth {depth}": f"minimax:depth={depth}" for depth in depths}


def settings(
    specs: Mapping[str, str], games: int, seed: int, saved: pathlib.Path
) -> TournamentConfig:
    """Returns the settings of the round robin of some players."""
    return TournamentConfig(
        game=report.GAME,
        env_options=OPTIONS,
        agents=tuple(specs.values()),
        games=games,
        seed=seed,
        output=saved,
    )


def play(specs: Mapping[str, str], config: TournamentConfig) -> Tournament:
    """Plays the round robin, or goes on with one; returns it with the names of the tables."""
    names = {spec: name for name, spec in specs.items()}
    played = run(config)
    return Tournament(
        tuple(names[spec] for spec in played.agents),
        tuple(
            pairing._replace(first=names[pairing.first], second=names[pairing.second])
            for pairing in played.pairings
        ),
    )


def among(tournament: Tournament, names: Sequence[str]) -> Tournament:
    """Returns the games between some of the players."""
    kept = [p for p in tournament.pairings if p.first in names and p.second in names]
    return Tournament(tuple(n for n in tournament.agents if n in names), tuple(kept))


def lines(played: Sequence[Tournament]) -> tuple[list[str], dict[str, Any]]:
    """Returns the part of the report, and its numbers.

    The first tournament is shown as a whole; the others, with other seeds, by their ratings.
    """
    tournament = played[0]
    games = len(tournament.pairings[0].returns)
    nine = among(tournament, report.PLAYERS)
    tables = [standings(among(each, report.PLAYERS), report.RANDOM) for each in played]
    text = [
        f"{games:,} games a pair, every one with both seats. Rating: maximum likelihood, with its "
        "95 % interval; Elo: the report's update after each game (K = 32), its last value.",
        "",
        f"Time of play of the {len(nine.pairings) * games:,} games of the report's nine players, "
        "compilation included: "
        f"{', '.join(_minutes(among(each, report.PLAYERS)) for each in played)}; "
        f"of the first tournament with all others: {_minutes(tournament)}.",
        "",
        "### The nine players of the report",
        "",
        *_table(tables[0]),
        "",
        "Wins less losses of the first player, where the report states them (of 2,500 games).",
        "",
        *measuring.table(
            ["pair", f"ours (of {games:,})", "report"],
            [
                [f"{first} v {second}", f"{net_wins(nine, first, second):+.0f}", f"{stated:+d}"]
                for (first, second), stated in report.NET_WINS.items()
            ],
        ),
        "",
        "### Mean turns of a game",
        "",
        *_plies(nine, [line.name for line in tables[0]]),
        "",
        *measuring.table(
            ["pair", *(f"tournament {number}" for number in range(1, len(played) + 1)), "report"],
            [
                [
                    f"{first} v {second}",
                    *(f"{mean_plies(each, first, second):.1f}" for each in played),
                    f"{stated:.1f}",
                ]
                for (first, second), stated in report.MEAN_PLIES.items()
            ],
        ),
    ]
    numbers: dict[str, Any] = {
        "nine": [_plain(line) for line in tables[0]],
        "seconds of the nine": [seconds(among(each, report.PLAYERS)) for each in played],
        "seconds": [seconds(each) for each in played],
        "pairs": [
            {
                "first": pairing.first,
                "second": pairing.second,
                "net wins": net_wins(tournament, pairing.first, pairing.second),
                "mean plies": mean_plies(tournament, pairing.first, pairing.second),
                "seconds": pairing.seconds,
            }
            for pairing in tournament.pairings
        ],
    }
    if len(tournament.agents) > len(nine.agents):
        everybody = standings(tournament, report.RANDOM)
        text += ["", "### With ours and minimax", "", *_table(everybody)]
        numbers["all"] = [_plain(line) for line in everybody]
        if OURS in tournament.agents:
            leads = _leads(tournament)
            numbers["leads"] = {name: lead._asdict() for name, lead in leads.items()}
            text += ["", f"`{OURS}` leads", ""]
            text += [
                f"- {name} by {lead.value:.0f} ({lead.low:.0f} to {lead.high:.0f}) points"
                for name, lead in leads.items()
            ]
    if len(played) > 1:
        numbers["by seed"] = [[_plain(line) for line in table] for table in tables]
        text += ["", "### The nine players, actors of other seeds", "", *_ratings(tables)]
    return text, numbers


def _leads(tournament: Tournament) -> dict[str, elo.Rating]:
    """Returns the lead of our player over the best minimax and the best of the report's players."""
    # Intervals of ratings are those of the difference to the anchor.
    table = standings(tournament, OURS)
    strangers = [line for line in table if line.name.startswith("minimax")][:1]
    strangers += [line for line in table if line.name in report.PLAYERS][:1]
    return {line.name: _lead(line.rating) for line in strangers}


def _lead(other: elo.Rating) -> elo.Rating:
    """Returns how far the anchor is ahead of another player."""
    return elo.Rating(
        value=elo.START - other.value, low=elo.START - other.high, high=elo.START - other.low
    )


def _ratings(tables: Sequence[Sequence[Standing]]) -> list[str]:
    """Returns the table of the ratings by seed, the highest mean first."""
    of_player = {
        line.name: [next(x.rating.value for x in table if x.name == line.name) for table in tables]
        for line in tables[0]
    }
    rows = [
        [
            name,
            *(f"{x:.0f}" for x in values),
            f"{np.mean(values):.0f}",
            f"{np.std(values, ddof=1):.0f}",
        ]
        for name, values in sorted(of_player.items(), key=lambda item: -np.mean(item[1]))
    ]
    numbers = (f"tournament {number}" for number in range(1, len(tables) + 1))
    return measuring.table(["player", *numbers, "mean", "standard deviation"], rows)


def _table(table: Sequence[Standing]) -> list[str]:
    rows = []
    for line in table:
        error = line.rating.high - line.rating.value
        rows.append(
            [
                line.name,
                f"{100 * line.score.mean:.1f} ({100 * line.score.standard_error:.1f})",
                "anchor"
                if line.name == report.RANDOM
                else f"{line.rating.value:.0f} ± {error:.0f}",
                f"{line.last_elo:.0f}",
                f"{report.ELO[line.name]:.0f}" if line.name in report.ELO else "",
                f"{line.plies:.1f}",
            ]
        )
    header = ["player", "score, %", "rating", "Elo", "Elo, report", "mean plies"]
    return measuring.table(header, rows)


def net_wins(tournament: Tournament, first: str, second: str) -> float:
    """Returns wins less losses of the first against the second."""
    pair = among(tournament, (first, second))
    return float(net_wins_matrix(pair)[pair.agents.index(first), pair.agents.index(second)])


def mean_plies(tournament: Tournament, first: str, second: str) -> float:
    """Returns the mean length of the games of two players."""
    return float(plies_matrix(among(tournament, (first, second)))[0, 1])


def seconds(tournament: Tournament) -> float | None:
    """Returns the time of play, None if that of a pair is unknown."""
    of_pairs = [pairing.seconds for pairing in tournament.pairings]
    known = [x for x in of_pairs if x is not None]
    return sum(known) if len(known) == len(of_pairs) else None


def _minutes(tournament: Tournament) -> str:
    of_pairs = [pairing.seconds for pairing in tournament.pairings]
    known = [x for x in of_pairs if x is not None]
    if not known:
        return "unknown (not in its file)"
    text = f"{sum(known) / 60:.1f} minutes"
    if len(known) < len(of_pairs):
        text += f" for {len(known)} of {len(of_pairs)} pairs, unknown for the others"
    return text


def _plies(tournament: Tournament, order: Sequence[str]) -> list[str]:
    """Returns the table of the mean turns of all pairs."""
    places = [tournament.agents.index(name) for name in order]
    matrix = plies_matrix(tournament)[np.ix_(places, places)]
    rows = [
        [name, *("" if np.isnan(x) else f"{x:.1f}" for x in row)]
        for name, row in zip(order, matrix, strict=True)
    ]
    return measuring.table(["", *order], rows)


def draw(tournament: Tournament, matrices: pathlib.Path, curves: pathlib.Path) -> None:
    """Draws the matrices of all, and the Elo of the report's nine players after each round."""
    plots.plot_matrices(tournament, matrices)
    nine = among(tournament, report.PLAYERS)
    ratings = elo.history(games_in_order(nine), len(nine.agents))
    rounds = ratings[:: len(nine.pairings)]
    width = min(SMOOTH, len(rounds))
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for player in rounds[-1].argsort()[::-1]:
        (line,) = axes.plot(rounds[:, player], linewidth=0.3, alpha=0.25)
        smooth = np.convolve(rounds[:, player], np.full(width, 1 / width), mode="valid")
        x = np.arange(width - 1, len(rounds))
        axes.plot(x, smooth, linewidth=1.6, color=line.get_color(), label=nine.agents[player])
    axes.set_xlabel("round robins")
    axes.set_ylabel(f"Elo after each, and the mean of the last {width}")
    axes.set_xlim(0, len(rounds) - 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(curves, dpi=150)


def _plain(line: Standing) -> dict[str, Any]:
    return {
        "name": line.name,
        "score": line.score._asdict(),
        "rating": line.rating._asdict(),
        "last_elo": line.last_elo,
        "plies": line.plies,
    }
