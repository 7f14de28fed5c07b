"""Boards that are drawn by default: for a game that only says what stands on its squares.

Its renderer module has `squares(rules, game)`, a `boards.squares.Board`, in place of `render`. The
squares that a move names, as in `a1-a3`, are its clicks.
"""

import functools
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

from jaxgames.boards import squares
from jaxgames.boards.squares import Board, Piece
from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.renderer import Renderer
from jaxgames.pictures.seat_looks import looks_of

CELL = 60  # pixels
MARGIN = 36
FRAME = 6
RADIUS = 22  # of a piece
_SQUARE = re.compile(r"[a-z][1-9][0-9]?")
_Boards = Callable[[Any, Any], Board]


def completed(module: Any, title: str, texts: Any) -> Any:
    """Returns a renderer module with all that it lacks for pictures and clicks.

    Args:
        module: it has `squares`, and of what else a renderer module may have as much as it likes.
        title: name of the game.
        texts: its notation module.
    """
    renderer: Renderer[Any, Any] = Renderer(title, functools.partial(SquareDrawing, module, texts))
    made = {
        "render": renderer.render,
        "animate": renderer.animate,
        "click_paths": functools.partial(click_paths, module.squares, texts.playable_moves),
    }
    return types.SimpleNamespace(**made | vars(module))


def click_paths(
    squares_of: _Boards, playable_moves: Callable[[Any, Any], dict[int, str]], rules: Any, game: Any
) -> list[ClickPath]:
    """Returns the clicks for each legal action: the squares that its text names, in order.

    A move that names no square is chosen by its text.
    """
    named = {squares.name(*place) for place, _ in _places(squares_of(rules, game))}
    return [
        ClickPath(
            action, tuple(f"square:{name}" for name in _SQUARE.findall(text) if name in named)
        )
        for action, text in playable_moves(rules, game).items()
    ]


class SquareDrawing:
    """One position with the colours of a theme."""

    def __init__(
        self, module: Any, texts: Any, rules: Any, game: Any, theme: svg.Theme, seat: int | None
    ) -> None:
        del seat  # the squares hide nothing
        self.theme = theme
        self.pen = svg.Pen(theme)
        self.board: Board = module.squares(rules, game)
        self.description: str = texts.state_to_text(rules, game)
        name = next(name for name, colours in svg.THEMES.items() if colours == theme)
        self.looks = looks_of(module, rules, game, name)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture, in pixels."""
        return CELL * len(self.board[0]) + 2 * MARGIN, CELL * len(self.board) + 2 * MARGIN

    def backdrop(self) -> svg.Group:
        """Returns the board with the names of its ranks and files."""
        theme, (width, height) = self.theme, self.size
        group = svg.Group(font_family=svg.SERIF)
        group.append(svg.Rectangle(0, 0, width, height, rx=14, fill=theme.background))
        left = MARGIN - FRAME
        frame = (left, left, width - 2 * left, height - 2 * left)
        group.append(svg.Rectangle(*frame, rx=7, fill=theme.frame))
        for (rank, file), _ in _places(self.board):
            shade = theme.dark_square if (rank + file) % 2 == 0 else theme.light_square
            group.append(self._tile(rank, file, fill=shade))
        names = svg.Group(class_=svg.COORDINATES)
        for file in range(len(self.board[0])):
            x = self._middle(0, file)[0]
            names.append(
                self.pen.text(squares.FILES[file], 12, x, height - MARGIN / 2, theme.muted)
            )
        for rank in range(len(self.board)):
            y = self._middle(rank, 0)[1]
            names.append(self.pen.text(rank + 1, 12, MARGIN / 2, y, theme.muted))
        group.append(names)
        return group

    def parts(self, before: "SquareDrawing | None") -> Iterator[svg.Part]:
        """Yields the pieces and, on squares that have changed, marks."""
        now = dict(_places(self.board))
        old = now if before is None else dict(_places(before.board))
        changed = [place for place in now if now[place] != old[place]]
        left = [place for place in changed if now[place] is None]
        for place in changed:
            mark = self._tile(*place, fill=self.theme.accent, fill_opacity=0.35)
            yield svg.Part(f"mark {place}", 0, svg.Group([mark]))
        for place, piece in now.items():
            if piece is None:
                continue
            drawing = svg.Group([self._piece(piece, *place)])
            origin = next((at for at in left if place in changed and old[at] == piece), None)
            if origin is None:
                yield svg.Part(f"piece {place} {piece}", 1, drawing)
                continue
            (x, y), (old_x, old_y) = self._middle(*place), self._middle(*origin)
            yield svg.Part(f"moved {place} {piece}", 2, drawing, slide=(old_x - x, old_y - y))

    def areas(self) -> Iterator[svg.Area]:
        """Yields the squares."""
        for (rank, file), piece in _places(self.board):
            label = name = squares.name(rank, file)
            if piece is not None:
                label += f", {self.looks[piece.seat].name} {piece.symbol}".rstrip()
            yield svg.Area(f"square:{name}", label, self._tile(rank, file))

    def _piece(self, piece: Piece, rank: int, file: int) -> svg.Group:
        look = {"fill": self.looks[piece.seat].colour, "stroke": "#000000", "stroke_opacity": 0.45}
        group = svg.placed(*self._middle(rank, file), drawings=[svg.Circle(0, 0, RADIUS, **look)])
        if piece.symbol:
            group.append(self.pen.text(piece.symbol, 24, 0, 0, self.theme.background))
        return group

    def _tile(self, rank: int, file: int, **style: object) -> svg.Rectangle:
        x, y = self._middle(rank, file)
        corner = (x - CELL / 2 + 1, y - CELL / 2 + 1)
        return svg.Rectangle(*corner, CELL - 2, CELL - 2, rx=3, **style)

    def _middle(self, rank: int, file: int) -> tuple[float, float]:
        """Returns the middle of a square, in pixels."""
        return MARGIN + CELL * (file + 0.5), MARGIN + CELL * (len(self.board) - rank - 0.5)


def _places(board: Board) -> Iterator[tuple[tuple[int, int], Piece | None]]:
    """Yields rank and file of each square, and what stands on it."""
    for rank, pieces in enumerate(board):
        for file, piece in enumerate(pieces):
            yield (rank, file), piece
