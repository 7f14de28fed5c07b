"""The learning curve of a run as a picture, from its `metrics.jsonl`."""

import io
import pathlib
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from jaxgames.internal import files
from train.metrics import read_metrics
from train.progress import is_score, players_of

_LOSSES = {
    "learner/policy_kl": "policy (KL)",
    "learner/value_loss": "value",
    "learner/points_loss": "points",
}
_POINTS = "selfplay/points"
_MOST_ROLES = 5  # curves of roles that can be told apart
_Points = tuple[list[int], list[float]]


def plot_learning_curve(metrics: pathlib.Path, picture: pathlib.Path) -> None:
    """Draws scores against all opponents, losses, game length and speed over the iterations.

    Raises:
        ValueError: if the file of metrics has no complete line.
    """
    rows = read_rows(metrics)
    figure = Figure(figsize=(12, 7.5), layout="constrained")
    below: list[Any] = ["loss", "correlation", "length"]
    counts_points = any(_POINTS in row for row in rows)
    if counts_points:
        below.append("points")
    grid = figure.subplot_mosaic([["score"] * len(below), below], height_ratios=[1.5, 1])
    draw_scores(grid["score"], rows)
    _draw_losses(grid["loss"], rows)
    grid["correlation"].plot(*points(rows, "learner/value_correlation"), color="C3")
    grid["correlation"].set(ylim=(0, 1), title="Correlation of value and target")
    grid["length"].plot(*points(rows, "selfplay/game_length"), color="C2")
    grid["length"].set_ylim(bottom=0)
    grid["length"].set(title="Length of a game of self-play", ylabel="plies")
    if counts_points:
        _draw_points(grid["points"], rows)
    if any(is_score(name) for row in rows for name in row):
        figure.legend(
            *grid["score"].get_legend_handles_labels(), loc="outside lower center", ncols=4
        )
    for axes in grid.values():
        tidy(axes, rows, "iteration")
    save(figure, picture)


def read_rows(metrics: pathlib.Path) -> list[dict[str, Any]]:
    """Returns the lines of a metrics file.

    Raises:
        ValueError: if it has no complete line.
    """
    rows = read_metrics(metrics)
    if not rows:
        raise ValueError(f"{metrics} holds no iteration to draw")
    return rows


def tidy(axes: Axes, rows: list[dict[str, Any]], x_label: str) -> None:
    """Gives all curves of a run the same horizontal axis and the same looks."""
    axes.set_xlabel(x_label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3)
    axes.set_xlim(0, max(rows[-1]["iteration"], 1))


def save(figure: Figure, picture: pathlib.Path) -> None:
    """Writes a picture in one step: a reader finds the old one or the new one, never a part."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=120, format=picture.suffix[1:] or "png")
    files.replace(picture, drawn.getvalue())


def draw_scores(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Draws the scores of all evaluations: a colour an opponent, a line style a player."""
    names = sorted({name for row in rows for name in row if is_score(name)})
    players = sorted({players_of(name)[0] for name in names}, reverse=True)
    opponents = sorted({players_of(name)[1] for name in names}, reverse=True)
    for name in names:
        player, opponent = players_of(name)
        x, y = points(rows, name)
        axes.plot(
            x,
            [100 * score for score in y],
            color=f"C{opponents.index(opponent)}",
            linestyle=("-", "--", ":")[players.index(player) % 3],
            marker="o",
            markersize=3.5,
            label=f"{player} vs {opponent}",
        )
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_ylim(-2, 102)
    axes.set_ylabel("score in %")
    axes.set_title("Evaluation: wins and half of the draws")
    if not names:
        axes.text(0.5, 0.55, "no evaluation yet", transform=axes.transAxes, ha="center")


def _draw_losses(axes: Axes, rows: list[dict[str, Any]]) -> None:
    for name, label in _LOSSES.items():
        x, y = points(rows, name)
        if x:
            axes.plot(x, y, label=label)
    axes.set_ylim(bottom=0)
    axes.set_title("Loss")
    if axes.lines:
        axes.legend(frameon=False)


def _draw_points(axes: Axes, rows: list[dict[str, Any]]) -> None:
    roles = sorted({name for row in rows for name in row if name.startswith(f"{_POINTS}/")})
    if len(roles) <= _MOST_ROLES:
        for name in roles:
            axes.plot(*points(rows, name), linewidth=0.8, label=name.removeprefix(f"{_POINTS}/"))
    axes.plot(*points(rows, _POINTS), color="black", label="all")
    axes.set_title("Mean final points in self-play")
    axes.legend(frameon=False)


def points(rows: list[dict[str, Any]], name: str) -> _Points:
    """Returns the iterations that have a metric, and its values."""
    pairs = [(row["iteration"], row[name]) for row in rows if row.get(name) is not None]
    return [x for x, _ in pairs], [y for _, y in pairs]
