"""The curves of an evolution as a picture, from its `metrics.jsonl`."""

import pathlib
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from train.metrics import read_metrics
from train.plots import points, save, tidy
from train.progress import is_score, players_of

_PREFIX = "evolution/"


def plot_curves(metrics: pathlib.Path, picture: pathlib.Path) -> None:
    """Draws scores against the frozen player, win rates, spread and genes over the generations.

    Raises:
        ValueError: if the file of metrics has no complete line.
    """
    rows = read_metrics(metrics)
    if not rows:
        raise ValueError(f"{metrics} holds no iteration to draw")
    seeds = _seeds(rows)
    figure = Figure(figsize=(12, 7.5), layout="constrained")
    grid = figure.subplot_mosaic([["score", "wins"], ["spread", "genes"]])
    _draw_scores(grid["score"], rows)
    _draw_each_seed(grid["wins"], rows, seeds, "best_win_rate", percent=True)
    grid["wins"].set_title("Win rate of the best individual in its round robin, in %")
    _draw_each_seed(grid["spread"], rows, seeds, "spread")
    grid["spread"].set_title("Spread: standard deviation in the population, mean of all genes")
    grid["spread"].set_ylim(bottom=0)
    _draw_genes(grid["genes"], rows, seeds)
    for axes in grid.values():
        tidy(axes, rows, "generation")
    if len(seeds) <= 10:
        grid["wins"].legend(frameon=False, ncols=2)
    save(figure, picture)


def _draw_scores(axes: Axes, rows: list[dict[str, Any]]) -> None:
    names = sorted({name for row in rows for name in row if is_score(name)}, key=_seed_of_score)
    for name in names:
        x, y = points(rows, name)
        label = _label(players_of(name)[0])
        axes.plot(x, [100 * score for score in y], marker="o", markersize=3.5, label=label)
    opponent = players_of(names[0])[1] if names else "the frozen player"
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_ylim(-2, 102)
    axes.set_title(f"Score of the champion against {opponent}, in %")
    if not names:
        axes.text(0.5, 0.55, "no evaluation yet", transform=axes.transAxes, ha="center")


def _draw_each_seed(
    axes: Axes, rows: list[dict[str, Any]], seeds: list[str], name: str, percent: bool = False
) -> None:
    for seed in seeds:
        x, y = points(rows, f"{_PREFIX}{name}/{seed}")
        axes.plot(x, [100 * value if percent else value for value in y], label=_label(seed))


def _draw_genes(axes: Axes, rows: list[dict[str, Any]], seeds: list[str]) -> None:
    """Draws the champions' genes, if they are few: a colour a gene, a line style a seed."""
    curves = {"best_win_rate", "frozen_win_rate", "spread"}
    names = sorted({n.split("/")[1] for n in rows[-1] if n.startswith(_PREFIX)} - curves)
    for index, name in enumerate(names):
        for row, seed in enumerate(seeds):
            axes.plot(
                *points(rows, f"{_PREFIX}{name}/{seed}"),
                color=f"C{index}",
                linestyle=("-", "--", ":", "-.")[row % 4],
                label=name if row == 0 else None,
            )
    axes.set_title("Genes of the champion")
    if names:
        axes.legend(frameon=False)
    else:
        axes.text(0.5, 0.55, "too many to draw", transform=axes.transAxes, ha="center")


def _seeds(rows: list[dict[str, Any]]) -> list[str]:
    """Returns `["seed_0", ...]` in the order of their numbers."""
    names = {name.split("/")[2] for row in rows for name in row if name.startswith(_PREFIX)}
    return sorted(names, key=_number)


def _seed_of_score(name: str) -> int:
    return _number(players_of(name)[0])


def _number(seed: str) -> int:
    return int(seed.removeprefix("seed_"))


def _label(seed: str) -> str:
    return seed.replace("_", " ")
