"""`Renderer`: pictures and films of any game, given one that can be drawn of each position."""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from jaxgames.pictures import animation, svg

_Rules = TypeVar("_Rules")
_Game = TypeVar("_Game")


@dataclasses.dataclass(frozen=True)
class Renderer(Generic[_Rules, _Game]):
    """Draws the positions of a game; its methods are the functions that a renderer module needs."""

    title: str
    """Name of the game."""
    drawing: Callable[[_Rules, _Game, svg.Theme, int | None], svg.Drawable]
    """Prepares one position for drawing, given rules, position, theme and the seat that looks."""
    turned: Callable[[_Rules, _Game, svg.Theme, int | None, int], svg.Drawable] | None = None
    """The same, given also the seat that sits below; None for boards that are not turned."""

    def render(
        self,
        rules: _Rules,
        game: _Game,
        previous: _Game | None = None,
        theme: str = "light",
        seat: int | None = None,
        below: int = 0,
    ) -> svg.Picture:
        """Returns a drawing of a position.

        Args:
            rules: the rules that the position belongs to.
            game: one game, on host or device.
            previous: an earlier position; if given, what has changed since is marked.
            theme: `"light"` or `"dark"`.
            seat: the seat whose knowledge is drawn, in games that hide something; None for all.
            below: the seat that sits below; after a swap of seats, the one that began there.

        Raises:
            ValueError: for a batch of games, a game of other rules, an unknown theme, a seat that
                does not exist, or a board that cannot be turned.
        """
        colours = svg.get_theme(theme)

        def draw(position: _Game) -> svg.Drawable:
            if not below:
                return self.drawing(rules, position, colours, seat)
            if self.turned is None:
                raise ValueError(f"{self.title} has no board to turn: leave out below={below}")
            return self.turned(rules, position, colours, seat, below)

        before = None if previous is None else draw(previous)
        return svg.picture_of(self.title, draw(game), before)

    def animate(
        self,
        rules: _Rules,
        games: Iterable[_Game],
        seconds_per_move: float = 1.0,
        theme: str = "light",
        seat: int | None = None,
    ) -> svg.Picture:
        """Returns an animation of the positions of a game, in order.

        Raises:
            ValueError: as for `render`, or for no position or a time that is not positive.
        """
        colours = svg.get_theme(theme)
        drawings = [self.drawing(rules, game, colours, seat) for game in animation.in_order(games)]
        return animation.film_of(self.title, drawings, seconds_per_move)
