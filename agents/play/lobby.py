"""`Lobby`: all that a server plays; one `Director` an environment, made when first needed."""

import collections
import pathlib
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jaxgames
from agents.play import foreign_games, seating
from agents.play.director import Director, Shared
from agents.play.engine.limits import Allowance
from agents.play.foreign_games import ForeignGame
from agents.play.session import store
from agents.play.session.session import GameSession
from agents.play.session.store import Store
from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.players import registry, spec
from jaxgames.registry import has_pictures

MOST_OPEN = 8  # environments whose agents are kept compiled
MOST_MADE = 64  # environments of a process: programs that draw their boards stay in memory
REST = 60.0  # seconds without a request, after which an environment gives way to another

Options = Mapping[str, str]


class Lobby:
    """The environments of a server. All methods are called from threads."""

    def __init__(
        self,
        folder_of: Callable[[str], pathlib.Path],
        game: str | None = None,
        options: str = "",
        seats: Sequence[str] = (),
    ) -> None:
        """Checks the game of the command line, if there is one.

        Args:
            folder_of: returns the folder in which the games of an id are kept.
            game: the id of the game that a page begins by itself.
            options: its options, as the command line writes them.
            seats: who plays it: a spec for each seat, or none.

        Raises:
            ValueError: for an unknown game, option or agent.
        """
        self.folder_of = folder_of
        self.game = game
        """The id of the game that a page begins by itself; None: people choose."""
        self.options: Options = spec.parse_fields(options)
        """The options of this game."""
        self.shared = Shared.begin()
        self._given_seats = tuple(seats)
        self._open: collections.OrderedDict[Env[Any], Director] = collections.OrderedDict()
        # A director that has left `_open` is the same object for as long as a thread uses it.
        self._used: weakref.WeakValueDictionary[Env[Any], Director] = weakref.WeakValueDictionary()
        self._times: dict[Env[Any], float] = {}  # of the last request
        self._made: set[Env[Any]] = set()
        self._lock = threading.Lock()
        self._first = None if game is None else registry.make_env(game, options)
        if self._first is not None:
            self.director(self._first)

    @property
    def games(self) -> dict[str, str]:
        """One line about each game that can be played on a page, by its id."""
        return {game: line for game, line in jaxgames.summaries().items() if has_pictures(game)}

    def environment(self, game: str | None, options: Options | None) -> Env[Any]:
        """Returns the environment that a page asks for.

        Args:
            game: the id of the game; None: that of the command line.
            options: its options as text; None: those of the command line, if it is its game.

        Raises:
            ValueError: for an unknown game or option, or a value that does not fit.
        """
        game = self.game if game is None else game
        if game is None:
            raise ValueError("game: expected the id of a game, the field is missing")
        if game not in self.games:
            raise ValueError(unknown("game", game[:50], self.games))
        if options is None:
            options = self.options if game == self.game else {}
        rules = type(jaxgames.make(game).rules)
        return jaxgames.make(game, **spec.arguments(spec.Spec(game, options), rules))

    def recognise(
        self, text: str, file: str, game: str | None, options: Options | None
    ) -> ForeignGame:
        """Returns what a file or a text is that a page has sent: a `ForeignGame`.

        Args:
            text: the content.
            file: the name of the file; empty for a pasted text.
            game: the id of the game that the page shows; it decides where several fit.
            options: the options of that game.

        Raises:
            ValueError: if it cannot be read, or for an unknown game or option.
        """
        shown = None if game is None else self.environment(game, options)
        return foreign_games.recognise(text, file, self.games, shown)

    def director(self, env: Env[Any]) -> Director:
        """Returns the director of an environment.

        Raises:
            ValueError: if there are too many others.
        """
        with self._lock:
            found = self._used.get(env)
            if found is None:
                self._make_room(env)
                found = self._begin(env)
            self._open[env] = self._used[env] = found
            self._open.move_to_end(env)
            self._times[env] = time.monotonic()
            return found

    def _make_room(self, env: Env[Any]) -> None:
        now = time.monotonic()
        for other in list(self._open):
            if len(self._open) < MOST_OPEN:
                break
            if now - self._times[other] > REST and self._open[other].games.is_idle:
                del self._open[other], self._times[other]
        if len(self._open) >= MOST_OPEN:
            raise ValueError(
                f"{MOST_OPEN} games with different options are open, and no more fit; "
                f"close a page, and try again after {REST:.0f} seconds"
            )
        if len(self._made | {env}) > MOST_MADE:
            raise ValueError(
                f"this server has begun games with {MOST_MADE} different sets of options, the most "
                "that fit in its memory; start it again"
            )

    def _begin(self, env: Env[Any]) -> Director:
        analyst = seating.analyst(env)
        is_first = env == self._first
        seats = seating.seats(env, self._given_seats if is_first else ())
        # Whoever starts the server trusts its agents, with whatever options the game is played.
        given = self._given_seats if env.id == self.game else ()
        allowance = Allowance([*given, *seats, analyst])
        games = Store(self.folder_of(env.id), env)
        director = Director(env, games, allowance, seats, analyst, self.shared)
        self._made.add(env)
        return director

    def session(self, name: str) -> tuple[Director, GameSession]:
        """Returns a game and the director of its environment.

        Raises:
            UnknownGame: if there is none of this name.
            ValueError: if its file is damaged, or too many environments are open.
        """
        game = store.game_of(name)
        if game not in self.games:
            raise store.UnknownGame(f"there is no game {name}")
        with self._lock:
            fitting = [director for env, director in self._used.items() if env.id == game]
        for director in fitting:
            if name in director.games:
                break
        else:
            director = self.director(store.environment_of(self.folder_of(game), name))
        self.director(director.env)  # it has been used now
        return director, director.session(name)

    def summaries(self, most: int) -> list[store.Summary]:
        """Returns the newest games, of all environments."""
        return store.summaries(map(self.folder_of, self.games), self.games, most)
