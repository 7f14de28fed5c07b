"""The tournament of the report: its nine players, and ours beside them."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from agents.arena import plots
from agents.arena.standings import Standing, net_wins_matrix, standings
from agents.arena.tournament import Tournament, run
from benchmarks import measuring
from benchmarks.studies.onitama_report import report
from configs.tournament import TournamentConfig

OPTIONS = "observation=planes"  # what our network sees; actors see what the report's did
DEPTHS = (1, 2, 3, 4)


def players(actors: pathlib.Path, seed: int, network: str | None, depths: Sequence[int]) -> dict:
    """Returns the spec strings by the names in the tables.

    Raises:
        ValueError: if the folder lacks one of the report's actors.
    """
    specs = {report.RANDOM: "random"}
    for name in (*report.PLAIN, *report.MULTIPLIED):
        path = actors / f"{name}-seed_{seed}.npz"
        if not path.exists():
            raise ValueError(f"--runs: there is no {path}")
        specs[name] = f"ddpg:actor={path}"
    if network is not None:
        specs["AlphaZero, 32 simulations"] = f"gumbel:checkpoint={network},simulations=32"
        specs["AlphaZero, no search"] = f"network:checkpoint={network}"
    return specs | {f"minimax depth {depth}": f"minimax:depth={depth}" for depth in depths}


def play(specs: Mapping[str, str], games: int, seed: int, saved: pathlib.Path) -> Tournament:
    """Plays the round robin, or goes on with one; returns it with the names of the tables."""
    config = TournamentConfig(
        game=report.GAME,
        env_options=OPTIONS,
        agents=tuple(specs.values()),
        games=games,
        seed=seed,
        output=saved,
    )
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


def lines(tournament: Tournament) -> tuple[list[str], dict[str, Any]]:
    """Returns the part of the report, and its numbers."""
    games = len(tournament.pairings[0].returns)
    nine = among(tournament, report.PLAYERS)
    table = standings(nine, report.RANDOM)
    text = [
        f"{games:,} games a pair, every one with both seats. Rating: maximum likelihood, with its "
        "95 % interval; Elo: the report's update after each game (K = 32), its last value.",
        "",
        "### The nine players of the report",
        "",
        *_table(table),
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
    ]
    numbers = {"nine": [_plain(line) for line in table]}
    if len(tournament.agents) > len(nine.agents):
        everybody = standings(tournament, report.RANDOM)
        text += ["", "### With ours and minimax", "", *_table(everybody)]
        numbers["all"] = [_plain(line) for line in everybody]
    return text, numbers


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
    names = tournament.agents
    return float(net_wins_matrix(tournament)[names.index(first), names.index(second)])


def draw(tournament: Tournament, path: pathlib.Path) -> None:
    """Draws the matrices of scores, net wins and plies."""
    plots.plot_matrices(tournament, path)


def _plain(line: Standing) -> dict[str, Any]:
    return {
        "name": line.name,
        "score": line.score._asdict(),
        "rating": line.rating._asdict(),
        "last_elo": line.last_elo,
        "plies": line.plies,
    }
