"""A plugin for training: the program sends itself a signal, at a moment that needs no clock.

The variable `SIGNAL_AT` holds `SIGNAL:MOMENT:ITERATION`. The moment is `logged` (an iteration has
been logged) or `saving` (its checkpoint has begun to be written).
"""

import os
import signal
from collections.abc import Callable
from typing import Any

from train import checkpoint, loggers

VARIABLE = "SIGNAL_AT"


def after(function: Callable[..., Any], number: signal.Signals, iteration: int) -> Any:
    """Returns a method that sends the signal after its work on an iteration."""

    def method(self: Any, done: int, *arguments: Any) -> None:
        function(self, done, *arguments)
        if done == iteration:
            os.kill(os.getpid(), number)

    return method


name, moment, text = os.environ[VARIABLE].split(":")
owner, method = {
    "logged": (loggers.Loggers, "log"),
    "saving": (checkpoint.Checkpoints, "save"),
}[moment]
setattr(owner, method, after(getattr(owner, method), signal.Signals[name], int(text)))
