"""The number of valid moves: its distribution over the turns of an untrained actor."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int32
from matplotlib.figure import Figure

from benchmarks import measuring
from jaxgames import Env, Rules
from jaxgames.matches.match import match
from jaxgames.players import registry
from jaxgames.players.player import Player
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.actor import make_actor
from papers.onitama_report.ddpg.players import MaskedActor
from papers.onitama_report.study import report

GAMES = 512  # played at once
ARCHITECTURE = "val_branch_actions"
OPPONENTS = {
    "random": "minimax:depth=1",
    "the first": "minimax:depth=1,ties=first",
}
"""Opponents by their choice among equal moves, which the report does not state."""


@dataclasses.dataclass(frozen=True)
class Histogram:
    """A tally: turns of each seat by the number of legal moves."""

    rules: Rules[Any]

    def start(self, num_games: int) -> Int32[Array, "games seats numbers"]:
        """Returns zeros."""
        shape = num_games, self.rules.num_players, self.rules.num_actions + 1
        return jnp.zeros(shape, jnp.int32)

    def add(
        self, counts: Int32[Array, "games seats numbers"], games: Any, moves: Bool[Array, "games"]
    ) -> Int32[Array, "games seats numbers"]:
        """Counts the turns that are about to be played."""
        number = jax.vmap(self.rules.legal_actions)(games).sum(axis=1)
        lanes = jnp.where(moves, jnp.arange(len(moves)), len(moves))
        return counts.at[lanes, jax.vmap(self.rules.to_move)(games), number].add(1, mode="drop")


def play(env: Env[Any], opponent: str, turns: int, seed: int) -> Int[np.ndarray, "games 2 numbers"]:
    """Plays an untrained actor against an opponent until it has had `turns` turns.

    Returns:
        Turns of the actor and the opponent, by game and number of valid moves.
    """
    network = make_actor(env, ARCHITECTURE, NetworkConfig())
    start_key, play_key = jax.random.split(jax.random.key(seed))
    actor = Player("untrained", MaskedActor(env.rules, network), network.init(start_key))
    players = (actor, registry.make(opponent, env))
    parts: list[Any] = []
    while sum(int(part[:, 0].sum()) for part in parts) < turns:
        key = jax.random.fold_in(play_key, len(parts))
        result = match(env, players, key, GAMES, tally=Histogram(env.rules))
        seats = np.asarray(result.seats)[..., None]
        parts.append(np.take_along_axis(result.counts, seats, axis=1))
    return np.concatenate(parts)


def summary(counts: Int[np.ndarray, "games numbers"]) -> dict[str, Any]:
    """Returns the figures of a distribution; `error` is the mean's standard error over games."""
    total = counts.sum(axis=0)
    numbers, turns = np.arange(len(total)), total.sum()
    mean = float((total * numbers).sum() / turns)
    residues = counts @ numbers - mean * counts.sum(axis=1)
    return {
        "mean": mean,
        "median": float(np.searchsorted(np.cumsum(total), turns / 2)),
        "mode": int(total.argmax()),
        "most": int(numbers[total > 0].max()),
        "turns": int(turns),
        "error": float(np.sqrt((residues**2).sum()) / turns),
        "histogram": total.tolist(),
    }


def lines(numbers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns the part of the page, from the figures by the opponent's rule for ties."""
    rows = [
        [ties, who, f"{x['turns']:,}", f"{x['mean']:.3f} ({x['error']:.3f})"]
        + [str(x[name]) for name in ("median", "mode", "most")]
        for ties, both in numbers.items()
        for who, x in both.items()
    ]
    rows.append(["unknown", "report", f"{report.TURNS:,}", *map(str, report.MOVES.values())])
    return [
        f"Valid moves of a turn of an untrained `{ARCHITECTURE}`, masked, against minimax of depth "
        "1, by minimax's choice among equal moves. In brackets the standard error over games.",
        "",
        *measuring.table(["ties", "turns of", "number", "mean", "median", "mode", "most"], rows),
    ]


def draw(numbers: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Draws the distributions of the actor's turns, the report's mean beside ours."""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    most = max(report.MOVES["most"], *(both["actor"]["most"] for both in numbers.values()))
    for number, (ties, both) in enumerate(numbers.items()):
        total, color = np.array(both["actor"]["histogram"]), f"C{number}"
        axes.stairs(100 * total / total.sum(), np.arange(len(total) + 1) - 0.5, color=color)
        axes.axvline(both["actor"]["mean"], color=color, label=f"mean, ties: {ties}")
    axes.axvline(report.MOVES["mean"], color="black", linestyle="--", label="mean, report")
    axes.set(xlabel="valid moves", ylabel="turns, %", xlim=(0, most + 2))
    axes.legend(frameon=False)
    return figure
