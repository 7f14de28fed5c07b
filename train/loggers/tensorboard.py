"""Numbers and pictures of a run as an event file that TensorBoard shows.

Events are written by the calling thread. The `SummaryWriter` of tensorboardX has a thread of its
own: on a full disk that ends with a traceback, and a training that waits for it would hang.
"""

import struct
import time
from collections.abc import Mapping

from tensorboardX import summary
from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.summary_pb2 import Summary

from train.loggers import LoggedRun

_SECONDS_BETWEEN_FLUSHES = 120.0
_RGB = 3
_PNG_SIZE = struct.Struct(">16x2I")  # the width and height in the head of a PNG file


class EventFile:
    """The logger `tensorboard`: a new event file in the folder `tensorboard` of a run."""

    takes_pictures = True

    def __init__(self, run: LoggedRun):
        """Makes the file, and its folder if missing; hides later steps of older files.

        Raises:
            OSError: if it cannot be written; so do the methods.
        """
        folder, first = run.directory / "tensorboard", run.iteration + 1
        folder.mkdir(parents=True, exist_ok=True)
        self._writer = EventsWriter(str(folder / "events"))
        self._flushed = time.monotonic()
        self._write(Event(step=first, file_version="brain.Event:2"))
        self._write(Event(step=first, session_log=SessionLog(status=SessionLog.START)))

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Adds the numbers of an iteration."""
        for name, value in numbers.items():
            self._write(Event(step=iteration, summary=summary.scalar(name, float(value))))
        if time.monotonic() - self._flushed > _SECONDS_BETWEEN_FLUSHES:
            self._writer.flush()
            self._flushed = time.monotonic()

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds a picture."""
        width, height = _PNG_SIZE.unpack_from(png)
        image = Summary.Image(width=width, height=height, colorspace=_RGB, encoded_image_string=png)
        value = Summary.Value(tag=name, image=image)
        self._write(Event(step=iteration, summary=Summary(value=[value])))

    def close(self) -> None:
        """Writes what is still in memory."""
        self._writer.close()

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        self._writer.write_event(event)
