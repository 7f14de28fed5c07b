"""`Preparation`: what is being prepared, compilations above all, for pages to show."""

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

MOST_STEPS = 12  # finished ones beyond this number are forgotten


class Preparation:
    """The steps of preparation: which of them run, and for how long."""

    def __init__(self, announce: Callable[[dict[str, Any]], None]) -> None:
        """Calls `announce` with the new status whenever a step begins or ends."""
        self._announce = announce
        self._lock = threading.Lock()
        self._steps: list[_Step] = []

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Shows a step while its block runs."""
        entry = _Step(name, time.monotonic())
        with self._lock:
            self._steps = [*self._steps[-MOST_STEPS + 1 :], entry]
        self._announce(self.status())
        state = "failed"
        try:
            yield
            state = "done"
        finally:
            with self._lock:
                entry.state, entry.end = state, time.monotonic()
            self._announce(self.status())

    def status(self) -> dict[str, Any]:
        """Returns the steps: name, state and seconds of each."""
        now = time.monotonic()
        with self._lock:
            return {
                "steps": [
                    {
                        "name": step.name,
                        "state": step.state,
                        "seconds": round((step.end or now) - step.begin, 1),
                    }
                    for step in self._steps
                ]
            }


@dataclasses.dataclass
class _Step:
    name: str
    begin: float
    state: str = "runs"
    end: float | None = None
