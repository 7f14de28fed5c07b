"""`Director`: what can be done with the games of a server."""

import contextlib
import secrets
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

from agents.play.engine.limits import Allowance
from agents.play.engine.preparation import Preparation
from agents.play.engine.searches import Searches
from agents.play.engine.workers import Workers
from agents.play.session import positions, saved_games, store
from agents.play.session.changes import Changes
from agents.play.session.events import Events
from agents.play.session.game_tree import ROOT, GameTree
from agents.play.session.open_games import OpenGames
from agents.play.session.session import HUMAN, GameSession
from agents.play.session.store import Store
from jaxgames.env import Env
from jaxgames.internal.messages import title
from jaxgames.records import Record
from jaxgames.state import State

STAND_IN = "random"  # compiled in seconds, in every game


class Shared(NamedTuple):
    """What all directors of a server have in common."""

    events: Events
    preparation: Preparation
    workers: Workers

    @classmethod
    def begin(cls) -> "Shared":
        """Returns those of a new server, with threads for its searches."""
        events = Events()
        preparation = Preparation(lambda status: events.to_all("status", status))
        return cls(events, preparation, Workers())


class Director:
    """The games of one environment.

    All methods are called from threads, never from the event loop.
    """

    def __init__(
        self,
        env: Env[Any],
        games: Store,
        allowance: Allowance,
        seats: list[str],
        analyst: str,
        shared: Shared,
    ) -> None:
        """Checks the agents.

        Raises:
            ValueError: for a wrong number of seats, or agents that are unknown or do not fit.
        """
        self.env = env
        self.store = games
        self.allowance = allowance
        self.analyst = analyst
        """The agent that gives hints unless a page asks for another."""
        self.events, self.preparation, workers = shared
        self._changes = Changes(games, self.events)
        self.searches = Searches(env, self._changes, self.preparation, workers)
        self.games = OpenGames(games, self.events)
        self._board_lock, self._rules_lock = threading.Lock(), threading.Lock()
        self._first: State[Any] | None = None  # a position, once the board is compiled
        self._are_rules_ready = False
        self.seats = self.checked_seats(seats)
        """Those who play a new game unless it says otherwise."""

    def prepare_board(self) -> State[Any]:
        """Compiles what the board of every game needs; returns a position."""
        with self._board_lock:
            if self._first is None:
                name = title(self.env.id)
                with self.preparation.step(self.env.id, "board", f"the board of {name}"):
                    self._first = positions.compile_board(self.env)
            return self._first

    def prepare_rules(self) -> None:
        """Compiles what every game needs: the board, then the moves."""
        with self._rules_lock:
            if self._are_rules_ready:
                return
            name, state = title(self.env.id), self.prepare_board()
            with self.preparation.step(self.env.id, "moves", f"the moves of {name}"):
                positions.compile_moves(self.env, state)
            self._are_rules_ready = True

    def new_game(
        self,
        seats: list[str] | None = None,
        position: str | None = None,
        seed: int | None = None,
    ) -> GameSession:
        """Begins a game.

        Raises:
            ValueError: for unknown agents, or a malformed position.
        """
        chosen = self.checked_seats(self.seats if seats is None else seats)
        self.prepare_board()
        seed = secrets.randbits(31) if seed is None else seed
        if position is None:
            position = positions.start(self.env, seed)
        tree = GameTree(self.env, seed, position)
        session = GameSession(self.store.new_id(), tree, chosen, store.now())
        self.adopt(session)
        return session

    def load_record(self, text: str, seats: list[str] | None, file: str = "") -> GameSession:
        """Begins a game with the moves of a record.

        Args:
            text: the content of a file of games; only its first game is read.
            seats: those who go on with it; None: as the record says, persons for agents that are
                not allowed here.
            file: the name of the file, for formats of other programs.

        Raises:
            ValueError: for a damaged record or one of another game, an illegal move, or agents that
                are unknown or do not fit.
        """
        record = saved_games.first_record(text, self.env, file)
        chosen = self._seats_of(record) if seats is None else self.checked_seats(seats)
        self.prepare_rules()
        tree = saved_games.play(self.env, record, secrets.randbits(31))
        session = GameSession(self.store.new_id(), tree, chosen, store.now(), runs=False)
        session.resigned = saved_games.resigned(record)
        self.adopt(session)
        return session

    def _seats_of(self, record: Record) -> list[str]:
        seats = saved_games.seats_of(record)
        for number, spec in enumerate(seats):
            try:
                seats[number] = self.allowance.check(spec)
                if seats[number] != HUMAN:
                    self.searches.check(seats[number])
            except ValueError:
                seats[number] = HUMAN
        return self.checked_seats(seats)

    def adopt(self, session: GameSession) -> None:
        """Saves a new game and lets its agents move."""
        with session.lock:
            self.store.save(session)
        self.games.keep(session)
        self.searches.wake(session)

    def checked_seats(self, seats: list[str]) -> list[str]:
        """Returns the specs of all seats.

        Raises:
            ValueError: for a wrong number, or agents that are unknown or do not fit.
        """
        if len(seats) != self.env.num_players:
            raise ValueError(f"{self.env.id} has {self.env.num_players} seats, got {len(seats)}")
        checked = [self.allowance.check(seat) for seat in seats]
        for spec in dict.fromkeys(checked):
            if spec != HUMAN:
                self.searches.check(spec)
        return checked

    def session(self, name: str) -> GameSession:
        """Returns a game, from memory or from its file.

        Raises:
            UnknownGame: if there is none of this name.
            ValueError: if its file is damaged.
        """
        found = self.games.find(name)
        if found is None:
            self.prepare_rules()
            found = self.games.load(name)
            self.searches.wake(found)
        return found

    def delete(self, session: GameSession) -> None:
        """Removes a game and its file."""
        with session.lock:
            session.move_search = session.pondering = session.analysis = None
            session.runs = False
            self.store.delete(session.id)
            session.is_deleted = True
        self.games.forget(session)
        self.events.to_game(session.id, "game", {"deleted": True})

    def play(
        self, session: GameSession, number: int, action: int | None, move: str | None
    ) -> tuple[int, bool]:
        """Makes the move of a person, by its number or its text; from any position of the game.

        Returns:
            The new position, and whether an agent moves next.

        Raises:
            ValueError: if no person is to move there, or the move is not legal.
        """
        self.prepare_rules()  # no second thread compiles what one compiles already
        with self._changing(session) as tree:
            tree.check(number)
            if tree.is_over(number):
                raise ValueError("the game is over")
            if not session.is_human(tree.seat(number)):
                raise ValueError("an agent plays this seat; make it human to play yourself")
            if action is None:
                action = tree.find_move(number, move or "")
            after = tree.play(number, action)
            is_agents_turn = not (tree.is_over(after) or session.is_human(tree.seat(after)))
        return after, is_agents_turn and session.runs

    def back(self, session: GameSession) -> None:
        """Takes back moves up to the last decision of a person, or one move where none plays.

        The first half of a person's action is removed; everything else can be repeated by
        `forward`.
        """
        with self._changing(session) as tree:
            if session.resigned is not None:
                session.resigned = None
                return
            if tree.current == ROOT:
                raise ValueError("there is no move to take back")
            if not session.humans:
                session.runs = False
            if self._is_removable(session, tree.current):
                if session.analysis is not None and session.analysis.number == tree.current:
                    session.analysis = None
                tree.drop(tree.current)
            else:
                target = tree.path(tree.current)[-2]
                while target != ROOT and not self._stops_at(session, target):
                    target = tree.path(target)[-2]
                tree.go(target)

    def forward(self, session: GameSession) -> None:
        """Repeats the moves that were taken back, up to the next decision of a person."""
        with self._changing(session) as tree:
            target = tree.favourite(tree.current)
            if target is None:
                raise ValueError("there is no move to repeat")
            while not self._stops_at(session, target):
                after = tree.favourite(target)
                if after is None:
                    break
                target = after
            tree.go(target)

    def resign(self, session: GameSession) -> None:
        """Ends the game as a loss of the person who is to move, else of the first person.

        Raises:
            ValueError: if the game is over, or no person plays.
        """
        with session.lock:
            if session.is_over:
                raise ValueError("the game is over")
            if not session.humans:
                raise ValueError("no person plays who could resign")
            seat = session.tree.seat(session.tree.current)
            session.resigned = seat if session.is_human(seat) else session.humans[0]
            session.move_search = None
            self._changes.keep(session)

    @contextlib.contextmanager
    def _changing(self, session: GameSession) -> Iterator[GameTree]:
        """Holds the lock of a game while it is changed, saves it, and lets its agents move."""
        with session.lock:
            current = session.tree.current
            yield session.tree
            if session.tree.current != current:
                session.resigned = None  # the game goes on from elsewhere
            self._changes.keep(session)
        self.searches.wake(session)

    def _stops_at(self, session: GameSession, number: int) -> bool:
        """Returns whether a person decides in a position, on a whole action."""
        if not session.humans:
            return True
        is_own = session.is_human(session.tree.seat(number))
        return is_own and not session.tree.is_half(number)

    def _is_removable(self, session: GameSession, number: int) -> bool:
        """Returns whether a position is the unfinished end of a line that a person has made."""
        tree = session.tree
        is_own = not session.humans or session.is_human(tree.nodes[number].seat)
        return is_own and not tree.children(number) and tree.is_half(number)

    def go(self, session: GameSession, number: int) -> None:
        """Makes a position the current one; agents go on from there."""
        with self._changing(session) as tree:
            tree.go(number)

    def set_seats(self, session: GameSession, seats: list[str]) -> None:
        """Changes who plays, or how strong.

        Raises:
            ValueError: for a wrong number, or agents that are unknown or do not fit.
        """
        checked = self.checked_seats(seats)
        with self._changing(session):
            session.seats = checked
            self.searches.prepare(session)

    def let_stand_in(self, session: GameSession) -> None:
        """Lets the agent `STAND_IN` play for those that are not ready yet."""
        self.searches.check(STAND_IN)
        self.searches.let_stand_in(session, STAND_IN)

    def run(self, session: GameSession, runs: bool) -> None:
        """Lets agents move, or stops them."""
        with self._changing(session):
            session.runs = runs

    def analyse(self, session: GameSession, number: int, spec: str | None) -> None:
        """Begins the search of an agent in any position, by default of the analyst.

        Raises:
            ValueError: if the game is over there, or there is no such agent.
        """
        self.searches.analyse(session, number, self._checked_analyst(spec))

    def review(self, session: GameSession) -> None:
        """Begins the review of the current line by the analyst.

        Raises:
            ValueError: if there is no move yet, or the review would tell what is hidden.
        """
        self.prepare_rules()
        self.searches.review(session, self._checked_analyst(None))

    def retry(self, session: GameSession, number: int) -> None:
        """Lets a person play again from the position before a move, against the same opponents.

        The person takes the seat that made the move. Other seats keep their agents; those of other
        persons get the agent of a new game.

        Raises:
            ValueError: for the first position, or one that the game does not have.
        """
        with self._changing(session) as tree:
            tree.check(number)
            node = tree.nodes[number]
            if node.parent is None:
                raise ValueError("no move leads to the first position")
            opponent = next((spec for spec in self.seats if spec != HUMAN), self.analyst)
            session.seats = [
                HUMAN if seat == node.seat else opponent if spec == HUMAN else spec
                for seat, spec in enumerate(session.seats)
            ]
            session.runs = True
            tree.go(node.parent)
            self.searches.prepare(session)

    def _checked_analyst(self, spec: str | None) -> str:
        checked = self.allowance.check(spec or self.analyst)
        if checked == HUMAN:
            raise ValueError("choose an agent for hints, not a human")
        self.searches.check(checked)
        return checked
