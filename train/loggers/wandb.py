"""Weights & Biases. Its variables decide the rest: `WANDB_MODE=offline`, `WANDB_PROJECT`, ..."""

import io
import os
from collections.abc import Mapping

import wandb
from PIL import Image

from train.loggers import LoggedRun

_PROJECT = "jaxgames"


class WandbLogger:
    """A run there; later sessions go on with it. Its local files are in `wandb/` of the run."""

    takes_pictures = True

    def __init__(self, run: LoggedRun):
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", _PROJECT),
            name=run.directory.name,
            id=run.identity,
            resume="allow",
            dir=run.directory,
            config=dict(run.settings),
        )
        # Its own steps never go back, as iterations do when a run goes on after a kill.
        self._run.define_metric("*", step_metric="iteration")

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Adds the numbers of an iteration."""
        self._run.log({**numbers, "iteration": iteration})

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds a picture."""
        self._run.log({name: wandb.Image(Image.open(io.BytesIO(png))), "iteration": iteration})

    def close(self) -> None:
        """Writes, or sends, what is still in memory."""
        self._run.finish()
