"""`GameSession`: a game with those who play it, as the server keeps it in memory."""

import dataclasses
import threading
from typing import Any

from agents.play.session.game_tree import GameTree

HUMAN = "human"
"""The spec of a seat that a person plays."""


class Search:
    """A search that runs for a session; the session drops it to end it."""

    def __init__(self, number: int, spec: str) -> None:
        self.number = number
        """The position."""
        self.spec = spec
        """The agent."""
        self.player = spec
        """The agent that searches: another one if it stands in."""


@dataclasses.dataclass
class Remembered:
    """The memory of an agent after a decision."""

    spec: str
    number: int
    """The position after the decision."""
    memory: Any


@dataclasses.dataclass(eq=False)
class GameSession:
    """A game that is played; hold `lock` to read or change it."""

    id: str
    tree: GameTree
    seats: list[str]
    """The spec of each seat, or `human`."""
    created: float
    """Seconds since 1970."""
    runs: bool = True
    """Whether agents move."""
    resigned: int | None = None
    """The seat that has given up in the current position."""
    is_deleted: bool = False
    """Whether its file has been removed for good."""
    stand_in: str | None = None
    """The agent that plays for others while they are being prepared."""
    error: str | None = None
    """Why the last search failed."""
    version: int = 0
    """Counts the changes."""
    move_search: Search | None = None
    """The search for the move of an agent."""
    pondering: Search | None = None
    """The search of an agent while a person is to move."""
    analysis: Search | None = None
    """The search that a page has asked for."""
    memories: dict[int, Remembered] = dataclasses.field(default_factory=dict)
    """The memory of the agent of each seat."""
    lock: threading.RLock = dataclasses.field(default_factory=threading.RLock)
    ponder_lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)
    """Held while an agent ponders, until its memory is kept; never taken under `lock`."""

    def has_search(self, search: Search) -> bool:
        """Returns whether a search has not been ended."""
        return search is self.move_search or search is self.analysis

    def is_human(self, seat: int) -> bool:
        """Returns whether a person plays a seat."""
        return self.seats[seat] == HUMAN

    @property
    def humans(self) -> list[int]:
        """The seats of persons."""
        return [seat for seat in range(len(self.seats)) if self.is_human(seat)]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended in the current position, be it that a seat gave up."""
        return self.resigned is not None or self.tree.is_over(self.tree.current)

    def agents_turn(self) -> tuple[int, str] | None:
        """Returns the current position and the agent that is to move there; None if none is."""
        tree = self.tree
        if not self.runs or self.is_over:
            return None
        spec = self.seats[tree.seat(tree.current)]
        return None if spec == HUMAN else (tree.current, spec)

    def turn_to_ponder(self) -> tuple[int, str] | None:
        """Returns the current position and the agent that waits for a person; None if none does.

        Agents ponder in games of two seats only.
        """
        tree = self.tree
        if not self.runs or self.is_over or len(self.seats) != 2:
            return None
        mover = tree.seat(tree.current)
        waiting = self.seats[1 - mover]
        return (tree.current, waiting) if self.is_human(mover) and waiting != HUMAN else None

    def viewpoint(self, wanted: int | None, number: int) -> int | None:
        """Returns the seat whose knowledge a page may see; None for everything.

        A page sees everything where nothing is hidden, where no person plays, and once the game is
        over. Otherwise it sees what one person knows: the person on the seat that the page asks
        for, else the person who is to move, or moved last.
        """
        tree = self.tree
        humans = self.humans
        if tree.env.rules.perfect_information or not humans or self.is_over:
            return None
        if wanted in humans:
            return wanted
        for before in reversed(tree.path(number)):
            if (seat := tree.seat(before)) in humans:
                return seat
        return humans[0]

    def since(self, number: int, wanted: int | None) -> int | None:
        """Returns the position that a page compares with: after the last move of its person.

        Where no person has moved, it is the position before the last move; None at the start.

        Args:
            number: the position that is shown.
            wanted: the seat as which the page asks to see the game; None: that of any person.
        """
        seats = [wanted] if wanted in self.humans else self.humans
        path, nodes = self.tree.path(number), self.tree.nodes
        if nodes[number].seat not in seats:
            for before in reversed(path[1:-1]):
                if nodes[before].seat in seats:
                    return before
        return nodes[number].parent

    def remembered(self, seat: int, number: int, spec: str | None = None) -> Any | None:
        """Returns the memory of an agent for a decision; None if it begins anew.

        It does where the game went back, or somebody else moved for the seat in between.

        Args:
            seat: the seat that is to move.
            number: the position.
            spec: the agent; None: that of the seat.
        """
        kept, path = self.memories.get(seat), self.tree.path(number)
        if kept is None or kept.spec != (spec or self.seats[seat]) or kept.number not in path:
            return None
        since = path[path.index(kept.number) : -1]
        return None if any(self.tree.seat(n) == seat for n in since) else kept.memory
