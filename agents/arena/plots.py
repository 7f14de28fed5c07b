"""Pictures of a tournament."""

import pathlib

import numpy as np
from matplotlib.figure import Figure

from agents.arena.standings import score_matrix, standings
from agents.arena.tournament import Tournament

CELL = 0.8  # inches
LABEL_INCHES = 0.085  # for one character


def plot_scores(tournament: Tournament, path: pathlib.Path) -> None:
    """Writes the matrix of scores, strongest agent first; the suffix of `path` is the format."""
    order = [tournament.agents.index(line.name) for line in standings(tournament)]
    names = [tournament.agents[i] for i in order]
    matrix = score_matrix(tournament)[np.ix_(order, order)]

    size = CELL * len(names)
    margin = 0.4 + LABEL_INCHES * max(map(len, names))
    figure = Figure(figsize=(size + margin + 1.2, size + margin), layout="constrained")
    axes = figure.add_subplot()
    axes.set_facecolor("lightgrey")  # of the diagonal, which has no value
    image = axes.imshow(matrix, vmin=0.0, vmax=1.0, cmap="RdBu")
    for (row, column), value in np.ndenumerate(matrix):
        if row != column:
            is_dark = abs(value - 0.5) > 0.3
            color = "white" if is_dark else "black"
            axes.text(column, row, f"{100 * value:.1f}", ha="center", va="center", color=color)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_title("Score of the row against the column, %")
    colorbar = figure.colorbar(image, ax=axes, shrink=0.8)
    colorbar.ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}")
    figure.savefig(path, dpi=150)
