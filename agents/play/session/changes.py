"""`Changes`: every change of a game is saved, and told to its pages."""

from agents.play.session.events import Events
from agents.play.session.session import GameSession
from agents.play.session.store import Store, UnknownGame


class Changes:
    """Saves games and tells of them."""

    def __init__(self, games: Store, events: Events) -> None:
        self._store = games
        self.events = events

    def keep(self, session: GameSession) -> None:
        """Saves a game and tells its pages; hold its lock.

        Raises:
            UnknownGame: if it has been deleted: its file must not come back.
            OSError: if it cannot be saved; it goes on in memory.
        """
        if session.is_deleted:
            raise UnknownGame(f"there is no game {session.id}")
        running = session.move_search
        if running is not None and (running.number, running.spec) != session.agents_turn():
            session.move_search = None
        pondering = session.pondering
        if pondering is not None and (pondering.number, pondering.spec) != session.turn_to_ponder():
            session.pondering = None
        try:
            self._store.save(session)
        except OSError as error:
            self.tell(session, f"the game cannot be saved: {error.strerror}")
            raise
        self.tell(session, None)

    def tell(self, session: GameSession, error: str | None) -> None:
        """Tells the pages of a game that it has changed, or what is wrong; hold its lock."""
        session.error = error
        session.version += 1
        event = {"version": session.version, "current": session.tree.current}
        self.events.to_game(session.id, "game", event)
