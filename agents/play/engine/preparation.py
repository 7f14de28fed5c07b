"""`Preparation`: what is being prepared, compilations above all, for pages to show."""

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from jaxgames.internal import compilation_cache

MOST_STEPS = 12  # finished ones beyond this number are forgotten


class Preparation:
    """The steps of preparation: which of them run, and for how long."""

    def __init__(self, announce: Callable[[dict[str, Any]], None]) -> None:
        """Calls `announce` with the new status whenever a step begins or ends."""
        self._announce = announce
        self._lock = threading.Lock()
        self._steps: list[_Step] = []

    @contextlib.contextmanager
    def step(self, game: str, name: str, words: str, purpose: str = "") -> Iterator[None]:
        """Shows a step while its block runs.

        Args:
            game: the id of the game for which it is; agents of several games have equal names.
            name: its name.
            words: its name on the page, for people.
            purpose: what is compiled, for a message on the console; empty: the words.
        """
        entry = _Step(game, name, words, time.monotonic())

        def expect(seconds: float) -> None:
            with self._lock:
                entry.about = time.monotonic() - entry.begin + seconds
            self._announce(self.status())

        with self._lock:
            self._steps = [*self._steps[-MOST_STEPS + 1 :], entry]
        self._announce(self.status())
        state = "failed"
        try:
            with compilation_cache.purpose(purpose or words, expect):
                yield
            state = "done"
        finally:
            with self._lock:
                entry.state, entry.end = state, time.monotonic()
            self._announce(self.status())

    def status(self) -> dict[str, Any]:
        """Returns the steps: game, name, words, state, seconds, about how many if that is known."""
        now = time.monotonic()
        with self._lock:
            return {
                "steps": [
                    {
                        "game": step.game,
                        "name": step.name,
                        "words": step.words,
                        "state": step.state,
                        "seconds": round((step.end or now) - step.begin, 1),
                        "about": None if step.about is None else round(step.about),
                    }
                    for step in self._steps
                ]
            }


@dataclasses.dataclass
class _Step:
    game: str
    name: str
    words: str
    begin: float
    state: str = "runs"
    end: float | None = None
    about: float | None = None  # seconds that it takes, an estimate
