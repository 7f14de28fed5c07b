"""Pictures of Murus Gallicus: a position, and a game as an animation.

Romans sit below and Gauls above, unless the board is turned. Each stone is a block; a stack shows
one on top of the other, so a wall is one block high, a tower two and a catapult three.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from jaxgames.murus_gallicus import effects, notation, position
from jaxgames.murus_gallicus.board import FILES, NUM_CELLS, RANKS
from jaxgames.murus_gallicus.position import GAULS, ROMANS, SIDE_NAMES, Heights
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.renderer import Renderer

CELL = 60  # pixels
BOARD_WIDTH, BOARD_HEIGHT = CELL * FILES, CELL * RANKS
BOARD_X, BOARD_Y = 36, 56
WIDTH = BOARD_WIDTH + 2 * BOARD_X
HEIGHT = BOARD_HEIGHT + 2 * BOARD_Y + 14
LABEL_Y = (HEIGHT - 22, 26)  # of the side below, and of the one above
STONE_HEIGHT = 12
FOOT = 15  # from the lower edge of a cell to the middle of the lowest stone's base
# A block seen from above its front, around the middle of its base: body and upper face.
BODY = "M-19 0Q0 7 19 0V-12H-19Z"
FACE = "M-19-12Q0-19 19-12Q0-5-19-12Z"
MARKS, STONES, FLYING = 0, 1, 100  # layers; stones nearer to the reader cover others


class Stone(NamedTuple):
    """One stone on the board."""

    cell: int  # as the Romans number cells
    level: int  # stones below it
    side: int


class MurusDrawing:
    """One position with the colours of a theme."""

    def __init__(
        self,
        rules: MurusGallicus,
        game: MurusState,
        theme: svg.Theme,
        seat: int | None = None,
        below: int = 0,
    ) -> None:
        del seat  # nothing is hidden
        self.below = below
        self.rules = rules
        self.game = position.to_host(game)
        self.theme = theme
        self.pen = svg.Pen(theme, svg.ALL_DECIMALS)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture, in pixels."""
        return WIDTH, HEIGHT

    @property
    def description(self) -> str:
        """The position text."""
        return notation.state_to_text(self.rules, self.game)

    def backdrop(self) -> svg.Group:
        """Returns the parts that stay the same throughout a game: the board with its names."""
        theme = self.theme
        group = svg.Group(font_family=svg.SERIF)
        group.append(svg.Rectangle(0, 0, WIDTH, HEIGHT, rx=14, fill=theme.background))
        frame = (BOARD_X - 6, BOARD_Y - 6, BOARD_WIDTH + 12, BOARD_HEIGHT + 12)
        group.append(svg.Rectangle(*frame, rx=7, fill=theme.frame))
        for cell in range(NUM_CELLS):
            rank, file = divmod(cell, FILES)
            shade = theme.dark_square if (rank + file) % 2 == 0 else theme.light_square
            group.append(self._tile(cell, fill=shade))
            for side, row in ((ROMANS, 0), (GAULS, RANKS - 1)):
                if rank == row:
                    group.append(self._tile(cell, fill=theme.seats[side], fill_opacity=0.12))
        names = svg.Group(class_=svg.COORDINATES)
        for file in range(FILES):
            x, name = self._corner(file)[0] + CELL / 2, notation.FILE_NAMES[file]
            names.append(self.pen.text(name, 12, x, BOARD_Y + BOARD_HEIGHT + 17, theme.muted))
        for rank in range(RANKS):
            y = self._corner(FILES * rank)[1] + CELL / 2
            names.append(self.pen.text(str(rank + 1), 12, BOARD_X - 17, y, theme.muted))
        group.append(names)
        return group

    def parts(self, before: "MurusDrawing | None") -> Iterator[svg.Part]:
        """Yields the stones, labels and last-move marks of the position."""
        yield from self._stones(None if before is None else before.game)
        for side in (ROMANS, GAULS):
            yield self._label(side)
        text = f"ply {int(self.game.ply)}"
        x, y = BOARD_X + BOARD_WIDTH, LABEL_Y[0]
        counter = self.pen.text(text, 13, x, y, self.theme.muted, anchor="end")
        yield svg.Part(text, MARKS, svg.Group([counter]))

    def areas(self) -> Iterator[svg.Area]:
        """Yields the cells."""
        for cell, height in enumerate(position.roman_heights(self.game).tolist()):
            label = name = notation.cell_name(cell)
            effect = ""
            if height:
                side = ROMANS if height > 0 else GAULS
                label += f", {effects.STACK_NAMES[abs(height)]} of the {SIDE_NAMES[side]}"
                effect = effects.stack(self.rules, abs(height))
            rank = cell // FILES
            if rank in (0, RANKS - 1) and self.rules.breakthrough:
                home, other = (ROMANS, GAULS) if rank == 0 else (GAULS, ROMANS)
                row = f"Home row of the {SIDE_NAMES[home]} and far row of the {SIDE_NAMES[other]}"
                effect = f"{effect} {row}: {effects.far_row(self.rules)}".strip()
            yield svg.Area(f"cell:{name}", label, self._tile(cell), effect=effect)

    def _stones(self, before: MurusState | None) -> Iterator[svg.Part]:
        board = position.roman_heights(self.game)
        now = _stones_of(board)
        if before is None:
            yield from map(self._resting, now)
            return
        old_board = position.roman_heights(before)
        old, mover = _stones_of(old_board), position.side_to_act(before)
        for cell in np.flatnonzero(board != old_board).tolist():
            mark = self._tile(cell, fill=self.theme.accent, fill_opacity=0.35)
            yield svg.Part(f"mark {cell}", MARKS, svg.Group([mark]))

        # Stones that the mover lifted fly to where it has new ones, or to the stones they remove.
        lifted = [stone for stone in old if stone not in now and stone.side == mover][::-1]
        removed = [stone for stone in old if stone not in now and stone.side != mover]
        arrived = [stone for stone in now if stone not in old]
        for stone in now:
            if stone not in arrived or not lifted:
                yield self._resting(stone)
        for stone, origin in zip(arrived, lifted, strict=False):
            yield self._flying(stone, origin, is_leaving=False)
        for stone, origin in zip(removed, lifted, strict=False):
            yield self._resting(stone)._replace(is_leaving=True)
            yield self._flying(stone._replace(side=mover), origin, is_leaving=True)

    def _resting(self, stone: Stone) -> svg.Part:
        # Ranks nearer to the reader are further down.
        layer = STONES + (self._corner(stone.cell)[1] - BOARD_Y) / CELL + stone.level / 10
        return svg.Part(f"stone {stone}", layer, self._block(stone))

    def _flying(self, stone: Stone, origin: Stone, is_leaving: bool) -> svg.Part:
        (x, y), (old_x, old_y) = self._foot(stone), self._foot(origin)
        slide = (old_x - x, old_y - y)
        drawing = self._block(stone)
        return svg.Part(f"flying {stone}", FLYING + stone.level, drawing, slide, is_leaving)

    def _block(self, stone: Stone) -> svg.Group:
        group = svg.Group(
            transform=svg.translate(*self._foot(stone)),
            class_=f"stone {SIDE_NAMES[stone.side].lower()}",
            stroke="#000000",
            stroke_opacity=0.5,
            stroke_linejoin="round",
        )
        colour = self.theme.seats[stone.side]
        group.append(svg.Path(BODY, fill=colour))
        group.append(svg.Path(FACE, fill=colour, stroke="none"))
        group.append(svg.Path(FACE, fill="#ffffff", fill_opacity=0.3))
        return svg.Group([group])  # the outer group is the one that an animation moves

    def _label(self, side: int) -> svg.Part:
        heading = _standing(self.rules, self.game, side)
        name = SIDE_NAMES[side]
        if self.rules.pie_rule:
            name = f"{name} (seat {side ^ position.is_swapped(self.game)})"
        group, y = svg.Group(class_="label"), LABEL_Y[self._is_above(side)]
        colour = self.theme.seats[side]
        group.append(self.pen.text(name, 20, BOARD_X, y, colour, anchor="start", weight="bold"))
        middle = BOARD_X + BOARD_WIDTH / 2
        group.append(self.pen.text(heading, 15, middle, y, self.theme.ink))
        return svg.Part(f"label {name} {heading}", MARKS, group)

    def _is_above(self, side: int) -> bool:
        """Returns whether a side sits at the upper edge."""
        return side != self.below

    def _foot(self, stone: Stone) -> tuple[float, float]:
        """Returns the middle of a stone's base, in pixels."""
        x, y = self._corner(stone.cell)
        return x + CELL / 2, y + CELL - FOOT - STONE_HEIGHT * stone.level

    def _tile(self, cell: int, **style: object) -> svg.Rectangle:
        x, y = self._corner(cell)
        return svg.Rectangle(x + 1, y + 1, CELL - 2, CELL - 2, rx=3, **style)

    def _corner(self, cell: int) -> tuple[int, int]:
        """Returns the upper left corner, in pixels, of a cell as the Romans number it."""
        rank, file = divmod(cell, FILES)
        if self._is_above(ROMANS):
            rank, file = RANKS - 1 - rank, FILES - 1 - file
        return BOARD_X + CELL * file, BOARD_Y + CELL * (RANKS - 1 - rank)


RENDERER = Renderer("Murus Gallicus", MurusDrawing, turned=MurusDrawing)
render, animate = RENDERER.render, RENDERER.animate


def _figure(text: str, after: str, theme: str) -> svg.Picture:
    """Returns a position, and the one after a move beside it."""
    rules = MurusGallicus()
    game = notation.text_to_state(rules, text)
    first = render(rules, game, None, theme)
    if not after:
        return first
    return svg.grid([first, render(rules, notation.text_to_state(rules, after), game, theme)], 2)


_START = "tttttttt/8/8/8/8/8/TTTTTTTT r"
FIGURES = {
    "start": functools.partial(_figure, _START, ""),
    "fall": functools.partial(_figure, _START, "tttttttt/8/8/8/3W4/3W4/TTT1TTTT g 1"),
    "strike": functools.partial(
        _figure, "tttttt1t/8/3w4/3T4/8/8/TTTTTTT1 r 20", "tttttt1t/8/8/3W4/8/8/TTTTTTT1 g 21"
    ),
    "fire": functools.partial(
        _figure, "8/8/8/1w1t1c2/8/1C6/8 r 40", "8/8/1W6/1w1t1c2/8/1T6/8 g 41"
    ),
}
"""The pictures of the rulebook, as functions of a theme."""


def glossary(rules: MurusGallicus) -> dict[str, dict[str, str]]:
    """Returns what stacks and actions do, in words."""
    return effects.glossary(rules)


def click_paths(rules: MurusGallicus, game: MurusState) -> list[ClickPath]:
    """Returns the clicks for each legal action: the cell that acts, then its target."""
    game = position.to_host(game)
    side = position.side_to_act(game)

    def path(move: position.LegalMove) -> ClickPath:
        cells = [cell for cell in (move.origin, move.target) if cell is not None]
        return ClickPath(
            move.action, tuple(f"cell:{notation.cell_name(cell, side)}" for cell in cells)
        )

    return [path(move) for move in position.legal_moves(rules, game)]


def seat_looks(rules: MurusGallicus, game: MurusState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat: those of the side that it plays."""
    del rules
    colours = svg.get_theme(theme).seats
    sides = (seat ^ position.is_swapped(game) for seat in (ROMANS, GAULS))
    return [svg.SeatLook(SIDE_NAMES[side], colours[side]) for side in sides]


def _stones_of(board: Heights) -> list[Stone]:
    """Returns all stones, from the far rank to the near one and from below to the top."""
    stones = []
    for cell in np.flatnonzero(board).tolist()[::-1]:
        side = ROMANS if board[cell] > 0 else GAULS
        stones += [Stone(cell, level, side) for level in range(abs(int(board[cell])))]
    return stones


def _standing(rules: MurusGallicus, game: MurusState, side: int) -> str:
    """Returns a few words about a side: whether it is to act, or how the game ended for it."""
    end = position.ending(rules, game)
    if end is None:
        return "to act" if side == position.side_to_act(game) else ""
    victor = position.winner(rules, game)
    if victor is None:
        return f"draw: {end}"
    return f"wins: {end}" if side == victor else ""
