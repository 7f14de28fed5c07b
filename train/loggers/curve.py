"""The learning curve of a run as a picture that is kept up to date."""

import time
from collections.abc import Mapping

from train.loggers import LoggedRun

_SHARE = 0.05  # of the time, at most, is spent on drawing


class CurvePicture:
    """The logger `curve`; the curve shows what the logger of every run has written before."""

    takes_pictures = False

    def __init__(self, run: LoggedRun):
        self._draw = run.draw_curve
        self._next = 0.0

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Draws the curve anew, unless it was drawn a moment ago."""
        begin = time.monotonic()
        if begin >= self._next:
            self._draw()
            end = time.monotonic()
            self._next = end + (end - begin) / _SHARE

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds nothing."""

    def close(self) -> None:
        """Does nothing: the run itself draws the last curve."""
