"""The host face of an `Env`: a game as texts, pictures, clicks and boards for terminals.

Nothing here is compiled. The states that come in are checked; the modules of a game are imported at
first use.
"""

import abc
import dataclasses
import functools
import importlib
import importlib.resources
import math
import re
from collections.abc import Iterable
from typing import Any, Generic

import jax
import numpy as np

from jaxgames.internal import checks, messages, texts
from jaxgames.internal.argument_checks import check_seat
from jaxgames.pictures.ansi import Paint
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.rules import GameStateT, Rules
from jaxgames.state import State

_GLOSSARY = re.compile(r"<!-- glossary: (?P<part>[\w ]+) -->")
MOST_DRAWN = 64  # games in one picture


@dataclasses.dataclass(frozen=True)
class HostFace(abc.ABC, Generic[GameStateT]):
    """The part of an `Env` that shows a game to people and reads what they write."""

    id: str
    rules: Rules[GameStateT]
    notation: str | None = dataclasses.field(default=None, repr=False)
    """Module with `state_to_text`, `text_to_state`, `action_to_text`, `text_to_action`,
    `playable_moves` for `legal_moves`, `chapter` where a game has rounds or turns, and `in_words`
    where people say moves in other words than they write."""
    renderer: str | None = dataclasses.field(default=None, repr=False)
    """Module with `render`, or with `squares` for boards that are drawn by default; also
    `click_paths`, `seat_looks`, `decision`, `glossary` and `FIGURES` where games are played on
    pictures. Imported at first use, since it needs the `render` extra."""
    text_boards: str | None = dataclasses.field(default=None, repr=False)
    """Module with `draw`: the board in a terminal."""

    @functools.cached_property
    def _game_spec(self) -> Any:
        return jax.eval_shape(self.rules.init, jax.eval_shape(lambda: jax.random.key(0)))

    @abc.abstractmethod
    def wrap(self, game: GameStateT) -> State[GameStateT]:
        """Returns the `State` around a position."""

    def _check_state(
        self, state: State[GameStateT], where: str, advice: str | None = None
    ) -> State[GameStateT]:
        """Returns the state of one game; `advice` tells what to do with a batch instead.

        Raises:
            ValueError: for anything else; names the method `where`.
        """
        if not isinstance(state, State):
            raise ValueError(f"{where} takes the State of one game, got {type(state).__name__}")
        if shape := np.shape(state.step_count):
            raise _batch_error(where, shape, advice)
        self._check_game(state.game, where, advice)
        return state

    def _check_game(self, game: GameStateT, where: str, advice: str | None = None) -> None:
        """Raises a `ValueError` unless `game` has the structure and shapes of one game."""
        wanted, leaves = jax.tree.leaves(self._game_spec), jax.tree.leaves(game)
        structure: Any = jax.tree.structure(self._game_spec)
        found = jax.tree.structure(game)
        if found != structure:
            raise ValueError(f"{where} takes the game state of {self.id}, got {found}"[:400])
        shapes = [(np.shape(leaf), spec.shape) for leaf, spec in zip(leaves, wanted, strict=True)]
        for shape, expected in shapes:
            if shape == expected:
                continue
            if shape[len(shape) - len(expected) :] == expected:
                raise _batch_error(where, shape[: len(shape) - len(expected)], advice)
            raise ValueError(
                f"{where} takes the game state of {self.id}: an array has shape {shape}, "
                f"expected {expected}"
            )

    def on_host(self, state: State[GameStateT], where: str) -> GameStateT:
        """Returns the position of a state of one game as NumPy arrays.

        Raises:
            ValueError: for anything else; names the method `where`.
        """
        advice = "select one with jax.tree.map(lambda x: x[i], state)"
        return jax.device_get(self._check_state(state, where, advice).game)

    def action_to_text(self, state: State[GameStateT], action: int) -> str:
        """Returns the notation of an action in a position (host side).

        Raises:
            ValueError: if it is not the number of an action that is legal there.
        """
        return self._texts.action_to_text(
            self.rules, self.on_host(state, "action_to_text"), checks.action_number(action)
        )

    def text_to_action(self, state: State[GameStateT], text: str) -> int:
        """Returns the action that a move text means in a position (host side).

        Raises:
            ValueError: if the text is malformed or the move is not legal there.
        """
        return self._texts.text_to_action(
            self.rules, self.on_host(state, "text_to_action"), checks.text(text)
        )

    def legal_moves(self, state: State[GameStateT]) -> dict[int, str]:
        """Returns number and text of each legal action, ascending (host side).

        Raises:
            ValueError: if the game is over.
        """
        game = self.on_host(state, "legal_moves")
        return messages.check_moves(self._texts.playable_moves(self.rules, game))

    def chapter(self, state: State[GameStateT]) -> str:
        """Returns the round or turn that a position belongs to (host side).

        It is a heading for lists of moves; empty if moves of the seats simply alternate.
        """
        game = self.on_host(state, "chapter")
        if not hasattr(self._texts, "chapter"):
            return ""
        heading: str = self._texts.chapter(self.rules, game)
        return heading

    def in_words(self, text: str, chapter: str = "") -> str:
        """Returns a move as people say it: its notation in games that have no other words.

        Args:
            text: the notation of a move, which stays what is typed and kept.
            chapter: the round or turn that it belongs to, as `chapter` says.
        """
        if not hasattr(self._texts, "in_words"):
            return text
        words: str = self._texts.in_words(text, chapter)
        return words

    def decision(self, state: State[GameStateT]) -> str:
        """Returns who has to decide what, in words (needs the `render` extra).

        It is empty in games where every decision is a move like all others.
        """
        game = self.on_host(state, "decision")
        module = self._pictures
        if not hasattr(module, "decision"):
            return ""
        what: str = module.decision(self.rules, game)
        return what

    def click_paths(self, state: State[GameStateT]) -> list[ClickPath]:
        """Returns the clicks on a picture for each legal action (needs the `render` extra).

        A renderer without `click_paths` gives none.
        """
        game = self.on_host(state, "click_paths")
        module = self._pictures
        if not hasattr(module, "click_paths"):
            return []
        paths: list[ClickPath] = module.click_paths(self.rules, game)
        return paths

    def glossary(self) -> dict[str, dict[str, str]]:
        """Returns what tiles, cards, units and the like do, in words (needs the `render` extra).

        It maps the kinds of things to their names, as moves have them, and these to sentences. A
        renderer without `glossary` gives nothing.
        """
        module = self._pictures
        if not hasattr(module, "glossary"):
            return {}
        found: dict[str, dict[str, str]] = module.glossary(self.rules)
        return found

    def rulebook(self) -> str:
        """Returns how the game is played, for people, as Markdown; empty if nobody wrote it down.

        An image with the address `figure:NAME` stands for the picture that `figure` returns. The
        text is the file `rulebook.md` beside the rules. In it, a comment such as
        `<!-- glossary: Units -->` gives way to a table of this part of the glossary.
        """
        package = type(self.rules).__module__.rpartition(".")[0]
        if not package:  # rules in a module of their own
            return ""
        file = importlib.resources.files(package) / "rulebook.md"
        if not file.is_file():
            return ""
        glossary = self.glossary()
        return _GLOSSARY.sub(
            lambda match: _glossary_table(match["part"], glossary), texts.decode(file.read_bytes())
        )

    def figure(self, name: str, theme: str = "light") -> Any:
        """Returns a picture of the rulebook (needs the `render` extra).

        Raises:
            ValueError: for an unknown name or theme; names the pictures that there are.
        """
        module = self._pictures
        figures = getattr(module, "FIGURES", {})
        if name not in figures:
            raise ValueError(messages.unknown("figure", name, figures))
        return figures[name](theme)

    def state_to_text(self, state: State[GameStateT]) -> str:
        """Returns the position text (host side); its format is in the game's document."""
        return self._texts.state_to_text(self.rules, self.on_host(state, "state_to_text"))

    def text_to_state(self, text: str) -> State[GameStateT]:
        """Returns the state that a position text describes (host side).

        Raises:
            ValueError: if the text is malformed; names the part and what was expected.
        """
        return self.wrap(self._texts.text_to_state(self.rules, texts.plain(checks.text(text))))

    def text_board(
        self, state: State[GameStateT], *, seat: int | None = None, colours: bool = False
    ) -> str:
        """Returns the board as lines of text for a terminal (host side).

        Args:
            state: the state of one game.
            seat: the seat whose knowledge is shown, in games that hide something; None for all.
            colours: whether there are ANSI colours in the text.

        Raises:
            ValueError: for a batch, a seat that does not exist, or a game without such a board.
        """
        game = self.on_host(state, "text_board")
        board: str = self._module(self.text_boards, "board for terminals").draw(
            self.rules, game, Paint(colours), seat
        )
        return board

    def render(
        self,
        state: State[GameStateT],
        *,
        previous: State[GameStateT] | None = None,
        theme: str = "light",
        seat: int | None = None,
        below: int = 0,
    ) -> Any:
        """Returns a drawing of a position, or of several (host side; needs the `render` extra).

        A notebook shows the picture by itself; `save("x.svg")` and `save("x.png")` write files.

        Args:
            state: the state of one game; or a batch of up to 64 games, drawn side by side.
            previous: an earlier state; if given, what has changed since is marked.
            theme: `"light"` or `"dark"`.
            seat: the seat whose knowledge is drawn, in games that hide something; None for all.
            below: the seat that sits below, in a picture of one game whose board can be turned.

        Raises:
            ValueError: for more games than are drawn, an unknown theme or seat, a board that cannot
                be turned, or a game without pictures.
        """
        if isinstance(state, State) and (shape := np.shape(state.step_count)):
            return self._grid(state, shape, previous, theme, seat)
        game = self.on_host(state, "render")
        options = self._looks(theme, seat)
        if below:
            check_seat(below, self.rules.num_players, "render")
            options["below"] = below
        if previous is not None:
            options["previous"] = self.on_host(previous, "render")
        return self._pictures.render(self.rules, game, **options)

    def _grid(
        self,
        states: State[GameStateT],
        shape: tuple[int, ...],
        previous: State[GameStateT] | None,
        theme: str,
        seat: int | None,
    ) -> Any:
        """Returns the drawings of a batch of games side by side."""
        from jaxgames.pictures import svg

        if not 0 < math.prod(shape) <= MOST_DRAWN:
            raise ValueError(
                f"render draws up to {MOST_DRAWN} games, at least one, got a batch of shape "
                f"{shape}; select some with jax.tree.map(lambda x: x[:{MOST_DRAWN}], state)"
            )
        if previous is not None and np.shape(previous.step_count) != shape:
            raise ValueError(
                f"previous must be a batch of shape {shape} as the states, "
                f"got {np.shape(previous.step_count)}"
            )
        batches = jax.device_get((states, previous))
        pictures = []
        for at in np.ndindex(shape):
            one, before = jax.tree.map(lambda x, at=at: x[at], batches)
            pictures.append(self.render(one, previous=before, theme=theme, seat=seat))
        return svg.grid(pictures)

    def animate(
        self,
        states: Iterable[State[GameStateT]],
        *,
        seconds_per_move: float = 1.0,
        theme: str = "light",
        seat: int | None = None,
    ) -> Any:
        """Returns a film of the positions of a game (host side; needs the `render` extra).

        A notebook shows the film by itself; `save("x.svg")` and `save("x.gif")` write files.

        Args:
            states: states of one game, in order; a game from a record, for instance.
            seconds_per_move: how long a position is seen.
            theme: `"light"` or `"dark"`.
            seat: the seat whose knowledge is drawn, in games that hide something; None for all.

        Raises:
            ValueError: as for `render`, for no state, or a time that is not positive.
        """
        from jaxgames.pictures import animation

        if isinstance(states, State):
            raise ValueError("animate takes a list of states, in order; for one state use render")
        games = [self.on_host(state, "animate") for state in states]
        module, options = self._pictures, self._looks(theme, seat)

        film = module.animate(self.rules, games, seconds_per_move, **options)
        stills = functools.partial(self._stills, games, options)
        return animation.Animation(film, stills, seconds_per_move)

    def _looks(self, theme: str, seat: int | None) -> dict[str, Any]:
        """Returns the options of a renderer; without hidden information, no seat matters."""
        if seat is not None:
            check_seat(seat, self.rules.num_players, "render")
        is_hidden = seat is not None and not self.rules.perfect_information
        return {"theme": theme} | ({"seat": seat} if is_hidden else {})

    def _stills(self, games: list[Any], options: dict[str, Any]) -> list[Any]:
        """Returns a drawing of each position; what has changed since the last is marked."""
        pairs = zip(games, [None, *games], strict=False)
        draw = self._pictures.render
        return [draw(self.rules, game, previous=before, **options) for game, before in pairs]

    @property
    def _texts(self) -> Any:
        return self._module(self.notation, "notation")

    @property
    def _pictures(self) -> Any:
        """The renderer; one without `render` draws the squares of the board by default."""
        module = self._module(self.renderer, "rendering")
        if hasattr(module, "render") or not hasattr(module, "squares"):
            return module
        from jaxgames.pictures import square_board

        return square_board.completed(module, messages.title(self.id), self._texts)

    def _module(self, path: str | None, purpose: str) -> Any:
        if path is None:
            raise ValueError(f"{self.id} has no {purpose} registered")
        return importlib.import_module(path)


def _batch_error(where: str, shape: tuple[int, ...], advice: str | None) -> ValueError:
    """Returns the error of the method `where` for a batch of some shape."""
    advice = advice or f"for a batch use jax.vmap(env.{where})"
    return ValueError(
        f"{where} takes the state of one game, got a batch of shape {shape}; {advice}"
    )


def _glossary_table(part: str, glossary: dict[str, dict[str, str]]) -> str:
    """Returns a part of a glossary as a Markdown table."""
    rows = [f"| {name.replace('_', ' ')} | {effect} |" for name, effect in glossary[part].items()]
    return "\n".join([f"| {part.lower()} | |", "| --- | --- |", *rows])
