"""The times of the trainings that a study reads."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks import measuring
from papers.onitama_report.ddpg import plots
from papers.onitama_report.study.runs import Run
from train.metrics import FILE_NAME, read_metrics


class Time(NamedTuple):
    """The time of one training, from its metrics."""

    option: str
    """The option that named it."""
    folder: str
    learners: int
    done: int
    """Episodes of the learner that had fewest, or iterations."""
    unit: str
    minutes: float
    """Of all sessions."""


def of_runs(runs: Mapping[str, Sequence[Run]]) -> list[Time]:
    """Returns the times of the runs of each option, which must have begun."""
    found = []
    for option, run in ((option, run) for option, given in runs.items() for run in given):
        path = run.folder / FILE_NAME
        rows = plots.read_rows(path)
        episodes = [
            plots.figures(rows, name, "play/episodes")[0] for name in plots.learners_of(rows)
        ]
        done = int(min(x[-1] for x in episodes))
        minutes = _minutes(path, rows[-1])
        found.append(Time(option, str(run.folder), len(episodes), done, "episodes", minutes))
    return found


def of_network(network: str | None) -> list[Time]:
    """Returns the time of the run whose folder holds a network; nothing without such a run."""
    if network is None:
        return []
    folder = pathlib.Path(network).parent
    path = folder / FILE_NAME
    if not (folder / "record.json").exists() or not path.exists():
        return []
    return [
        Time("--network", str(folder), 1, row["iteration"], "iterations", _minutes(path, row))
        for row in read_metrics(path)[-1:]
    ]


def _minutes(path: pathlib.Path, row: Mapping[str, Any]) -> float:
    """Returns the time in a line of metrics, or raises a `ValueError` that names the file."""
    minutes: float | None = row.get("time/minutes")
    if minutes is None:
        raise ValueError(f"{path}, iteration {row['iteration']}: time/minutes is missing")
    return minutes


def lines(found: Sequence[Time]) -> tuple[list[str], dict[str, Any]]:
    """Returns the part of the report, and its numbers."""
    rows = [
        [x.option, x.folder, x.learners, f"{x.done:,} {x.unit}", f"{x.minutes:.1f}"] for x in found
    ]
    text = [
        "Minutes of each training, compilation and evaluation included; its learners were trained "
        "side by side.",
        "",
        *measuring.table(["option", "run", "learners", "each", "minutes"], rows),
    ]
    return text, {"trainings": [x._asdict() for x in found]}
