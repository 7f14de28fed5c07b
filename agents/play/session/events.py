"""Events for pages: each subscriber gets the newest event of every kind that it has not read."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

Event = dict[str, Any]
MOST_SUBSCRIBERS = 256


class Subscriber:
    """A page that listens; belongs to one event loop."""

    def __init__(self, game: str | None, seat: int | None, loop: asyncio.AbstractEventLoop) -> None:
        self.game = game
        self.seat = seat
        """The seat as which the page asks to see the game."""
        self._loop = loop
        self._pending: dict[str, Event] = {}
        self._lock = threading.Lock()
        self._has_some = asyncio.Event()

    def put(self, kind: str, event: Event) -> None:
        """Adds an event, from any thread; an unread one of the same kind is dropped."""
        with self._lock:
            self._pending[kind] = event
        # The loop is closed once the server has stopped.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._has_some.set)

    async def take(self) -> list[tuple[str, Event]]:
        """Waits for events, and returns them with their kinds."""
        await self._has_some.wait()
        self._has_some.clear()
        with self._lock:
            pending, self._pending = self._pending, {}
        return list(pending.items())


class Events:
    """All subscribers."""

    def __init__(self) -> None:
        self._subscribers: set[Subscriber] = set()
        self._lock = threading.Lock()

    def subscribe(self, subscriber: Subscriber) -> None:
        """Adds a subscriber.

        Raises:
            ValueError: if there are too many.
        """
        with self._lock:
            if len(self._subscribers) >= MOST_SUBSCRIBERS:
                raise ValueError(f"at most {MOST_SUBSCRIBERS} pages can be open")
            self._subscribers.add(subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Removes a subscriber."""
        with self._lock:
            self._subscribers.discard(subscriber)

    def watchers(self, game: str) -> list[Subscriber]:
        """Returns the subscribers of a game."""
        with self._lock:
            return [subscriber for subscriber in self._subscribers if subscriber.game == game]

    def to_game(self, game: str, kind: str, event: Event) -> None:
        """Sends an event to all pages that show a game."""
        for subscriber in self.watchers(game):
            subscriber.put(kind, event)

    def to_all(self, kind: str, event: Event) -> None:
        """Sends an event to all pages."""
        for subscriber in self._everybody():
            subscriber.put(kind, event)

    def _everybody(self) -> Iterator[Subscriber]:
        with self._lock:
            return iter(list(self._subscribers))
