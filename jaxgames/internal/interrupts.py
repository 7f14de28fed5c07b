"""Ctrl-C while a command starts: imports of a second or more end without a traceback.

Importing this module imports no other than those of Python, so that it can come first.
"""

import _thread
import contextlib
import gc
import os
import signal
import sys
import threading
import types
from collections.abc import Iterator

STATUS = 128 + signal.SIGINT  # as a shell says it
_LINE = b"interrupted\n"
_AGAIN = 0.01  # seconds after which Ctrl-C is repeated


def end_quietly_while_starting() -> None:
    """Lets Ctrl-C end the process with a line, if it is a command that `python -m` starts.

    `run` of `command_line.py` ends this. A process that ignores Ctrl-C goes on ignoring it.
    """
    if sys.argv[:1] == ["-m"]:  # as long as `python -m` looks for the module
        _end_quietly()


@contextlib.contextmanager
def ending_quietly() -> Iterator[None]:
    """Lets Ctrl-C end the process with a line meanwhile, while a command starts."""
    before = signal.getsignal(signal.SIGINT)
    _end_quietly()
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_quietly() -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
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
        if _is_collecting(frame):
            # Python prints and drops what is raised there, so Ctrl-C comes again a little later.
            again = threading.Timer(_AGAIN, _interrupt_main_thread)
            again.daemon = True
            again.start()
            return
        signal.default_int_handler(number, frame)


def _interrupt_main_thread() -> None:
    if hasattr(signal, "pthread_kill"):  # wakes a thread that sleeps, too
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _is_collecting(frame: types.FrameType | None) -> bool:
    """Returns whether a frame is part of a callback of the garbage collector; JAX has one."""
    codes = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False
