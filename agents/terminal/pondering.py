"""Games of one process in which a player thinks while its opponent does."""

import contextlib
import threading
from collections.abc import Callable, Iterator

from jaxgames.search.real_time.pieces import Clock

Ponder = Callable[[Callable[[], bool]], None]
"""Thinks about the opponent's position until the function that it is given returns true."""


@contextlib.contextmanager
def pondering(ponder: Ponder | None, is_person: bool, clock: Clock) -> Iterator[None]:
    """Lets a player think about the position in which the block decides for its opponent.

    Beside a person it thinks in a thread, until the person has moved. A program has the process for
    itself until it has moved; then the player thinks for as long as the program did. So neither
    takes time from the other, as if each had a processor of its own.

    Args:
        ponder: how the player thinks; None: it does not.
        is_person: whether a person decides.
        clock: measures the time of a program.
    """
    if ponder is None:
        yield
    elif is_person:
        has_moved = threading.Event()
        thread = threading.Thread(target=ponder, args=(has_moved.is_set,))
        thread.start()
        try:
            yield
        finally:
            has_moved.set()
            thread.join()
    else:
        begin = clock()
        yield
        end = 2 * clock() - begin
        ponder(lambda: clock() >= end)
