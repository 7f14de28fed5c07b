"""Pictures of a tournament."""

import io
import pathlib

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agents.arena.standings import ordered_matrices
from agents.arena.tournament import Tournament
from jaxgames.internal import files

CELL = 0.8  # inches
LABEL_INCHES = 0.085  # for one character
MOST_IN_A_ROW = 10  # agents, for three matrices beside each other
TITLE_INCHES = 3.2


def plot_matrices(tournament: Tournament, path: pathlib.Path) -> None:
    """Writes the matrices of scores, net wins and plies; the suffix of `path` is the format.

    The strongest agent comes first. The matrices of many agents stand below each other.
    """
    names, (scores, net_wins, plies) = ordered_matrices(tournament)
    games = len(tournament.pairings[0].returns)

    size = max(CELL * len(names), TITLE_INCHES)
    margin = 0.4 + LABEL_INCHES * max(map(len, names))
    stands = len(names) > MOST_IN_A_ROW
    if stands:
        figure = Figure((size + 1.6 + margin, 3 * (size + margin)), layout="constrained")
        grid = figure.subplots(3, 1)
    else:
        figure = Figure((3 * (size + 0.9) + margin, size + margin + 0.4), layout="constrained")
        grid = figure.subplots(1, 3)
    left, middle, right = grid
    _draw(left, "Score of the row, %", 100 * scores, (0, 100), "RdBu", ".1f")
    _draw(middle, "Net wins of the row", net_wins, (-games, games), "RdBu", "+.0f")
    _draw(right, "Mean plies", plies, (0, float(np.nanmax(plies))), "Greens", ".1f")
    for axes in grid:
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        has_names = stands or axes is left
        axes.set_yticks(range(len(names)), names if has_names else [""] * len(names))
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=100 if stands else 150, format=path.suffix[1:].lower())
    files.deliver({path: drawn.getvalue()})


def _draw(
    axes: Axes,
    title: str,
    matrix: Float[np.ndarray, "agents agents"],
    limits: tuple[float, float],
    colors: str,
    form: str,
) -> None:
    """Draws one matrix with its values; pairs that did not play stay grey."""
    axes.set_facecolor("lightgrey")
    image = axes.imshow(matrix, vmin=limits[0], vmax=limits[1], cmap=colors)
    for (row, column), value in np.ndenumerate(matrix):
        if not np.isnan(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            color = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
            axes.text(column, row, format(value, form), ha="center", va="center", color=color)
    axes.set_title(title)
