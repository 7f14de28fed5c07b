"""Stop requests: a signal sets a flag that the loop reads between iterations."""

import signal
import types
from typing import Any


class StopRequest:
    """While entered, SIGTERM and SIGINT ask for a clean end; a second SIGINT ends at once.

    Enter it after `jax.distributed.initialize`, whose own handler would swallow SIGTERM.
    """

    def __init__(self) -> None:
        self.signal: str | None = None
        """Name of the signal that asked for the end, if any did."""
        self._before: dict[signal.Signals, Any] = {}

    @property
    def requested(self) -> bool:
        """Whether the loop should save and end."""
        return self.signal is not None

    def __enter__(self) -> "StopRequest":
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            # A handler that was not installed from Python reads as None and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _handle(self, number: int, frame: types.FrameType | None) -> None:
        del frame
        if number == signal.SIGINT and self.signal == signal.SIGINT.name:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number).name
