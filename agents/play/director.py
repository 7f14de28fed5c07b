"""`Director`: what can be done with the games of a server, and the moves of agents in them."""

import collections
import contextlib
import functools
import secrets
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import jax

from agents.analyse.expected_points import expected_points, network_of
from agents.analyse.growing import Thinker, Thought
from agents.play import positions, saved_games, store
from agents.play.events import Events
from agents.play.game_tree import ROOT, GameTree
from agents.play.limits import HUMAN, Allowance
from agents.play.progress import Progress
from agents.play.session import Remembered, Search, Session
from agents.play.store import Store
from agents.play.thinkers import Thinkers
from agents.play.worker import Busy, Workers
from jaxgames.env import Env, State

MOST_OPEN = 32  # games in memory
PACE = 0.5  # seconds from one move to the next where agents play among themselves
QUICK = 0.4  # seconds; longer searches show how they grow
TOP = 5  # moves that are shown of a search
MOVES, ANALYSES = 0, 1  # separate the chance of agents' moves from that of analyses


class Director:
    """The games of a server. All methods are called from threads, never from the event loop."""

    def __init__(
        self,
        env: Env[Any],
        games: Store,
        allowance: Allowance,
        seats: list[str],
        analyst: str,
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
        self.events = Events()
        self.progress = Progress(lambda status: self.events.to_all("status", status))
        self._workers = Workers()
        self._thinkers = Thinkers(env, self.progress)
        self._open: collections.OrderedDict[str, Session] = collections.OrderedDict()
        # A game that has left `_open` is the same object for as long as a thread uses it.
        self._used: weakref.WeakValueDictionary[str, Session] = weakref.WeakValueDictionary()
        self._lock = threading.RLock()
        self._rules_lock = threading.Lock()
        self._are_rules_ready = False
        # Seconds of the last whole search of each agent.
        self._seconds: weakref.WeakKeyDictionary[Thinker, float] = weakref.WeakKeyDictionary()
        self.seats = self.checked_seats(seats)
        """Those who play a new game unless it says otherwise."""

    def prepare_rules(self) -> None:
        """Compiles what every game needs."""
        with self._rules_lock:
            if self._are_rules_ready:
                return
            with self.progress.step(f"rules of {self.env.id}"):
                state = positions.read(self.env, positions.start(self.env, 0))
                action = next(iter(self.env.legal_moves(state)))
                positions.completes_action(self.env, state, action)
                positions.points(self.env, state)
                positions.step(self.env, state, action, positions.new_key(self.env, 0, 1))
            self._are_rules_ready = True

    def prepare_agents(self, session: Session) -> None:
        """Compiles the agents of a game in the background."""
        with session.lock:
            specs = list(dict.fromkeys(spec for spec in session.seats if spec != HUMAN))
            state = session.tree.state(session.tree.current)
            if state.terminated or state.truncated:
                return

        for spec in specs:
            # Where too many searches wait, the agent is compiled by its own first search.
            with contextlib.suppress(Busy):
                self._workers.submit(functools.partial(self._prepare, session, spec, state))

    def _prepare(self, session: Session, spec: str, state: State[Any]) -> None:
        try:
            self._thinkers.get(spec, state)
        except ValueError as error:
            with session.lock:
                if spec in session.seats:
                    session.runs = False
                    self._report(session, f"{spec}: {error}")

    def new_game(
        self,
        seats: list[str] | None = None,
        position: str | None = None,
        seed: int | None = None,
    ) -> Session:
        """Begins a game.

        Raises:
            ValueError: for unknown agents, or a malformed position.
        """
        chosen = self.checked_seats(self.seats if seats is None else seats)
        self.prepare_rules()
        seed = secrets.randbits(31) if seed is None else seed
        if position is None:
            position = positions.start(self.env, seed)
        tree = GameTree(self.env, seed, position)
        session = Session(self.store.new_id(), tree, chosen, store.now())
        self.adopt(session)
        return session

    def load_record(self, text: str, seats: list[str] | None) -> Session:
        """Begins a game with the moves of a record.

        Args:
            text: the content of a file of records; only its first game is read.
            seats: those who go on with it; None: as the record says.

        Raises:
            ValueError: for a damaged record or one of another game, an illegal move, or agents that
                are unknown or do not fit.
        """
        record = saved_games.first_record(text, self.env)
        chosen = self.checked_seats(saved_games.seats_of(record) if seats is None else seats)
        self.prepare_rules()
        tree = saved_games.play(self.env, record, secrets.randbits(31))
        session = Session(self.store.new_id(), tree, chosen, store.now(), runs=False)
        self.adopt(session)
        return session

    def adopt(self, session: Session) -> None:
        """Saves a new game and lets its agents move."""
        with session.lock:
            self.store.save(session)
        self._keep_open(session)
        self.wake(session)

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
                self._thinkers.check(spec)
        return checked

    def session(self, name: str) -> Session:
        """Returns a game, from memory or from its file.

        Raises:
            UnknownGame: if there is none of this name.
            ValueError: if its file is damaged.
        """
        with self._lock:
            found = self._used.get(name)
        if found is not None:
            self._keep_open(found)
            return found
        self.prepare_rules()
        loaded = self.store.load(name)
        with self._lock:
            # Another thread may have read it meanwhile: all must use one object.
            session = self._used.setdefault(name, loaded)
        self._keep_open(session)
        self.wake(session)
        return session

    def _keep_open(self, session: Session) -> None:
        with self._lock:
            self._open[session.id] = self._used[session.id] = session
            self._open.move_to_end(session.id)
            for name, other in list(self._open.items()):
                if len(self._open) <= MOST_OPEN:
                    return
                is_busy = other.move_search or other.analysis or self.events.watchers(name)
                if not is_busy and other is not session:
                    del self._open[name]

    def delete(self, session: Session) -> None:
        """Removes a game and its file."""
        with session.lock:
            session.move_search = session.analysis = None
            session.runs = False
            session.is_deleted = True
            self.store.delete(session.id)
        with self._lock:
            self._open.pop(session.id, None)
            self._used.pop(session.id, None)
        self.events.to_game(session.id, "game", {"deleted": True})

    def play(
        self, session: Session, number: int, action: int | None, move: str | None
    ) -> tuple[int, bool]:
        """Makes the move of a person, by its number or its text; from any position of the game.

        Returns:
            The new position, and whether an agent moves next.

        Raises:
            ValueError: if no person is to move there, or the move is not legal.
        """
        tree = session.tree
        with session.lock:
            tree.check(number)
            if tree.is_over(number):
                raise ValueError("the game is over")
            if not session.is_human(tree.seat(number)):
                raise ValueError("an agent plays this seat; make it human to play yourself")
            if action is None:
                action = tree.find_move(number, move or "")
            after = tree.play(number, action)
            is_agents_turn = not (tree.is_over(after) or session.is_human(tree.seat(after)))
            self._changed(session)
        self.wake(session)
        return after, is_agents_turn and session.runs

    def back(self, session: Session) -> None:
        """Takes back moves up to the last decision of a person, or one move where none plays.

        The first half of a person's action is removed; everything else can be repeated by
        `forward`.
        """
        tree = session.tree
        with session.lock:
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
            self._changed(session)
        self.wake(session)

    def forward(self, session: Session) -> None:
        """Repeats the moves that were taken back, up to the next decision of a person."""
        tree = session.tree
        with session.lock:
            target = tree.favourite(tree.current)
            if target is None:
                raise ValueError("there is no move to repeat")
            while not self._stops_at(session, target):
                after = tree.favourite(target)
                if after is None:
                    break
                target = after
            tree.go(target)
            self._changed(session)
        self.wake(session)

    def _stops_at(self, session: Session, number: int) -> bool:
        """Returns whether a person decides in a position, on a whole action."""
        if not session.humans:
            return True
        is_own = session.is_human(session.tree.seat(number))
        return is_own and not self.is_half(session, number)

    def _is_removable(self, session: Session, number: int) -> bool:
        """Returns whether a position is the unfinished end of a line that a person has made."""
        tree = session.tree
        is_own = not session.humans or session.is_human(tree.nodes[number].seat)
        return is_own and not tree.children(number) and self.is_half(session, number)

    def is_half(self, session: Session, number: int) -> bool:
        """Returns whether the move that led to a position was but a part of an action."""
        tree = session.tree
        if number == ROOT:
            return False
        node = tree.nodes[number]
        return not positions.completes_action(self.env, tree.state(node.parent), node.action)

    def go(self, session: Session, number: int) -> None:
        """Makes a position the current one; agents go on from there."""
        with session.lock:
            session.tree.go(number)
            self._changed(session)
        self.wake(session)

    def set_seats(self, session: Session, seats: list[str]) -> None:
        """Changes who plays, or how strong.

        Raises:
            ValueError: for a wrong number, or agents that are unknown or do not fit.
        """
        checked = self.checked_seats(seats)
        with session.lock:
            session.seats = checked
            self._changed(session)
        self.prepare_agents(session)
        self.wake(session)

    def run(self, session: Session, runs: bool) -> None:
        """Lets agents move, or stops them."""
        with session.lock:
            session.runs = runs
            self._changed(session)
        self.wake(session)

    def _changed(self, session: Session) -> None:
        """Saves a game and tells its pages; hold its lock.

        Raises:
            UnknownGame: if it has been deleted: its file must not come back.
            OSError: if it cannot be saved; it goes on in memory.
        """
        if session.is_deleted:
            raise store.UnknownGame(f"there is no game {session.id}")
        running = session.move_search
        if running is not None and (running.number, running.spec) != self._agents_turn(session):
            session.move_search = None
        try:
            self.store.save(session)
        except OSError as error:
            self._report(session, f"the game cannot be saved: {error.strerror}")
            raise
        self._report(session, None)

    def _report(self, session: Session, error: str | None) -> None:
        """Tells the pages of a game that it has changed, or what is wrong; hold its lock."""
        session.error = error
        session.version += 1
        event = {"version": session.version, "current": session.tree.current}
        self.events.to_game(session.id, "game", event)

    def _agents_turn(self, session: Session) -> tuple[int, str] | None:
        """Returns the current position and the agent that is to move there; None if none is."""
        tree = session.tree
        if not session.runs or tree.is_over(tree.current):
            return None
        spec = session.seats[tree.seat(tree.current)]
        return None if spec == HUMAN else (tree.current, spec)

    def wake(self, session: Session) -> None:
        """Lets the agent that is to move begin its search."""
        with session.lock:
            turn = self._agents_turn(session)
            if turn is None or not (session.humans or self.events.watchers(session.id)):
                session.move_search = None
                return
            running = session.move_search
            if running and (running.number, running.spec) == turn:
                return
            session.move_search = search = Search(*turn)
        self._submit(session, search, lambda: self._decide(session, search))

    def _submit(self, session: Session, search: Search, job: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                job()
            except (ValueError, OSError) as error:
                self._fail(session, search, f"{search.spec}: {error}")
            except Exception:
                self._fail(
                    session, search, f"{search.spec}: the log of the server says what failed"
                )
                raise

        try:
            self._workers.submit(guarded)
        except Busy as error:
            self._fail(session, search, str(error))

    def _fail(self, session: Session, search: Search, message: str) -> None:
        """Ends a search that has failed, unless it has been ended before."""
        with session.lock:
            if session.move_search is search:
                session.move_search = None
                session.runs = False
            elif session.analysis is search:
                session.analysis = None
            else:
                return
            self._report(session, message)

    def _decide(self, session: Session, search: Search) -> None:
        """Searches for the move of an agent, and makes it."""
        tree = session.tree
        with session.lock:
            if session.move_search is not search:
                return
            state, seat = tree.state(search.number), tree.seat(search.number)
            memory = session.remembered(seat, search.number)
        thinker = self._thinkers.get(search.spec, state)
        patience = 1.0 if self._seconds.get(thinker, 0.0) < QUICK else 0.0
        begin = time.monotonic()
        thought = self._follow(
            session, search, thinker, state, memory, patience, lambda: session.move_search is search
        )
        if thought is None:
            return
        self._seconds[thinker] = time.monotonic() - begin
        with session.lock:
            if session.move_search is not search:
                return
            analysis = thought.analysis
            tree.set_values(search.number, analysis.values)
            tree.play(search.number, analysis.action, analysis.move)
            session.memories[seat] = Remembered(search.spec, search.number, thought.memory)
            self._changed(session)
        if session.humans:
            self.wake(session)
            return
        pause = threading.Timer(max(0.0, PACE - (time.monotonic() - begin)), self.wake, [session])
        pause.daemon = True
        pause.start()

    def analyse(self, session: Session, number: int, spec: str) -> None:
        """Begins the search of an agent in any position, for pages to watch.

        Raises:
            ValueError: if the game is over there, or there is no such agent.
        """
        spec = self._checked_analyst(spec)
        with session.lock:
            session.tree.check(number)
            if session.tree.is_over(number):
                raise ValueError("the game is over, there is nothing to analyse")
            session.analysis = search = Search(number, spec)
            self._report(session, None)
        self._submit(session, search, lambda: self._analyse(session, search))

    def _checked_analyst(self, spec: str) -> str:
        spec = self.allowance.check(spec)
        if spec == HUMAN:
            raise ValueError("choose an agent for hints, not a human")
        self._thinkers.check(spec)
        return spec

    def stop_analysis(self, session: Session) -> None:
        """Ends the search that a page has asked for."""
        with session.lock:
            if session.analysis is not None:
                session.analysis = None
                self._report(session, session.error)

    def _analyse(self, session: Session, search: Search) -> None:
        state = self._state_for(session, search)
        if state is None:
            return
        thinker = self._thinkers.get(search.spec, state)
        thought = self._follow(
            session, search, thinker, state, None, 0.0, lambda: session.analysis is search
        )
        with session.lock:
            if thought is not None and session.analysis is search:
                session.tree.set_values(search.number, thought.analysis.values)
                session.analysis = None
                self._changed(session)

    def fill_graph(self, session: Session, spec: str) -> None:
        """Begins searches in all positions of the line that have no values yet, last ones first.

        Raises:
            ValueError: if there is no such agent.
        """
        spec = self._checked_analyst(spec)
        with session.lock:
            tree = session.tree
            numbers = [
                number
                for number in reversed(tree.line(tree.current))
                if tree.values(number) is None and not tree.is_over(number)
            ]
            if not numbers:
                return
            session.analysis = search = Search(numbers[0], spec)
            self._report(session, None)
        self._submit(session, search, lambda: self._fill(session, search, numbers))

    def _fill(self, session: Session, search: Search, numbers: list[int]) -> None:
        for number in numbers:
            search.number = number
            state = self._state_for(session, search)
            if state is None:
                continue
            thinker = self._thinkers.get(search.spec, state)
            for thought in thinker.think(state, thinker.reset(), self._key(session, search), TOP):
                with session.lock:
                    if session.analysis is not search:
                        return
                    session.tree.set_values(number, thought.analysis.values)
                    self._changed(session)
        with session.lock:
            if session.analysis is search:
                session.analysis = None
                self._report(session, None)

    def _state_for(self, session: Session, search: Search) -> State[Any] | None:
        """Returns the position of an analysis; None if one of both is gone."""
        with session.lock:
            if session.analysis is not search or not session.tree.has(search.number):
                return None
            return session.tree.state(search.number)

    def _key(self, session: Session, search: Search) -> Any:
        purpose = ANALYSES if search is session.analysis else MOVES
        key = jax.random.fold_in(jax.random.key(session.tree.seed), purpose)
        return jax.random.fold_in(key, search.number)

    def _follow(
        self,
        session: Session,
        search: Search,
        thinker: Thinker,
        state: State[Any],
        memory: Any,
        patience: float,
        goes_on: Callable[[], bool],
    ) -> Thought | None:
        """Tells the pages what an agent finds; returns the last thought, None if it was ended."""
        from agents.play import views

        paths = self.env.click_paths(state)
        if memory is None:
            memory = thinker.reset()
        key = self._key(session, search)
        last = None
        for thought in thinker.think(state, memory, key, TOP, patience):
            if not goes_on():
                return None
            last = thought
            event = views.thoughts(search, thought, paths, self._points(thinker, state, thought))
            pages = self.events.watchers(session.id)
            with session.lock:
                if not goes_on():  # its position may be gone, too
                    return None
                seats = [session.viewpoint(page.seat, search.number) for page in pages]
            for page, seat in zip(pages, seats, strict=True):
                if seat is None or seat == thought.analysis.seat:
                    page.put("thoughts", event)
        return last

    def _points(self, thinker: Thinker, state: Any, thought: Thought) -> list[float] | None:
        """Returns the final points that an agent expects after the move that it decides for."""
        if not thought.is_final or network_of(thinker.player) is None:
            return None
        analysis = thought.analysis
        key = positions.new_key(self.env, 0, 0)
        after = positions.step(self.env, state, analysis.action, key)
        if after.terminated or after.truncated:
            return None
        points = expected_points(thinker.player, after.game, analysis.seat)
        return None if points is None else [round(point, 1) for point in points]
