"""The course of the trainings: valid rate, win rate, and the depth of the opponent."""

import math
import pathlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from benchmarks import measuring
from papers.onitama_report.ddpg import plots
from papers.onitama_report.study import report
from papers.onitama_report.study.runs import Run
from papers.onitama_report.study.verdicts import estimate
from train.metrics import FILE_NAME

LAST_SHARE = 0.1  # of a training, over which its end (and its beginning) is averaged
FAST = 0.9  # valid rate that counts as learned


class Training(NamedTuple):
    """The course of one learner."""

    architecture: str
    seed: str
    episodes: int
    goal: int
    """Episodes planned, at least the report's number."""
    valid_rate: float
    """At the end."""
    learned_after: float
    """Episodes until the valid rate was high; infinite if it never was."""
    deeper_after: float
    """Episodes until the opponent looked two plies ahead; infinite if it never did."""
    best_wins: float
    """Highest win rate at depth 1, over as many games as the report averages."""
    wins_deeper: float
    """Mean win rate at depth 2; `nan` without a game there."""
    last_wins_deeper: float
    """Win rate at depth 2 at the end; `nan` if it ends elsewhere."""
    deepest: int
    """Plies that the deepest opponent looked ahead."""
    first_wins: float
    """Win rate at the beginning."""
    last_wins: float
    """Win rate at the end, at any depth."""
    validity_loss: float
    """At the end; `nan` without such a loss."""


def trainings(option: str, runs: Sequence[Run], episodes: int) -> list[Training]:
    """Returns the learners of some runs.

    Args:
        option: by which the runs were named, for messages.
        runs: their folders.
        episodes: number in the report's training.

    Raises:
        ValueError: if a run has not begun.
    """
    found = []
    for run in runs:
        path = run.folder / FILE_NAME
        rows = plots.read_rows(path) if path.exists() else []
        names = plots.learners_of(rows)
        if not names:
            raise ValueError(f"{option}: {path} holds no iteration")
        goal = max(episodes, run.episodes)
        found += [_training(rows, name, goal) for name in names]
    return found


def _training(rows: list[dict[str, Any]], name: str, goal: int) -> Training:
    episodes, valid, _ = plots.figures(rows, name, "play/valid_rate")
    _, depth, _ = plots.figures(rows, name, "play/opponent_depth")
    _, rate, games = plots.figures(rows, name, "play/win_rate")
    wins = np.where(games > 0, rate * games, 0.0)
    _, losses, _ = plots.figures(rows, name, "learner/validity_loss")
    architecture, _, seed = name.rpartition("-")
    last = episodes >= (1 - LAST_SHARE) * episodes[-1]
    last_losses = losses[last & ~np.isnan(losses)]
    return Training(
        architecture=architecture,
        seed=seed,
        episodes=int(episodes[-1]),
        goal=goal,
        valid_rate=float(np.nanmean(valid[last])),
        learned_after=_first(episodes, valid >= FAST),
        deeper_after=_first(episodes, depth >= 2),
        best_wins=_best_mean(wins[depth == 1], games[depth == 1]),
        wins_deeper=_mean(wins, games, depth == 2),
        last_wins_deeper=_mean(wins, games, last & (depth == 2)),
        deepest=int(depth.max()),
        first_wins=_mean(wins, games, episodes <= LAST_SHARE * episodes[-1]),
        last_wins=_mean(wins, games, last),
        validity_loss=float(last_losses.mean()) if len(last_losses) else math.nan,
    )


def _mean(wins: Float[np.ndarray, "n"], games: Float[np.ndarray, "n"], of: Any) -> float:
    return float(wins[of].sum() / games[of].sum()) if games[of].sum() else math.nan


def _first(episodes: Float[np.ndarray, "n"], holds: Any) -> float:
    where = np.flatnonzero(holds)
    return float(episodes[where[0]]) if len(where) else math.inf


def _best_mean(wins: Float[np.ndarray, "n"], games: Float[np.ndarray, "n"]) -> float:
    """Returns the highest share of wins over neighbours with enough games together."""
    total = np.cumsum(games)
    means = plots.smooth(total, wins / np.maximum(games, 1), games, report.WINDOW)
    enough = means[total >= report.WINDOW]
    return float(enough.max()) if len(enough) else math.nan


def draw(runs: Sequence[Run], picture: pathlib.Path) -> None:
    """Draws actor loss, valid rate, win rate and depth of all learners of some runs."""
    plots.plot_curves([run.folder / FILE_NAME for run in runs], picture)


def lines(found: Sequence[Training]) -> tuple[list[str], dict[str, Any]]:
    """Returns the part of the report, and its numbers."""
    rows = [
        [
            training.architecture,
            training.seed.removeprefix("seed_"),
            _progress(training),
            f"{training.valid_rate:.2f}",
            _episodes(training.learned_after),
            _episodes(training.deeper_after),
            _share(training.best_wins),
            _share(training.wins_deeper),
            _share(training.last_wins_deeper),
        ]
        for training in found
    ]
    header = ["actor", "seed", "episodes", "valid rate at the end", f"valid rate {FAST} after",
              "depth 2 after", "best win rate at depth 1", "win rate at depth 2",
              "at the end"]  # fmt: skip
    text = [
        "Valid rate: how often the actor's likeliest action is valid before the mask. The best win "
        f"rate is over {report.WINDOW} games or more.",
        "",
        *measuring.table(header, rows),
        "",
        "The last tenth of each training, by actor: means over seeds with their 95 % t interval, "
        "in brackets the value of each seed.",
        "",
        *_by_architecture(found),
    ]
    return text, {"trainings": [training._asdict() for training in found]}


def _by_architecture(found: Sequence[Training]) -> list[str]:
    """Returns the table of final rates and losses, by architecture over its seeds."""
    rows = []
    for name in sorted({training.architecture for training in found}):
        own = [training for training in found if training.architecture == name]
        ends = [
            [training.last_wins for training in own],
            [training.valid_rate for training in own],
            [training.validity_loss for training in own],
        ]
        forms = (".2f", ".2f", ".3f")
        rows.append([name, *(_over_seeds(x, form) for x, form in zip(ends, forms, strict=True))])
    return measuring.table(["actor", "win rate", "valid rate", "validity loss"], rows)


def _over_seeds(values: Sequence[float], form: str) -> str:
    known = [value for value in values if not math.isnan(value)]
    return estimate(known, form) if known else "-"


def _progress(training: Training) -> str:
    if training.episodes < training.goal:
        return f"{training.episodes:,} of {training.goal:,}"
    return f"{training.episodes:,}"


def _episodes(number: float) -> str:
    return "never" if math.isinf(number) else f"{number:,.0f}"


def _share(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:.2f}"
