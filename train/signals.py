"""Stop requests: a signal sets a flag that the loop reads between iterations."""

import os
import signal
import types
from typing import Any

_HANG_UP = "SIGHUP"  # of POSIX only
_SIGNALS = tuple(
    signal.Signals[name]
    for name in ("SIGTERM", "SIGINT", _HANG_UP)
    if name in signal.Signals.__members__
)
_OUTPUTS = (1, 2)  # the file descriptors of what is printed


class StopRequest:
    """While entered, these signals ask for a clean end; a second SIGINT ends at once.

    They are SIGTERM, SIGINT (Ctrl-C) and SIGHUP (the terminal was closed). A signal that the
    program was told to ignore, as by `nohup`, stays ignored.

    Enter it after `jax.distributed.initialize`, whose own handler would swallow SIGTERM.
    """

    def __init__(self) -> None:
        self.signal: str | None = None
        """Name of the signal that asked for the end, if any did."""
        self._before: dict[signal.Signals, Any] = {}
        self._terminals: list[int] = []

    @property
    def requested(self) -> bool:
        """Whether the loop should save and end."""
        return self.signal is not None

    def __enter__(self) -> "StopRequest":
        self._terminals = [output for output in _OUTPUTS if os.isatty(output)]
        for number in _SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            # A handler that was not installed from Python reads as None and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before.clear()

    def _handle(self, number: int, frame: types.FrameType | None) -> None:
        del frame
        if number == signal.SIGINT and self.signal == signal.SIGINT.name:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number).name
        if self.signal == _HANG_UP:
            self._leave_terminal()

    def _leave_terminal(self) -> None:
        """Prints nothing more: writing to a terminal that was closed is an error."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for output in self._terminals:
            os.dup2(nowhere, output)
        os.close(nowhere)
