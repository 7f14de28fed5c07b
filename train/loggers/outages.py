"""Outages: a logger that fails does not end a training."""

import contextlib
import logging
from collections.abc import Iterator

_LONGEST_REASON = 300  # characters; a server may answer with a whole page
_log = logging.getLogger(__name__)


class Outages:
    """Tells of an outage of a logger once, when it begins, and of its end.

    A logger is called again each time, whether or not it failed the last time.
    """

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    @contextlib.contextmanager
    def of(self, logger: str, method: str) -> Iterator[None]:
        """Carries on after an error of a method of a logger: a tracker may raise any exception."""
        call = logger, method
        try:
            yield
        except Exception as error:
            if call not in self._known:
                self._known.add(call)
                _log.warning(
                    "logger %s: %s failed, which does not end the training: %s",
                    *call,
                    reason(error),
                )
        else:
            if call in self._known:
                self._known.remove(call)
                _log.warning("logger %s: %s works again", *call)


def reason(error: Exception) -> str:
    """Returns the kind and the words of an error, as one line."""
    words = " ".join(str(error).split())
    if len(words) > _LONGEST_REASON:
        words = f"{words[:_LONGEST_REASON]} ..."
    return f"{type(error).__name__}: {words}"
