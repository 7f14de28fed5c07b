"""`Searches`: the searches of agents in the games of a server: for moves, hints and reviews."""

import contextlib
import functools
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import jax

from agents.play.engine import thoughts
from agents.play.engine.alternatives import expected_after, with_alternatives
from agents.play.engine.compiled_agents import CompiledAgents
from agents.play.engine.preparation import Preparation
from agents.play.engine.reviews import Reviews
from agents.play.engine.thinker import Thinker, Thought
from agents.play.engine.workers import Busy, Workers
from agents.play.session.changes import Changes
from agents.play.session.session import HUMAN, GameSession, Remembered, Search
from jaxgames.analysis.afterstate_values import Expectation, network_of, unit_of
from jaxgames.env import Env
from jaxgames.state import State

PACE = 0.5  # seconds from one move to the next where agents play among themselves
LONGEST_PONDERING = 60.0  # seconds, for a person who has left a page open
QUICK = 0.4  # seconds; longer searches show how they grow
TOP = 5  # moves that are shown of a search
MOVES, ANALYSES = 0, 1  # separate the chance of agents' moves from that of analyses


class Searches:
    """The searches in the games of one environment; they run in the threads of `workers`."""

    def __init__(
        self, env: Env[Any], changes: Changes, preparation: Preparation, workers: Workers
    ) -> None:
        self._env = env
        self._changes = changes
        self._events = changes.events
        self._workers = workers
        self._thinkers = CompiledAgents(env, preparation)
        self._reviews = Reviews(env, preparation)
        # Seconds of the last whole search of each agent.
        self._seconds: weakref.WeakKeyDictionary[Thinker, float] = weakref.WeakKeyDictionary()

    def check(self, spec: str) -> None:
        """Raises a `ValueError` if there is no such agent for this game."""
        self._thinkers.check(spec)

    def prepare(self, session: GameSession, *others: str) -> None:
        """Compiles the agents of a game in the background, and then other agents."""
        with session.lock:
            specs = list(dict.fromkeys(x for x in (*session.seats, *others) if x != HUMAN))
            state = session.tree.state(session.tree.current)
            if state.terminated or state.truncated:
                return

        def prepare_all() -> None:  # one after the other, in the order in which they are needed
            for spec in specs:
                self._prepare(session, spec, state)

        # Where too many searches wait, the agents are compiled by their own first searches.
        with contextlib.suppress(Busy):
            self._workers.submit(prepare_all)

    def _prepare(self, session: GameSession, spec: str, state: State[Any]) -> None:
        try:
            self._thinkers.get(spec, state)
        except ValueError as error:
            with session.lock:
                if spec in session.seats:
                    session.runs = False
                    self._changes.tell(session, f"{spec}: {error}")

    def wake(self, session: GameSession) -> None:
        """Lets the agent that is to move begin its search."""
        with session.lock:
            turn = session.agents_turn()
            if turn is None or not (session.humans or self._events.watchers(session.id)):
                session.move_search = None
                self._let_ponder(session)
                return
            session.pondering = None
            running = session.move_search
            if running and (running.number, running.spec) == turn:
                return
            session.move_search = search = Search(*turn)
            if session.stand_in and not self._thinkers.is_ready(search.spec):
                search.player = session.stand_in
        self._submit(session, search, lambda: self._decide(session, search))

    def _let_ponder(self, session: GameSession) -> None:
        """Lets the agent that waits for a person ponder if it is to; hold the lock of the game."""
        turn, running = session.turn_to_ponder(), session.pondering
        if turn is None or not self._thinkers.may_ponder(turn[1]):
            session.pondering = None
        elif running is None or (running.number, running.spec) != turn:
            session.pondering = search = Search(*turn)
            with contextlib.suppress(Busy):
                self._workers.submit(lambda: self._ponder(session, search))

    def _ponder(self, session: GameSession, search: Search) -> None:
        """Searches the position of a person until the person moves."""
        with session.ponder_lock:
            with session.lock:
                if session.pondering is not search:
                    return
                state, seat = session.tree.state(search.number), session.seats.index(search.spec)
                memory = session.remembered(seat, search.number)
            thinker = self._thinkers.get(search.spec, state)
            if memory is None:
                memory = thinker.reset()
            end = time.monotonic() + LONGEST_PONDERING

            def is_stopped() -> bool:
                is_late = time.monotonic() > end
                return session.pondering is not search or self._workers.is_full or is_late

            key = self._key(session, search)
            memory = thinker.ponder(state, memory, key, is_stopped)
            with session.lock:
                session.memories[seat] = Remembered(search.spec, search.number, memory)

    def let_stand_in(self, session: GameSession, spec: str) -> None:
        """Lets a checked agent play for those that are being prepared, until they are ready."""
        with session.lock:
            session.stand_in = spec
            session.move_search = None
            self._changes.tell(session, None)
        self.wake(session)

    def _submit(self, session: GameSession, search: Search, job: Callable[[], None]) -> None:
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

    def _fail(self, session: GameSession, search: Search, message: str) -> None:
        """Ends a search that has failed, unless it has been ended before."""
        with session.lock:
            if session.move_search is search:
                session.move_search = None
                session.runs = False
            elif session.analysis is search:
                session.analysis = None
            else:
                return
            self._changes.tell(session, message)

    def _decide(self, session: GameSession, search: Search) -> None:
        """Searches for the move of an agent, and makes it."""
        tree = session.tree
        with session.ponder_lock:  # the last piece of a pondering ends, and its memory is kept
            pass
        with session.lock:
            if session.move_search is not search:
                return
            state, seat = tree.state(search.number), tree.seat(search.number)
            memory = session.remembered(seat, search.number, search.player)
        thinker = self._thinkers.get(search.player, state)
        patience = 1.0 if self._seconds.get(thinker, 0.0) < QUICK else 0.0
        begin = time.monotonic()
        thought = self._follow(session, search, thinker, state, memory, patience)
        if thought is None:
            return
        self._seconds[thinker] = time.monotonic() - begin
        with session.lock:
            if session.move_search is not search:
                return
            analysis = thought.analysis
            tree.set_values(search.number, analysis.values)
            after = tree.play(search.number, analysis.action, analysis.move)
            session.memories[seat] = Remembered(search.player, after, thought.memory)
            self._changes.keep(session)
        if session.humans:
            self.wake(session)
            return
        pause = threading.Timer(max(0.0, PACE - (time.monotonic() - begin)), self.wake, [session])
        pause.daemon = True
        pause.start()

    def analyse(self, session: GameSession, number: int, spec: str) -> None:
        """Begins the search of a checked agent in any position, for pages to watch.

        Raises:
            ValueError: if the game is over there.
        """
        with session.lock:
            session.tree.check(number)
            if session.tree.is_over(number):
                raise ValueError("the game is over, there is nothing to analyse")
            session.analysis = search = Search(number, spec)
            self._changes.tell(session, None)
        self._submit(session, search, lambda: self._analyse(session, search))

    def stop(self, session: GameSession) -> None:
        """Ends the search that a page has asked for."""
        with session.lock:
            if session.analysis is not None:
                session.analysis = None
                self._changes.tell(session, session.error)

    def _analyse(self, session: GameSession, search: Search) -> None:
        state = self._state_for(session, search)
        if state is None:
            return
        thinker = self._thinkers.get(search.spec, state)
        thought = self._follow(session, search, thinker, state)
        with session.lock:
            if thought is not None and session.analysis is search:
                session.tree.set_values(search.number, thought.analysis.values)
                session.analysis = None
                self._changes.keep(session)

    def review(self, session: GameSession, spec: str) -> None:
        """Begins the review of the current line by a checked agent, for pages to watch.

        Raises:
            ValueError: if there is no move yet, or the review would tell what is hidden.
        """
        with session.lock:
            tree = session.tree
            if session.viewpoint(None, tree.current) is not None:
                raise ValueError("a review tells what is hidden; ask again when the game is over")
            numbers = tree.line(tree.current)
            if len(numbers) == 1:
                raise ValueError("there is no move to review yet")
            session.analysis = search = Search(numbers[0], spec)
            self._changes.tell(session, None)
        self._submit(session, search, lambda: self._review(session, search, numbers))

    def _review(self, session: GameSession, search: Search, numbers: list[int]) -> None:
        def tell(done: int, total: int) -> None:
            self._events.to_game(session.id, "review", {"done": done, "total": total})

        state = self._state_for(session, search)
        if state is not None:
            player = self._thinkers.get(search.spec, state).player
            is_finished = self._reviews.review(session, search, player, numbers, tell)
            with session.lock:
                if session.analysis is search:
                    session.analysis = None
                    if is_finished:
                        self._changes.keep(session)
                    else:
                        self._changes.tell(session, None)

    def _state_for(self, session: GameSession, search: Search) -> State[Any] | None:
        """Returns the position of an analysis; None if one of both is gone."""
        with session.lock:
            if session.analysis is not search or search.number not in session.tree.nodes:
                return None
            return session.tree.state(search.number)

    def _key(self, session: GameSession, search: Search) -> Any:
        purpose = ANALYSES if search is session.analysis else MOVES
        key = jax.random.fold_in(jax.random.key(session.tree.seed), purpose)
        return jax.random.fold_in(key, search.number)

    def _follow(
        self,
        session: GameSession,
        search: Search,
        thinker: Thinker,
        state: State[Any],
        memory: Any = None,
        patience: float = 0.0,
    ) -> Thought | None:
        """Tells the pages what an agent finds; returns the last thought, None if it was ended."""
        paths = self._env.click_paths(state)
        in_words = functools.partial(self._env.in_words, chapter=self._env.chapter(state))
        if memory is None:
            memory = thinker.reset()
        key = self._key(session, search)
        last = None
        for thought in thinker.think(state, memory, key, TOP, patience):
            if not session.has_search(search):
                return None
            last = thought
            shown, judged = thought, dict[int, Expectation]()
            if thought.is_final:
                shown, judged = self._judge(session, search, thinker, state, thought)
            event = thoughts.document(
                search.number,
                search.player,
                shown,
                paths,
                in_words,
                judged,
                unit_of(thinker.player),
            )
            pages = self._events.watchers(session.id)
            with session.lock:
                if not session.has_search(search):  # its position may be gone, too
                    return None
                seats = [session.viewpoint(page.seat, search.number) for page in pages]
            for page, seat in zip(pages, seats, strict=True):
                if seat is None or seat == thought.analysis.seat:
                    page.put("thoughts", event)
        return last

    def _judge(
        self,
        session: GameSession,
        search: Search,
        thinker: Thinker,
        state: State[Any],
        thought: Thought,
    ) -> tuple[Thought, dict[int, Expectation]]:
        """Returns what a learned player expects after moves: after its own, or those of a hint."""
        player, analysis = thinker.player, thought.analysis
        key = self._key(session, search)
        if network_of(player) is None:
            return thought, {}
        if search is not session.analysis:
            only = [analysis.action]
            return thought, expected_after(self._env, player, state, only, key)
        analysis, judged = with_alternatives(self._env, player, state, analysis, TOP, key)
        return thought._replace(analysis=analysis), judged
