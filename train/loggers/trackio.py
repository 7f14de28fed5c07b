"""Trackio. Its variables say where: `TRACKIO_DIR`, `TRACKIO_SPACE_ID`, `TRACKIO_SERVER_URL`."""

import io
from collections.abc import Mapping

import trackio
from PIL import Image

from train.loggers import LoggedRun

_PROJECT = "jaxgames"


class TrackioLogger:
    """A run there; later sessions go on with it."""

    takes_pictures = True

    def __init__(self, run: LoggedRun):
        self._run = trackio.init(
            project=_PROJECT,
            name=f"{run.directory.name}-{run.identity[:6]}",  # it knows runs by name only
            config=dict(run.settings),
            resume="allow",
            embed=False,
        )

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Adds the numbers of an iteration."""
        self._run.log(dict(numbers), step=iteration)

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds a picture."""
        self._run.log({name: trackio.Image(Image.open(io.BytesIO(png)))}, step=iteration)

    def close(self) -> None:
        """Writes, or sends, what is still in memory."""
        self._run.finish()
