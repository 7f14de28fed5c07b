"""`ClockedPlayer`: a depth-first search that keeps an eye on the clock.

A search runs on the device in pieces. Between them the host reads the clock, so a move ends at most
one piece after its time.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from agents.clock.policy import MovePlan, TimePolicy
from agents.terminal.pondering import Ponder
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.opening_book.book import NO_MOVE, Book, LookupResult, find
from jaxgames.players.search_limits import check_ponders
from jaxgames.search.agent import Params
from jaxgames.search.depth_first import transposition_table
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.evaluators.integer_score import Latch
from jaxgames.search.real_time.depth_first import DepthFirstPieces
from jaxgames.search.real_time.pieces import Clock, Limit, carry_on, piece_by_piece


class TimedChoice(NamedTuple):
    """A move, and the search behind it."""

    action: int
    depth: int  # plies that the search has finished
    nodes: int
    plan: MovePlan
    failure: str = ""  # why there is no move, which loses the game


class TimedPlayer(Protocol):
    """A player of games with clocks: an agent or a person."""

    is_person: ClassVar[bool]

    @property
    def name(self) -> str:
        """The name of the player."""
        ...

    @property
    def book(self) -> Book | None:
        """The book of its first moves, if there is one."""
        ...

    def new_game(self) -> None:
        """Forgets the game before."""
        ...

    def warm_up(self, game: Any) -> None:
        """Compiles all functions that a move needs."""
        ...

    def act(self, game: Any, remaining: float) -> TimedChoice:
        """Returns a move for a position with host values and the seconds left for the game."""
        ...

    def pondering(self, game: Any) -> Ponder | None:
        """Returns how it thinks about a position of its opponent; None if it does not."""
        ...


class PlayerForClock(NamedTuple):
    """A player for batches, and the settings that a clock adds: the result of every factory."""

    player: DepthFirstPlayer
    params: Params
    policy: TimePolicy
    panic: Latch | None = None
    """Changes the evaluation while hardly any time is left."""
    book: Book | None = None
    book_moves: int = 0


@dataclasses.dataclass
class ClockedPlayer:
    """Plays one game at a time; `new_game` begins each.

    Raises:
        ValueError: if the search is not deep enough for the plans of the policy, the number of
            moves from the book is negative, or it has no table and is to ponder.
    """

    name: str
    search: DepthFirst
    params: Params  # of one player
    policy: TimePolicy
    clock: Clock
    latch: Latch | None = None
    panic: Latch | None = None  # changes the parameters in panic mode
    book: Book | None = None
    book_moves: int = 0  # moves at the start of a game that may come from the book
    seed: int = 0  # decides between equal moves, and between moves of the book
    ponder: bool = False  # whether it also thinks while its opponent does
    is_person: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Checks the depth, and lays out the parameters for the lane."""
        if self.search.max_depth < self.policy.max_depth:
            raise ValueError(
                f"{self.name} plans up to {self.policy.max_depth} plies, but its search looks no "
                f"further than {self.search.max_depth}"
            )
        if self.book_moves < 0:
            raise ValueError(f"book_moves must be at least 0, got {self.book_moves}")
        if self.ponder:
            check_ponders(DepthFirstPlayer(self.search))
        # Not begun anew with each game, so that the book leads to different games.
        self._random = np.random.default_rng(self.seed)
        self._usual = self._changed_by(None)
        self._latched = self._changed_by(self.latch)
        self._panicking = self._changed_by(self.panic)
        self.new_game()

    def new_game(self) -> None:
        """Forgets the game before."""
        self._is_latched = False
        bits = self.search.table_bits
        self._table = None if bits is None else transposition_table.empty(1, bits)
        self._plies = self._moves = 0  # own plies and moves so far; a move may have several plies

    def warm_up(self, game: Any) -> None:
        """Compiles all functions that a move needs, so that no move's time includes compilation."""
        self._sees_latch(game)
        self._moves_of_book(game)
        self._count(game, self.choose(game, MovePlan(1, float("inf"))))
        self.new_game()

    def act(self, game: Any, remaining: float) -> TimedChoice:
        """Returns a move for a position with host values and the seconds left for the game."""
        self._is_latched |= self._sees_latch(game)
        plan = self.policy.plan(game, remaining)
        actions, shares = self._moves_of_book(game)
        if len(actions):
            choice = TimedChoice(int(self._random.choice(actions, p=shares)), 0, 0, plan)
        else:
            choice = self.choose(game, plan)
        self._count(game, choice)
        return choice

    def choose(self, game: Any, plan: MovePlan) -> TimedChoice:
        """Returns the move that the search finds within a plan."""
        panics = plan.is_panic and self.panic is not None
        pieces = self._begin(game, self._panicking if panics else self._params, plan.depth)
        # Depth 1 is always finished: it takes a few pieces, and without it there is no move.
        ended = carry_on(pieces, Limit(plan.seconds), self.clock)
        found = pieces.result()
        self._table = found.table
        return TimedChoice(int(found.action[0]), pieces.depth, ended.nodes, plan)

    def pondering(self, game: Any) -> Ponder | None:
        """Returns how it thinks about a position of its opponent; None if it does not.

        It looks as deep as for any move of its own, and keeps the table.
        """
        return functools.partial(self._ponder, game) if self.ponder else None

    def _ponder(self, game: Any, is_stopped: Callable[[], bool]) -> None:
        pieces = self._begin(game, self._params, self.policy.max_depth)
        search = piece_by_piece(pieces, Limit(), self.clock)
        while not is_stopped() and next(search, None):
            pass
        self._table = pieces.result().table

    @property
    def _params(self) -> Params:
        return self._latched if self._is_latched else self._usual

    def _begin(self, game: Any, params: Params, depth: int) -> DepthFirstPieces:
        """Begins the search of a position."""
        key = jax.random.fold_in(jax.random.key(self.seed), self._plies)
        return DepthFirstPieces(self.search, params, game, key, depth, self._table)

    def _changed_by(self, latch: Latch | None) -> Params:
        """Returns the usual parameters as changed by a latch, for the lane."""
        params = self.params if latch is None else latch.thrown(self.params)
        return DepthFirstPlayer(self.search).lanes(params, (), 1)

    def _moves_of_book(self, game: Any) -> tuple[np.ndarray, np.ndarray]:
        """Returns the moves that the book offers, with their probabilities; empty without any."""
        if self.book is not None and self._moves < self.book_moves:
            found = jax.device_get(_look_up(self.book, game))
            offered = found.actions[0] != NO_MOVE
            if found.is_known[0] and offered.any():
                shares = found.shares[0][offered].astype(np.float64)
                return found.actions[0][offered], shares / shares.sum()
        return np.zeros(0, np.int32), np.zeros(0)

    def _count(self, game: Any, choice: TimedChoice) -> None:
        """Counts a ply, and the move if it is complete."""
        self._plies += 1
        self._moves += bool(_completes(self.search.rules, game, choice.action))

    def _sees_latch(self, game: Any) -> bool:
        return self.latch is not None and bool(_is_due(self.latch, game))


@jax.jit
def _look_up(book: Book, game: Any) -> LookupResult:
    return find(book, jax.tree.map(lambda x: jnp.asarray(x)[None], game))


@functools.partial(jax.jit, static_argnames="rules")
def _completes(rules: Any, game: Any, action: Int32[Array, ""]) -> Bool[Array, ""]:
    return rules.completes_action(game, action)


@functools.partial(jax.jit, static_argnames="latch")
def _is_due(latch: Latch, game: Any) -> Bool[Array, ""]:
    return latch.is_due(game)
