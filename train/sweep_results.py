"""The results of a sweep: a table with a row for each combination of settings, and curves."""

import collections
import pathlib
import statistics
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from jaxgames.internal import files
from train import metrics, plots, run_record
from train.progress import is_score, players_of
from train.sweep_plan import Sweep

_Rows = list[dict[str, Any]]
_EVALUATION = "evaluation/"
_LOSS = "learner/loss"
_MOST_CURVES = 10  # colours


def write(sweep: Sweep) -> str:
    """Writes `table.md` and `curves.png` to the folder of a sweep; returns the table.

    Raises:
        OSError: if they cannot be written.
    """
    groups: dict[str, list[_Rows]] = collections.defaultdict(list)
    for run in sweep.runs:
        groups[run.group].append(_rows(pathlib.Path(run.config.directory)))
    columns = _columns([rows for runs in groups.values() for rows in runs])
    text = _table(sweep, groups, columns)
    files.replace(sweep.folder / "table.md", text)
    if columns:
        _draw(groups, columns, sweep.folder / "curves.png")
    return f"{text}\ntable and curves: {sweep.folder}"


def _rows(directory: pathlib.Path) -> _Rows:
    log = directory / metrics.FILE_NAME
    return metrics.read_metrics(log) if log.is_file() else []


def _columns(runs: Sequence[_Rows]) -> list[str]:
    """Returns the metrics that are shown: scores, or else other evaluations, or else the loss."""
    names = {name for rows in runs for row in rows for name in row}
    for is_shown in (is_score, lambda name: name.startswith(_EVALUATION), _LOSS.__eq__):
        if shown := sorted(filter(is_shown, names)):
            return shown
    return []


def _table(sweep: Sweep, groups: dict[str, list[_Rows]], columns: list[str]) -> str:
    """Returns a table in Markdown: the last value of each metric, mean and deviation over seeds."""
    finished = collections.Counter(
        run.group for run in sweep.runs if run_record.is_finished(run.config)
    )
    lines = [
        ["settings", "finished", "iterations", *map(_label, columns)],
        ["---"] * (3 + len(columns)),
    ]
    for group, runs in groups.items():
        iterations = [rows[-1]["iteration"] for rows in runs if rows]
        lines.append(
            [
                group,
                f"{finished[group]} of {len(runs)}",
                f"{statistics.mean(iterations):.0f}" if iterations else "0",
                *(_last_values(runs, name) for name in columns),
            ]
        )
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _label(name: str) -> str:
    return " v ".join(players_of(name)) if is_score(name) else name


def _last_values(runs: Sequence[_Rows], name: str) -> str:
    """Returns mean and standard deviation of the last value of a metric in some runs."""
    values = [y[-1] for rows in runs if (y := plots.points(rows, name)[1])]
    if not values:
        return ""
    unit, sign = (100, " %") if is_score(name) else (1, "")
    mean = f"{unit * statistics.mean(values):.3g}"
    if len(values) == 1:
        return mean + sign
    return f"{mean} ± {unit * statistics.stdev(values):.2g}{sign}"


def _draw(groups: dict[str, list[_Rows]], columns: list[str], picture: pathlib.Path) -> None:
    """Draws each metric: a line is the mean of the runs of a group, the band their range."""
    figure = Figure(figsize=(6 * len(columns), 5), layout="constrained")
    grid = figure.subplots(1, len(columns), squeeze=False)[0]
    longest = max((rows for runs in groups.values() for rows in runs), key=len)
    for axes, name in zip(grid, columns, strict=True):
        for number, (group, runs) in enumerate(groups.items()):
            values: dict[int, list[float]] = collections.defaultdict(list)
            for rows in runs:
                for x, y in zip(*plots.points(rows, name), strict=True):
                    values[x].append(y)
            x_values = sorted(values)
            y_values = [values[x] for x in x_values]
            color = f"C{number % _MOST_CURVES}"
            axes.plot(x_values, list(map(statistics.mean, y_values)), color=color, label=group)
            axes.fill_between(
                x_values,
                list(map(min, y_values)),
                list(map(max, y_values)),
                color=color,
                alpha=0.2,
            )
        axes.set_title(_label(name))
        if is_score(name):
            axes.set_ylim(-0.02, 1.02)
        plots.tidy(axes, longest, "iteration")
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    plots.save(figure, picture)
