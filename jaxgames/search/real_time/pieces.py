"""`Pieces`: a search cut into pieces of work; `carry_on` makes as many as a limit allows.

The number of rounds of a piece is an argument of its program, so one program serves all limits. The
host looks at the clock between two pieces. Their size follows from the measured time of a round:
small enough that the last one ends in time, large enough that the device seldom waits for the host.
"""

import dataclasses
import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

Clock = Callable[[], float]
"""Returns the seconds since some moment; a scaled clock runs faster or slower than real time."""

PIECES = 20  # in the time of a decision
SHORTEST = 0.025  # seconds of a piece: it costs up to 3 ms, however few rounds it has
LONGEST = 0.1  # seconds of a piece, after which a search can be stopped
LARGEST_GROWTH = 4  # of a piece against the one before
MOST_ROUNDS = 2**20
SPEED_UP = 1.25  # a search may become faster by this factor than it was so far


@dataclasses.dataclass(frozen=True)
class Limit:
    """When a search ends, unless it is finished before; its fields are those of specs."""

    seconds: float = math.inf
    nodes: int | None = None  # positions searched; None: any number
    ponder: bool = False  # whether the player also thinks while its opponent does


class Findings(NamedTuple):
    """What the host reads of a search after a piece."""

    is_running: bool
    can_decide: bool
    nodes: int  # positions searched so far
    settled_for: int = 0  # further positions that cannot change the decision


class Pieces(Protocol):
    """A search of one position in pieces, at its beginning."""

    first_rounds: int
    """The rounds of the first piece."""
    fewest_rounds: int
    """The rounds of any other piece, at least."""

    def advance(self, rounds: int) -> Findings:
        """Carries the search on, by at most so many rounds; waits until they are made."""
        ...


def carry_on(pieces: Pieces, limit: Limit, clock: Clock = time.perf_counter) -> Findings:
    """Returns the findings of a search that has ended, or has reached its limit and can decide.

    The time is counted from now. A search also ends when its decision cannot change in the time
    that is left, at the speed so far. A limit of nodes may be passed by one piece that the clock
    has made too large for it, never by more than the fewest rounds of a piece.
    """
    *_, (last, _) = piece_by_piece(pieces, limit, clock)
    return last


def piece_by_piece(
    pieces: Pieces, limit: Limit, clock: Clock = time.perf_counter
) -> Iterator[tuple[Findings, bool]]:
    """Yields the findings after each piece, and whether the search has ended as in `carry_on`.

    The time that their reader takes counts, too.
    """
    begin = clock()
    rounds, has_ended = pieces.first_rounds, False
    while not has_ended:
        before = clock()
        found = pieces.advance(rounds)
        now = clock()
        left = begin + limit.seconds - now
        is_full = limit.nodes is not None and found.nodes >= limit.nodes
        speed = found.nodes / max(now - begin, 1e-6)
        is_settled = found.settled_for >= SPEED_UP * speed * left
        may_end = is_full or left <= 0 or is_settled
        has_ended = not found.is_running or (found.can_decide and may_end)
        yield found, has_ended
        wanted = min(max(limit.seconds / PIECES, SHORTEST), LONGEST, left)
        rounds = next_rounds(rounds, now - before, wanted, pieces.fewest_rounds)
        if limit.nodes is not None:
            rounds = max(min(rounds, limit.nodes - found.nodes), pieces.fewest_rounds)


def next_rounds(rounds: int, seconds: float, wanted: float, fewest: int) -> int:
    """Returns the rounds of a piece of `wanted` seconds; the last, of `rounds`, took `seconds`."""
    largest = min(LARGEST_GROWTH * rounds, MOST_ROUNDS)
    if seconds * largest <= wanted * rounds:
        return largest
    return max(int(rounds * wanted / seconds), fewest)
