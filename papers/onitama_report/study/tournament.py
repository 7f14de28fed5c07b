"""The tournament of the report: its nine players, and ours beside them."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.arena import elo
from agents.arena.standings import games_in_order, pairing_score, standings
from agents.arena.tournament import Tournament, run
from benchmarks import measuring
from configs.tournament import TournamentConfig
from papers.onitama_report.study import report

OPTIONS = "observation=planes"  # of our network; actors have the observation of the report
OURS = "AlphaZero, 32 simulations"
SMOOTH = 100  # round robins of the running mean in the picture


def players(
    folders: Sequence[pathlib.Path], seed: int, network: str | None, depths: Sequence[int]
) -> dict[str, str]:
    """Returns the spec strings of all players by name, with actors of one seed.

    Args:
        folders: those of the runs that trained the actors.
        seed: of the actors.
        network: our own network, if it plays.
        depths: of the minimax players.

    Raises:
        ValueError: if the runs lack one of the report's actors.
    """
    specs = {report.RANDOM: "random"}
    for name in (*report.PLAIN, *report.MULTIPLIED):
        file = f"actors/{name}-seed_{seed}.npz"
        path = next((folder / file for folder in folders if (folder / file).exists()), None)
        if path is None:
            raise ValueError(f"--runs: there is no {file} in {', '.join(map(str, folders))}")
        specs[name] = f"ddpg:actor={path}"
    if network is not None:
        specs[OURS] = f"gumbel:network={network},simulations=32"
        specs["AlphaZero, no search"] = f"network:network={network}"
    return specs | {f"minimax depth {depth}": f"minimax:depth={depth}" for depth in depths}


def play(specs: Mapping[str, str], config: TournamentConfig) -> Tournament:
    """Plays the round robin, or goes on with one; returns it with the names of the tables."""
    names = {spec: name for name, spec in specs.items()}
    played = run(config)
    return Tournament(
        tuple(names[spec] for spec in played.agents),
        tuple(x._replace(first=names[x.first], second=names[x.second]) for x in played.pairings),
    )


def among(tournament: Tournament, names: Sequence[str]) -> Tournament:
    """Returns the games between some of the players."""
    pairings = [p for p in tournament.pairings if p.first in names and p.second in names]
    return Tournament(tuple(n for n in tournament.agents if n in names), tuple(pairings))


def numbers(tournament: Tournament) -> dict[str, Any]:
    """Returns the standings of the report's nine players and of all, and the figures of pairs."""
    pairs = []
    for pairing in tournament.pairings:
        score = pairing_score(pairing, pairing.first)
        pairs.append(
            {
                "first": pairing.first,
                "second": pairing.second,
                "net wins": float(score.wins - score.losses),
                "mean plies": float(np.mean(pairing.plies)),
                "seconds": pairing.seconds,
            }
        )
    nine = among(tournament, report.PLAYERS)
    return {"nine": _standings(nine), "all": _standings(tournament), "pairs": pairs}


def _standings(tournament: Tournament) -> list[dict[str, Any]]:
    return [
        {
            "name": line.name,
            "score": line.score._asdict(),
            "rating": line.rating._asdict(),
            "last_elo": line.last_elo,
            "plies": line.plies,
        }
        for line in standings(tournament, report.RANDOM)
    ]


def lines(by_seed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the part of the page, from the numbers of the tournaments of each seed.

    The first tournament is shown as a whole; the others by their ratings.
    """
    first = by_seed[0]
    text = [
        "Every game with both seats. Rating: maximum likelihood, with its 95 % interval; Elo: the "
        "report's update after each game (K = 32), its last value.",
        "",
        "### The nine players of the report",
        "",
        *_table(first["nine"]),
        "",
        "Wins less losses of the first player (of 2,500 games in the report), and mean turns of a "
        "game, where the report states them.",
        "",
        *_pairs(by_seed),
    ]
    if len(first["all"]) > len(first["nine"]):
        text += ["", "### With ours and minimax", "", *_table(first["all"])]
    if len(by_seed) > 1:
        text += ["", "### The nine players, actors of other seeds", "", *_ratings(by_seed)]
    return text


def _pairs(by_seed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the table of the pairs of which the report states figures."""
    rows = []
    for name, form, stated in (
        ("net wins", "+.0f", report.NET_WINS),
        ("mean plies", ".1f", report.MEAN_PLIES),
    ):
        for (one, other), figure in stated.items():
            ours = []
            for pair in (pair for each in by_seed for pair in each["pairs"]):
                if {pair["first"], pair["second"]} == {one, other}:
                    is_turned = name == "net wins" and pair["first"] == other
                    ours.append(-pair[name] if is_turned else pair[name])
            cells = (f"{x:{form}}" for x in (*ours, figure))
            rows.append([f"{one} v {other}", name, *cells])
    seeds = (f"tournament {number}" for number in range(1, len(by_seed) + 1))
    return measuring.table(["pair", "", *seeds, "report"], rows)


def _table(table: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = []
    for line in table:
        name, score, rating = line["name"], line["score"], line["rating"]
        error = rating["high"] - rating["value"]
        rows.append(
            [
                name,
                f"{100 * score['mean']:.1f} ({100 * score['standard_error']:.1f})",
                "anchor" if name == report.RANDOM else f"{rating['value']:.0f} ± {error:.0f}",
                f"{line['last_elo']:.0f}",
                f"{report.ELO[name]:.0f}" if name in report.ELO else "",
                f"{line['plies']:.1f}",
            ]
        )
    header = ["player", "score, %", "rating", "Elo", "Elo, report", "mean plies"]
    return measuring.table(header, rows)


def _ratings(by_seed: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the table of the ratings by seed, the highest mean first."""
    ratings = {
        line["name"]: [
            next(x["rating"]["value"] for x in each["nine"] if x["name"] == line["name"])
            for each in by_seed
        ]
        for line in by_seed[0]["nine"]
    }
    rows = [
        [name, *(f"{x:.0f}" for x in (*values, np.mean(values), np.std(values, ddof=1)))]
        for name, values in sorted(ratings.items(), key=lambda item: -np.mean(item[1]))
    ]
    seeds = (f"tournament {number}" for number in range(1, len(by_seed) + 1))
    return measuring.table(["player", *seeds, "mean", "standard deviation"], rows)


def draw(tournament: Tournament) -> Figure:
    """Draws the Elo of the report's nine players after each round robin, and its running mean."""
    nine = among(tournament, report.PLAYERS)
    rounds = elo.history(games_in_order(nine), len(nine.agents))[:: len(nine.pairings)]
    width = min(SMOOTH, len(rounds))
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for player in rounds[-1].argsort()[::-1]:
        (line,) = axes.plot(rounds[:, player], linewidth=0.3, alpha=0.25)
        smooth = np.convolve(rounds[:, player], np.full(width, 1 / width), mode="valid")
        x, color = np.arange(width - 1, len(rounds)), line.get_color()
        axes.plot(x, smooth, linewidth=1.6, color=color, label=nine.agents[player])
    axes.set(xlabel="round robins", ylabel=f"Elo after each, and the mean of the last {width}")
    axes.set_xlim(0, len(rounds) - 1)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure
