"""`OpenGames`: the games of an environment that are in memory, each as one object."""

import collections
import threading
import weakref

from agents.play.session.events import Events
from agents.play.session.session import GameSession
from agents.play.session.store import Store

MOST_OPEN = 32  # games in memory


class OpenGames:
    """The games that were used last; safe with many threads."""

    def __init__(self, games: Store, events: Events) -> None:
        self._store = games
        self._events = events
        self._open: collections.OrderedDict[str, GameSession] = collections.OrderedDict()
        # A game that has left `_open` is the same object for as long as a thread uses it.
        self._used: weakref.WeakValueDictionary[str, GameSession] = weakref.WeakValueDictionary()
        self._lock = threading.RLock()

    def __contains__(self, name: object) -> bool:
        """Returns whether a game of this name is in use."""
        with self._lock:
            return name in self._used

    @property
    def is_idle(self) -> bool:
        """Whether no page shows one of the games, and no search runs in one."""
        with self._lock:
            return not any(map(self._is_busy, self._used.values()))

    def _is_busy(self, session: GameSession) -> bool:
        return bool(session.move_search or session.analysis or self._events.watchers(session.id))

    def find(self, name: str) -> GameSession | None:
        """Returns a game if it is in memory, which it then stays."""
        with self._lock:
            found = self._used.get(name)
        if found is not None:
            self.keep(found)
        return found

    def load(self, name: str) -> GameSession:
        """Returns a game from its file.

        Raises:
            UnknownGame: if there is none of this name.
            ValueError: if its file is damaged.
        """
        loaded = self._store.load(name)
        with self._lock:
            # Another thread may have read it meanwhile: all must use one object.
            session = self._used.setdefault(name, loaded)
        self.keep(session)
        return session

    def keep(self, session: GameSession) -> None:
        """Keeps a game in memory, and forgets the one that nobody has used for longest."""
        with self._lock:
            self._open[session.id] = self._used[session.id] = session
            self._open.move_to_end(session.id)
            for name, other in list(self._open.items()):
                if len(self._open) <= MOST_OPEN:
                    return
                if other is not session and not self._is_busy(other):
                    del self._open[name]

    def forget(self, session: GameSession) -> None:
        """Removes a game from memory."""
        with self._lock:
            self._open.pop(session.id, None)
            self._used.pop(session.id, None)
