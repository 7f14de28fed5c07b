"""The learning curve of a training, as a notebook shows it: live, or when it has ended."""

import pathlib
import subprocess
import sys
from typing import Any

FILE_NAME = "learning_curve.png"
"""In the folder of a run: drawn at its end, and meanwhile with `--logger=curve`."""


class LearningCurve:
    """The curve of a run, from its folder; a notebook shows it by itself."""

    def __init__(self, run_dir: str | pathlib.Path):
        """`run_dir`: what `--run-dir` of the training says."""
        self.path = pathlib.Path(run_dir) / FILE_NAME

    def follow(self, training: "subprocess.Popen[Any]", seconds: float = 5.0) -> None:
        """Shows the curve anew every few seconds while a process trains (host side).

        An interrupt lets the training save and end. Outside of a notebook this only waits.

        Raises:
            subprocess.CalledProcessError: if the training ends with an error.
        """
        display: Any = sys.modules.get("IPython.display")
        while training.poll() is None:
            try:
                training.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
            except KeyboardInterrupt:  # of the notebook, which need not reach the training
                training.terminate()
            if display is not None and self.path.exists():
                display.clear_output(wait=True)
                display.display(self)
        if training.returncode != 0:
            raise subprocess.CalledProcessError(training.returncode, training.args)

    def _repr_png_(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None

    def __repr__(self) -> str:
        return f"LearningCurve({str(self.path.parent)!r}{'' if self.path.exists() else ', empty'})"
