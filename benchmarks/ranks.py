"""The rank of an agent among copies of another one, in games of two to five seats.

    python -m benchmarks.ranks --game=terra_mystica --env-options=num_players=4 --others=greedy

The agent has one seat, and copies of the other one have the rest. Games come in groups of one game
for each seat, all from the same position: the agent plays every seat once.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("ranks")

import argparse
import time
from collections.abc import Sequence
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Float

from benchmarks import measuring
from benchmarks.commands import Report
from jaxgames.matches.match import devices_for, match
from jaxgames.matches.statistics import Mean, over_groups
from jaxgames.players import registry, stand_ins


class Standing(NamedTuple):
    """What one agent reached."""

    agent: str
    others: str
    games: int
    rank: Mean  # from 1, the best; seats with equal returns share the mean of their ranks
    firsts: Mean  # share of the games in which no seat did better; ties count in part
    points: Mean | None  # in games that count points
    points_of_others: Mean | None


def measure(options: argparse.Namespace) -> Report:
    """Plays all agents among copies of the other one."""
    started = time.perf_counter()
    env = registry.make_env(options.game, options.env_options)
    others = [registry.make_program(options.others, env)] * (env.num_players - 1)
    players = [registry.make_program(spec, env) for spec in options.agents]
    games = -(-options.games // env.num_players) * env.num_players
    key, devices = jax.random.key(options.seed), devices_for(games, env)
    standings = []
    for player in players:
        result = match(env, (player, *others), key, games, num_devices=devices)
        points = None if result.points is None else np.asarray(result.points)
        returns = np.asarray(result.returns)
        standings.append(standing(player.name, options.others, returns, points))
    return Report(
        "Ranks among copies of another agent",
        render(standings),
        {"standings": [row._asdict() for row in standings]},
        {
            "game": f"{options.game} {options.env_options}".strip(),
            "seats": env.num_players,
            **stand_ins.meaning([*options.agents, options.others], env),
            "seed": options.seed,
            "seconds": round(time.perf_counter() - started),
        },
    )


def standing(
    agent: str,
    others: str,
    returns: Float[np.ndarray, "games players"],
    points: Float[np.ndarray, "games players"] | None,
) -> Standing:
    """Returns what the first player reached; the games stand in groups (`matches/match.py`).

    Args:
        agent: name of the first player.
        others: name of all other players.
        returns: outcome of each player.
        points: points of each player, in games that count any.
    """
    num_players = returns.shape[1]
    own, rest = returns[:, :1], returns[:, 1:]
    better, equal = (rest > own).sum(axis=1), (rest == own).sum(axis=1)

    def mean(by_game: Float[np.ndarray, "games"]) -> Mean:
        return over_groups(by_game, num_players)

    return Standing(
        agent,
        others,
        len(returns),
        rank=mean(1 + better + equal / 2),
        firsts=mean((better == 0) / (1 + equal)),
        points=None if points is None else mean(points[:, 0]),
        points_of_others=None if points is None else mean(points[:, 1:].mean(axis=1)),
    )


def render(standings: Sequence[Standing]) -> list[str]:
    """Returns the lines of the record."""
    header = ["agent", "others", "games", "mean rank", "first", "points", "points of the others"]
    return measuring.table(header, [[*row[:3], *map(_text, row[3:])] for row in standings])


def _text(mean: Mean | None) -> str:
    return "" if mean is None else f"{mean.value:.2f} ± {mean.error:.2f}"
