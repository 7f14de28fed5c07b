"""The number of valid moves: its distribution over the turns of an untrained actor."""

import dataclasses
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int32

from benchmarks import measuring
from jaxgames import Env, Rules
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


class MovesResult(NamedTuple):
    """Numbers of turns by game and number of valid moves, for the actor and the opponent."""

    actor: Int[np.ndarray, "games numbers"]
    opponent: Int[np.ndarray, "games numbers"]


def play(env: Env[Any], opponent: str, turns: int, seed: int) -> MovesResult:
    """Plays an untrained actor against an opponent until it has had `turns` turns."""
    from jaxgames.matches.match import match
    from jaxgames.players import registry
    from jaxgames.players.player import Player
    from papers.onitama_report.config import NetworkConfig
    from papers.onitama_report.ddpg.actor import make_actor
    from papers.onitama_report.ddpg.players import MaskedActor

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
    counts = np.concatenate(parts)
    return MovesResult(counts[:, 0], counts[:, 1])


def summary(counts: Int[np.ndarray, "games numbers"]) -> tuple[report.Moves, float]:
    """Returns mean, median, mode and maximum, and the standard error of the mean over games."""
    total = counts.sum(axis=0)
    numbers = np.arange(len(total))
    turns = total.sum()
    mean = float((total * numbers).sum() / turns)
    residues = counts @ numbers - mean * counts.sum(axis=1)
    error = float(np.sqrt((residues**2).sum()) / turns)
    median = float(np.searchsorted(np.cumsum(total), turns / 2))
    most = int(numbers[total > 0].max())
    return report.Moves(mean, median, int(total.argmax()), most), error


def lines(found: Mapping[str, MovesResult]) -> tuple[list[str], dict[str, Any]]:
    """Returns the part of the report, and its numbers; results by the opponent's rule for ties."""
    rows: list[list[str]] = []
    numbers: dict[str, dict[str, Any]] = {}
    for ties, of_both in found.items():
        numbers[ties] = {}
        for who, counts in of_both._asdict().items():
            moves, error = summary(counts)
            turns = int(counts.sum())
            numbers[ties][who] = moves._asdict() | {"turns": turns, "error": error}
            mean = f"{moves.mean:.3f} ({error:.3f})"
            rows.append([ties, who, f"{turns:,}", mean, *map(str, moves[1:])])
    stated = report.MOVES
    rows.append(["unknown", "report", f"{report.TURNS:,}", *map(str, stated)])
    text = [
        f"Valid moves of a turn of an untrained `{ARCHITECTURE}`, masked, against minimax of depth "
        "1, by minimax's choice among equal moves. In brackets the standard error over games.",
        "",
        *measuring.table(["ties", "turns of", "number", "mean", "median", "mode", "most"], rows),
    ]
    return text, numbers


def draw(found: Mapping[str, MovesResult], path: pathlib.Path) -> None:
    """Draws the distributions of the actor's turns, the report's mean beside ours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    most = max(summary(of_both.actor)[0].most for of_both in found.values())
    for number, (ties, of_both) in enumerate(found.items()):
        total = of_both.actor.sum(axis=0)
        axes.stairs(100 * total / total.sum(), np.arange(len(total) + 1) - 0.5, color=f"C{number}")
        mean = summary(of_both.actor)[0].mean
        axes.axvline(mean, color=f"C{number}", label=f"mean, ties: {ties}")
    axes.axvline(report.MOVES.mean, color="black", linestyle="--", label="mean, report")
    axes.set(xlabel="valid moves", ylabel="turns, %", xlim=(0, max(most, report.MOVES.most) + 2))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)
