"""Ctrl-C while a command starts: imports of a second or more end without a traceback.

Importing this module needs nothing else of the project, so that it can come first.
"""

import os
import signal
import sys
import types

STATUS = 128 + signal.SIGINT  # as a shell says it
_LINE = b"interrupted\n"


def end_quietly_while_starting() -> None:
    """Lets Ctrl-C end the process with a line, if it is a command that `python -m` starts.

    `run` of `command_line.py` ends this. A process that ignores Ctrl-C goes on ignoring it.
    """
    is_command = sys.argv[:1] == ["-m"]  # as long as `python -m` looks for the module
    if is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: types.FrameType | None) -> None:
    del number, frame
    if sys.stderr is not None:
        os.write(2, _LINE)
    os._exit(STATUS)


class Watch:
    """While entered, Ctrl-C is a `KeyboardInterrupt` that leaves a trace in `happened`.

    Modules in C that an interrupt meets while they are imported raise other errors instead.
    """

    def __init__(self) -> None:
        self.happened = False
        """Whether Ctrl-C has been pressed."""

    def __enter__(self) -> "Watch":
        if signal.getsignal(signal.SIGINT) in (_end, signal.default_int_handler):
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        if signal.getsignal(signal.SIGINT) == self._handle:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _handle(self, number: int, frame: types.FrameType | None) -> None:
        self.happened = True
        signal.default_int_handler(number, frame)
