"""Numbers of a run: one flat dict `area/name -> float` an iteration, in the file `metrics.jsonl`.

Everything in it repeats bit for bit when a run is repeated or resumed, except the
area `time/`.
"""

import json
import math
import pathlib
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from jaxgames.internal import files
from train.loggers import LoggedRun

FILE_NAME = "metrics.jsonl"


class MetricsFile:
    """The logger `jsonl`: appends the metrics of each iteration to `metrics.jsonl`."""

    takes_pictures = False

    def __init__(self, run: LoggedRun):
        """Opens the file of a run.

        Lines of later iterations were written by a session that ended before its next checkpoint.
        They are removed, since these iterations will be run again.
        """
        path = run.directory / FILE_NAME
        _drop_after(path, run.iteration)
        self._file = files.open_to_append(path)

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Adds one iteration; numbers that are not finite become null in the file."""
        values = {name: float(value) for name, value in numbers.items()}
        line: dict[str, Any] = {"iteration": iteration}
        line |= {name: x if math.isfinite(x) else None for name, x in sorted(values.items())}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds nothing."""

    def close(self) -> None:
        """Writes what is still in memory."""
        self._file.close()


def read_metrics(path: pathlib.Path) -> list[dict[str, Any]]:
    """Returns the lines of a metrics file; a last line cut off by a crash is left out.

    Raises:
        ValueError: if another line is not a JSON object of numbers, or null, with an iteration;
            names it.
        OSError: if the file cannot be read.
    """
    rows: list[dict[str, Any]] = []
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row = files.parse_json(line, allow_nan=False)
        except ValueError:
            row = None
        if not _is_of_iteration(row):
            raise ValueError(f"{path}, line {number}: not the metrics of an iteration")
        rows.append(row)
    return rows


def mean_points(
    area: str, points: Float[np.ndarray, "R"], seats: Float[np.ndarray, "R"], roles: tuple[str, ...]
) -> dict[str, float]:
    """Returns mean points of all seats as `area`, of each role that was played as `area/ROLE`."""
    if not seats.sum():
        return {}
    means = {area: float(points.sum() / seats.sum())}
    for role, total, number in zip(roles, points, seats, strict=False):
        if number:
            means[f"{area}/{role}"] = float(total / number)
    return means


def _is_of_iteration(row: Any) -> bool:
    """Whether a line holds what `MetricsFile.log` writes."""
    if not isinstance(row, dict) or type(row.get("iteration")) is not int:
        return False
    return all(
        x is None or (type(x) in (int, float) and abs(x) <= sys.float_info.max)
        for x in row.values()
    )


def _drop_after(path: pathlib.Path, iteration: int) -> None:
    if not path.exists():
        return
    kept = [row for row in read_metrics(path) if row["iteration"] <= iteration]
    files.replace(path, "".join(json.dumps(row) + "\n" for row in kept))
