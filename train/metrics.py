"""Numbers of a run: one flat dict `area/name -> float` an iteration, to a file and to TensorBoard.

Everything in `metrics.jsonl` repeats bit for bit when a run is repeated or resumed, except the
area `time/`.
"""

import json
import math
import os
import pathlib
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from jaxgames.internal import files
from train import parallel
from train.tensorboard import EventFile

FILE_NAME = "metrics.jsonl"


class MetricsLog:
    """Appends the metrics of each iteration to `metrics.jsonl` and to TensorBoard files.

    In a run of several processes only the first one writes.
    """

    def __init__(self, directory: pathlib.Path, iteration: int):
        """Opens the log of a run that has done `iteration` iterations.

        Lines of later iterations were written by a session that ended before its next checkpoint.
        They are removed, since these iterations will be run again.
        """
        self._writes = parallel.is_main_process()
        path = directory / FILE_NAME if self._writes else pathlib.Path(os.devnull)
        if self._writes:
            _drop_after(path, iteration)
        self._file = files.open_to_append(path)
        self._board = EventFile(directory / "tensorboard", iteration + 1) if self._writes else None

    def write(self, iteration: int, metrics: Mapping[str, float]) -> None:
        """Adds one iteration; numbers that are not finite become null in the file."""
        numbers = {name: float(value) for name, value in metrics.items()}
        line: dict[str, Any] = {"iteration": iteration}
        line |= {name: x if math.isfinite(x) else None for name, x in sorted(numbers.items())}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        if self._board is not None:
            self._board.add(iteration, numbers)

    def close(self) -> None:
        """Writes what is still in memory."""
        if self._board is not None:
            self._board.close()
        self._file.close()

    def __enter__(self) -> "MetricsLog":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


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
    """Whether a line holds what `MetricsLog.write` writes."""
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
