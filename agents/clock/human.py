"""A person who plays against the clock."""

import math
from typing import Any, ClassVar

import jax

from agents.clock.player import TimedChoice
from agents.clock.policy import MovePlan
from agents.terminal import asking
from agents.terminal.console import Console
from agents.terminal.human import make_human
from jaxgames.env import Env
from jaxgames.players.opening_book.book import Book

_NO_SEARCH = MovePlan(0, math.inf)


class ClockedHuman:
    """Asks the person at the terminal for each move, and says how much time is left."""

    book: Book | None = None
    is_person: ClassVar[bool] = True

    def __init__(self, env: Env[Any], name: str, console: Console | None = None) -> None:
        make_human(env)  # checks the game
        self.name = name
        self._env = env
        self._console = console or Console()

    def new_game(self) -> None:
        """Does nothing: people remember by themselves."""

    def warm_up(self, game: Any) -> None:
        """Compiles what shows a position, so that the clock of no move runs meanwhile."""
        state = self._env.wrap(game)
        self._env.legal_moves(state)
        if self._env.text_boards is not None:
            self._env.text_board(state)

    def pondering(self, game: Any) -> None:
        """Returns None: a person thinks without this program."""
        del game

    def act(self, game: Any, remaining: float) -> TimedChoice:
        """Returns the move of the person.

        Raises:
            Left: if the person quits, or the input is over.
        """
        state = jax.device_get(self._env.wrap(game))
        note = f"{remaining:.0f} seconds left"
        action = asking.ask_move(self._env, state, self._console, self.name, note=note)
        assert isinstance(action, int)  # no commands are offered
        return TimedChoice(action, 0, 0, _NO_SEARCH)
