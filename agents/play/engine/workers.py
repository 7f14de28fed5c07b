"""`Workers`: a few threads for searches, so that no search holds up the pages.

The threads end with the process: a search in compiled code cannot be stopped.
"""

import logging
import queue
import threading
from collections.abc import Callable

THREADS = 3  # one of them is free while two agents are compiled
MOST_WAITING = 64
_log = logging.getLogger(__name__)


class Busy(ValueError):
    """Too many jobs are waiting."""


class Workers:
    """Threads that carry out jobs in the order in which they come."""

    def __init__(self, threads: int = THREADS, most_waiting: int = MOST_WAITING) -> None:
        self._jobs: queue.Queue[Callable[[], None]] = queue.Queue(most_waiting)
        for _ in range(threads):
            threading.Thread(target=self._work, daemon=True).start()

    def submit(self, job: Callable[[], None]) -> None:
        """Adds a job.

        Raises:
            Busy: if too many jobs are waiting.
        """
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            raise Busy("the server is busy with other searches; try again later") from None

    @property
    def is_full(self) -> bool:
        """Whether a job waits for a thread."""
        return not self._jobs.empty()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job()
            except Exception:
                # A job tells its page what went wrong; what comes here is a fault of the program.
                _log.exception("a search failed")
