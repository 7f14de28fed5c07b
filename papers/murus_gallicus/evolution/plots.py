"""The curves of an evolution as a picture, from its `metrics.jsonl`."""

import pathlib
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from train import plots

_PREFIX = "evolution/"
_CURVES = ("best_win_rate", "frozen_win_rate", "spread")


def plot_curves(metrics: pathlib.Path, picture: pathlib.Path) -> None:
    """Draws scores against the frozen player, win rates, spread and genes over the generations.

    Raises:
        ValueError: if the file of metrics has no complete line.
    """
    rows = plots.read_rows(metrics)
    names = {name.split("/")[2] for row in rows for name in row if name.startswith(_PREFIX)}
    seeds = sorted(names, key=lambda name: int(name.removeprefix("seed_")))
    figure = Figure(figsize=(12, 7.5), layout="constrained")
    grid = figure.subplot_mosaic([["score", "wins"], ["spread", "genes"]])
    plots.draw_scores(grid["score"], rows)
    grid["score"].set_title("Score of the champion against the frozen player, in %")
    for seed in seeds:
        generations, rates = plots.points(rows, f"{_PREFIX}best_win_rate/{seed}")
        label = seed.replace("_", " ")
        grid["wins"].plot(generations, [100 * rate for rate in rates], label=label)
        grid["spread"].plot(*plots.points(rows, f"{_PREFIX}spread/{seed}"))
    grid["wins"].set_title("Win rate of the best individual in its round robin, in %")
    grid["spread"].set_title("Spread: standard deviation in the population, mean of all genes")
    grid["spread"].set_ylim(bottom=0)
    _draw_genes(grid["genes"], rows, seeds)
    for axes in grid.values():
        plots.tidy(axes, rows, "generation")
    if len(seeds) <= 10:
        grid["wins"].legend(frameon=False, ncols=2)
    plots.save(figure, picture)


def _draw_genes(axes: Axes, rows: list[dict[str, Any]], seeds: list[str]) -> None:
    """Draws the champions' genes, if they are few: a colour a gene, a line style a seed."""
    names = {name.split("/")[1] for name in rows[-1] if name.startswith(_PREFIX)}
    genes = sorted(names.difference(_CURVES))
    for index, gene in enumerate(genes):
        for row, seed in enumerate(seeds):
            axes.plot(
                *plots.points(rows, f"{_PREFIX}{gene}/{seed}"),
                color=f"C{index}",
                linestyle=("-", "--", ":", "-.")[row % 4],
                label=gene if row == 0 else None,
            )
    axes.set_title("Genes of the champion")
    if genes:
        axes.legend(frameon=False)
    else:
        axes.text(0.5, 0.55, "too many to draw", transform=axes.transAxes, ha="center")
