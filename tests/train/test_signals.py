"""Signals ask for a clean end."""

import os
import signal
from collections.abc import Iterator

import pytest

from train.signals import StopRequest


@pytest.fixture(autouse=True)
def _heeded() -> Iterator[None]:
    """Lets this process heed the signals, which tests under `nohup` or `&` are told to ignore."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_sets_the_flag_until_the_handlers_are_put_back(number):
    before = signal.getsignal(number)
    with StopRequest() as stop:
        assert not stop.requested and signal.getsignal(number) != before
        os.kill(os.getpid(), number)
        assert stop.requested
        assert stop.signal == number.name
    assert signal.getsignal(number) == before


def test_second_interrupt_ends_at_once():
    with StopRequest():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_that_are_ignored_stay_ignored(number):
    """As by `nohup`, or in the background of a script."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with StopRequest() as stop:
            os.kill(os.getpid(), number)
            assert not stop.requested
    finally:
        signal.signal(number, before)


def test_nothing_is_written_to_a_terminal_that_was_closed():
    ours, theirs = os.openpty()
    kept = os.dup(2)
    os.dup2(theirs, 2)
    try:
        with StopRequest():
            os.kill(os.getpid(), signal.SIGHUP)
            os.close(theirs)
            os.close(ours)
            os.write(2, b"not seen")
    finally:
        os.dup2(kept, 2)
        os.close(kept)
