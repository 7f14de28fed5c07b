"""Numbers of a run as an event file that TensorBoard shows.

Events are written by the calling thread. The `SummaryWriter` of tensorboardX has a thread of its
own: on a full disk that ends with a traceback, and a training that waits for it would hang.
"""

import contextlib
import pathlib
import time
from collections.abc import Mapping

from tensorboardX import summary
from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog

_SECONDS_BETWEEN_FLUSHES = 120.0


class EventFile:
    """A new event file in a folder."""

    def __init__(self, folder: pathlib.Path, first: int):
        """Makes the file, and its folder if missing.

        Args:
            folder: the folder of all event files of the run.
            first: the first step that may come; later ones of older files are hidden.

        Raises:
            OSError: if it cannot be written; so do the methods.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._writer = EventsWriter(str(folder / "events"))
        self._flushed = time.monotonic()
        self._write(Event(step=first, file_version="brain.Event:2"))
        self._write(Event(step=first, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, numbers: Mapping[str, float]) -> None:
        """Adds numbers by name."""
        for name, value in numbers.items():
            self._write(Event(step=step, summary=summary.scalar(name, value)))
        if time.monotonic() - self._flushed > _SECONDS_BETWEEN_FLUSHES:
            self._writer.flush()
            self._flushed = time.monotonic()

    def close(self) -> None:
        """Writes what is still in memory; what a full disk does not take is lost."""
        with contextlib.suppress(OSError):
            self._writer.close()

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        self._writer.write_event(event)
