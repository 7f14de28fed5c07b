"""The curves of a run as a picture: those of the report, and the depth of the opponent."""

import math
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from train.metrics import read_metrics
from train.plots import save

SMOOTHED_EPISODES = 50  # the report's moving average
_EPISODES = "play/episodes/"
_DEPTH = "play/opponent_depth/"
_PANELS = {
    "learner/actor_loss": "Actor loss",
    "play/valid_rate": "Valid rate: first choices that are valid, in %",
    "play/win_rate": "Win rate in training, in %",
    "play/opponent_depth": "Depth of the opponent",
}


def plot_curves(metrics: Sequence[pathlib.Path], picture: pathlib.Path) -> None:
    """Draws actor loss, valid rate, win rate and depth of each learner of some runs.

    Raises:
        ValueError: if a file of metrics has no complete line, or one that is not of such a run.
    """
    learners: list[tuple[str, list[dict[str, Any]]]] = []
    for path in metrics:
        rows = read_rows(path)
        if not learners_of(rows):
            raise ValueError(f"{path} holds no iteration to draw")
        learners += [(name, rows) for name in learners_of(rows)]
    figure = Figure(figsize=(12, 7.5), layout="constrained")
    panels = figure.subplots(2, 2).flat
    for axes, (name, title) in zip(panels, _PANELS.items(), strict=True):
        _draw(axes, learners, name)
        axes.set_title(title)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    save(figure, picture)


def read_rows(path: pathlib.Path) -> list[dict[str, Any]]:
    """Returns the metrics of a run of DDPG.

    Raises:
        ValueError: if a line cannot be read, or lacks a learner's episodes or depth; names the
            line.
    """
    rows = read_metrics(path)
    for row in rows:
        for learner in learners_of([row]):
            for name in (_EPISODES + learner, _DEPTH + learner):
                if row.get(name) is None:
                    raise ValueError(f"{path}, iteration {row['iteration']}: {name} is missing")
    return rows


def learners_of(rows: list[dict[str, Any]]) -> list[str]:
    """Returns the names of the learners of a run, sorted."""
    return sorted({n.removeprefix(_EPISODES) for row in rows for n in row if _EPISODES in n})


def smooth(episodes: np.ndarray, values: np.ndarray, weights: np.ndarray, width: int) -> np.ndarray:
    """Returns the weighted means of the values over at least the last `width` episodes.

    Args:
        episodes: games ended at each value; they do not fall.
        values: what to smooth; its entries of weight zero do not count.
        weights: weight of each value.
        width: episodes; 0 leaves the values as they are.
    """
    total = np.concatenate([[0.0], np.cumsum(np.where(weights > 0, values, 0.0) * weights)])
    weight = np.concatenate([[0.0], np.cumsum(weights)])
    last = np.arange(1, len(values) + 1)
    # The window of a value begins after the last one that lies `width` episodes before it.
    first = np.minimum(np.searchsorted(episodes, episodes - width, side="right"), last - 1)
    span = weight[last] - weight[first]
    return np.where(span > 0, (total[last] - total[first]) / np.maximum(span, 1e-9), np.nan)


def _draw(axes: Axes, learners: list[tuple[str, list[dict[str, Any]]]], name: str) -> None:
    """Draws one figure; a colour for each architecture, a line for each of its seeds."""
    architectures = sorted({learner.rpartition("-")[0] for learner, _ in learners})
    drawn: set[str] = set()
    for learner, rows in learners:
        architecture = learner.rpartition("-")[0]
        episodes, values, weights = figures(rows, learner, name)
        if name != "play/opponent_depth":
            values = smooth(episodes, values, weights, SMOOTHED_EPISODES)
        if name.endswith("_rate"):
            values = 100 * values
        axes.plot(
            episodes,
            values,
            color=f"C{architectures.index(architecture)}",
            linewidth=1.2,
            label=None if architecture in drawn else architecture,
        )
        drawn.add(architecture)
    if name.endswith("_rate"):
        axes.set_ylim(-2, 102)
    if name == "play/opponent_depth":
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        low, high = axes.get_ylim()
        axes.set_ylim(math.floor(low), math.ceil(high))
    axes.set_xlabel("episode")
    axes.set_xlim(left=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3)


def figures(
    rows: list[dict[str, Any]], learner: str, name: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns episodes, values and weights of a metric, where the learner has figures.

    A mean over the games of an iteration has their number as weight; other values have weight 1.
    """
    own = [row for row in rows if _EPISODES + learner in row]
    episodes = np.array([row[_EPISODES + learner] for row in own])
    found = [row.get(f"{name}/{learner}") for row in own]
    values = np.array([np.nan if value is None else value for value in found], float)
    games = np.diff(episodes, prepend=0.0) if name == "play/win_rate" else np.ones(len(own))
    return episodes, values, np.where(np.isnan(values), 0.0, games)
