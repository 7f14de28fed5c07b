"""Pictures of Onitama: a position with all its cards, and a game as an animation.

Red sits below and Blue above, unless the board is turned. Cards show where a piece in the middle
could go, as their owner moves on this board: upright for the seat below, turned round for the
other. The side card lies at the right hand of the seat to move, with the moves that it will have
there.
"""

import dataclasses
import functools
from collections.abc import Iterator
from typing import NamedTuple

from jaxgames.onitama import cards, effects, notation
from jaxgames.onitama.rules import CAPTURED, Onitama, OnitamaState
from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.renderer import Renderer

SEAT_NAMES = ("Red", "Blue")
CELL = 60  # pixels
BOARD = CELL * cards.SIDE
CARD_CELL = 14
CARD_WIDTH, CARD_HEIGHT = 94, 106
CARD_GRID = CARD_CELL * cards.SIDE
CARD_GRID_TOP = 28
MARGIN, GAP = 22, 30
BOARD_X = MARGIN + CARD_WIDTH + GAP
BOARD_Y = MARGIN + CARD_HEIGHT + GAP
WIDTH = BOARD_X + BOARD + GAP + CARD_WIDTH + MARGIN
HEIGHT = BOARD_Y + BOARD + GAP + CARD_HEIGHT + MARGIN
HAND_GAP = 22

# Where cards lie, and the middle of each seat's label: of the seat below, then of the one above.
HAND_Y = (HEIGHT - MARGIN - CARD_HEIGHT, MARGIN)
SIDE_CARD = (
    (BOARD_X + BOARD + GAP, BOARD_Y + BOARD - CARD_HEIGHT - CELL // 2),
    (MARGIN, BOARD_Y + CELL // 2),
)
LABEL = (
    (BOARD_X + BOARD + GAP + CARD_WIDTH / 2, HAND_Y[0] + CARD_HEIGHT / 2),
    (MARGIN + CARD_WIDTH / 2, HAND_Y[1] + CARD_HEIGHT / 2),
)
PLY_LABEL = (MARGIN + CARD_WIDTH / 2, HAND_Y[0] + CARD_HEIGHT / 2)
TEMPLES = (cards.OWN_TEMPLE, cards.TARGET_TEMPLE)  # of each seat, as Red numbers squares

_GOES_TO_THE_HAND = "The side card goes to the hand of whoever moves, who lays down the card used."

# Shapes around (0, 0), in a square of 60 pixels.
TORII = (
    "M-24-17 Q0-12 24-17 L23-11 Q0-6-23-11Z M-18-3H18V1H-18Z "
    "M-14-10H-11L-12 24H-17Z M11-10H14L17 24H12Z M-2-8H2V-3H-2Z"
)
BODY = "M-14 20C-14 7-8 3-6-3H6C8 3 14 7 14 20Q0 24-14 20Z"
HAT = "M-20-8Q-4-14 0-27Q4-14 20-8Q0-3-20-8Z"


class OnitamaDrawing:
    """One position with the colours of a theme."""

    def __init__(
        self,
        rules: Onitama,
        game: OnitamaState,
        theme: svg.Theme,
        seat: int | None = None,
        below: int = 0,
    ) -> None:
        del seat  # nothing is hidden
        self.below = below
        self.rules = rules
        self.game = notation.to_host(game)
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
        """Returns the parts that never change: the board with its temples and names."""
        theme = self.theme
        group = svg.Group(font_family=svg.SERIF)
        group.append(svg.Rectangle(0, 0, WIDTH, HEIGHT, rx=14, fill=theme.background))
        group.append(
            svg.Rectangle(BOARD_X - 7, BOARD_Y - 7, BOARD + 14, BOARD + 14, rx=8, fill=theme.frame)
        )
        for square in range(cards.NUM_SQUARES):
            shade = theme.dark_square if square % 2 == 0 else theme.light_square
            group.append(self._tile(square, fill=shade))
        for seat, square in enumerate(TEMPLES):
            place = svg.translate(*self._middle(square))
            group.append(svg.Path(TORII, transform=place, fill=theme.seats[seat], fill_opacity=0.4))
        names = svg.Group(class_=svg.COORDINATES)
        for i in range(cards.SIDE):
            along = CELL * (cards.SIDE - 1 - i if self.below else i) + CELL / 2
            file, rank = notation.FILES[i], str(cards.SIDE - i)
            names.append(
                self.pen.text(file, 12, BOARD_X + along, BOARD_Y + BOARD + 17, theme.muted)
            )
            names.append(self.pen.text(rank, 12, BOARD_X - 16, BOARD_Y + along, theme.muted))
        group.append(names)
        for x, y in SIDE_CARD:
            group.append(
                svg.Rectangle(
                    x,
                    y,
                    CARD_WIDTH,
                    CARD_HEIGHT,
                    rx=7,
                    fill="none",
                    stroke=theme.line,
                    stroke_dasharray="4 4",
                )
            )
        return group

    def parts(self, before: "OnitamaDrawing | None") -> Iterator[svg.Part]:
        """Yields the pieces, cards, labels and last-move marks of the position."""
        yield from self._pieces({} if before is None else _occupants(before.game))
        yield from self._cards({} if before is None else before.card_places())
        for seat in range(len(SEAT_NAMES)):
            yield self._label(seat)
        text = f"ply {int(self.game.ply)}"
        counter = self.pen.text(text, 14, *PLY_LABEL, self.theme.muted)
        yield svg.Part(text, 0, svg.Group([counter]))

    def areas(self) -> Iterator[svg.Area]:
        """Yields the squares and the cards."""
        occupants = _occupants(self.game)
        for square in range(cards.NUM_SQUARES):
            label = name = notation.square_name(square, 0)
            effect = effects.temple(TEMPLES.index(square)) if square in TEMPLES else ""
            if square in occupants:
                seat, is_master = occupants[square]
                label += f", {SEAT_NAMES[seat]} {'master' if is_master else 'student'}"
                piece = effects.MASTER if is_master else effects.STUDENT
                effect = f"{piece} {effect}".strip()
            yield svg.Area(f"square:{name}", label, self._tile(square), effect=effect)
        hands = [notation.hand_ids(hand) for _, hand in notation.red_and_blue(self.game)]
        for card, place in self.card_places().items():
            is_in_hand = card in hands[place.seat]
            owner = f"card of {SEAT_NAMES[place.seat]}" if is_in_hand else "side card"
            name = cards.CARDS[card].name
            shape = svg.Rectangle(place.x, place.y, CARD_WIDTH, CARD_HEIGHT, rx=7)
            label = f"{name.replace('_', ' ')}, {owner}"
            effect = effects.card(card, place.seat)
            if not is_in_hand:
                effect += " " + _GOES_TO_THE_HAND
            yield svg.Area(f"card:{name}", label, shape, effect=effect)

    def _pieces(self, old: dict[int, tuple[int, bool]]) -> Iterator[svg.Part]:
        now = _occupants(self.game)
        # The mover is the seat that moved last: its piece left one square and reached another.
        origin = next((s for s in old if s not in now), None)
        target = next((s for s in now if old and old.get(s) != now[s]), None)
        for square in (origin, target):
            if square is not None:
                mark = self._tile(square, fill=self.theme.accent, fill_opacity=0.35)
                yield svg.Part(f"mark {square}", 0, svg.Group([mark]))
        for square, (seat, is_master) in now.items():
            drawing = self._piece(square, seat, is_master)
            if square != target or origin is None:
                yield svg.Part(f"piece {square} {seat} {is_master}", 1, drawing)
                continue
            (x, y), (old_x, old_y) = self._corner(square), self._corner(origin)
            yield svg.Part(f"piece {square}", 3, drawing, slide=(old_x - x, old_y - y))
        if target in old:
            captured = self._piece(target, *old[target])
            yield svg.Part(f"captured {target}", 1, captured, is_leaving=True)

    def _piece(self, square: int, seat: int, is_master: bool) -> svg.Group:
        x, y = self._middle(square)
        kind = "master" if is_master else "student"
        place = svg.translate(x, y + 2) + (" scale(1.1)" if is_master else "")
        figure = svg.Group(
            transform=place,
            class_=f"{kind} {SEAT_NAMES[seat].lower()}",
            stroke="#000000",
            stroke_opacity=0.45,
            stroke_width=1.2,
            stroke_linejoin="round",
        )
        figure.append(svg.Ellipse(1.5, 21, 17, 4, fill="#000000", fill_opacity=0.2, stroke="none"))
        colour = self.theme.seats[seat]
        figure.append(svg.Path(BODY, fill=colour))
        figure.append(svg.Circle(0, -8, 8, fill=colour))
        if is_master:
            figure.append(svg.Path(HAT, fill=self.theme.accent))
        return svg.Group([figure])

    def _cards(self, old: dict[int, "CardPlace"]) -> Iterator[svg.Part]:
        for card, place in self.card_places().items():
            drawing = svg.Group([self._card(card, place)])
            slide = None
            if card in old and (old[card].x, old[card].y) != (place.x, place.y):
                slide = (old[card].x - place.x, old[card].y - place.y)
            yield svg.Part(f"card {card} {place}", 2 if slide is None else 4, drawing, slide)

    def _card(self, card: int, place: "CardPlace") -> svg.Group:
        theme, entry = self.theme, cards.CARDS[card]
        stamp = theme.seats[entry.stamp]
        group = svg.Group(transform=svg.translate(place.x, place.y), class_="card")
        group.append(
            svg.Rectangle(
                0, 0, CARD_WIDTH, CARD_HEIGHT, rx=7, fill=theme.surface, stroke=theme.line
            )
        )
        name = entry.name.replace("_", " ")
        group.append(self.pen.text(name, 12, CARD_WIDTH / 2 + 5, 15, theme.ink))
        group.append(svg.Circle(12, 15, 4.5, fill=stamp))
        left = (CARD_WIDTH - CARD_GRID) / 2
        lines = "".join(
            f"M{left:g} {CARD_GRID_TOP + at}h{CARD_GRID}M{left + at:g} {CARD_GRID_TOP}v{CARD_GRID}"
            for at in range(0, CARD_GRID + 1, CARD_CELL)
        )
        turn = 1 if place.seat == self.below else -1
        squares = [((0, 0), theme.ink)]
        squares += [((turn * dx, turn * dy), theme.seats[place.seat]) for dx, dy in entry.moves]
        for (dx, dy), colour in squares:
            x = left + CARD_CELL * (cards.SIDE // 2 + dx)
            y = CARD_GRID_TOP + CARD_CELL * (cards.SIDE // 2 - dy)
            group.append(svg.Rectangle(x, y, CARD_CELL, CARD_CELL, fill=colour))
        group.append(svg.Path(lines, stroke=theme.line, fill="none"))
        return group

    def _label(self, seat: int) -> svg.Part:
        x, y = LABEL[seat ^ self.below]
        heading, detail = _standing(self.rules, self.game, seat)
        group = svg.Group(class_="label")
        name = SEAT_NAMES[seat]
        group.append(self.pen.text(name, 22, x, y - 16, self.theme.seats[seat], weight="bold"))
        group.append(self.pen.text(heading, 14, x, y + 6, self.theme.ink))
        group.append(self.pen.text(detail, 11, x, y + 24, self.theme.muted))
        return svg.Part(f"label {seat} {heading} {detail}", 0, group)

    def card_places(self) -> dict[int, "CardPlace"]:
        """Returns where each card lies."""
        places = {}
        left = BOARD_X + (BOARD - 2 * CARD_WIDTH - HAND_GAP) / 2
        for seat, (_, hand) in enumerate(notation.red_and_blue(self.game)):
            y = HAND_Y[seat ^ self.below]
            for slot, card in enumerate(notation.hand_ids(hand)):
                places[card] = CardPlace(left + slot * (CARD_WIDTH + HAND_GAP), y, seat)
        mover = int(self.game.seat)
        places[int(self.game.side_card)] = CardPlace(*SIDE_CARD[mover ^ self.below], mover)
        return places

    def _middle(self, square: int) -> tuple[float, float]:
        x, y = self._corner(square)
        return x + CELL / 2, y + CELL / 2

    def _tile(self, square: int, **style: object) -> svg.Rectangle:
        return _tile(self._corner(square), **style)

    def _corner(self, square: int) -> tuple[int, int]:
        return _corner(notation.to_frame(square, self.below))


RENDERER = Renderer("Onitama", OnitamaDrawing, turned=OnitamaDrawing)
render, animate = RENDERER.render, RENDERER.animate


def _figure(text: str, before: str | None, theme: str) -> svg.Picture:
    """Returns a picture of a position; what has changed since the one before is marked."""
    rules = Onitama()
    previous = None if before is None else notation.text_to_state(rules, before)
    return render(rules, notation.text_to_state(rules, text), previous, theme)


def _card_figure(theme: str) -> svg.Picture:
    """Returns a position in which the targets of a piece and a card are marked."""
    picture = _figure(f"bbBbb/5/2r2/5/rrR1r r {_HANDS} 2", None, theme)
    body = picture.body
    look = {"stroke": svg.get_theme(theme).accent, "stroke_width": 5}
    for dx, dy in cards.CARDS[cards.CARD_IDS["crab"]].moves:
        mark = _tile(_corner(cards.CENTRE + dx + cards.SIDE * dy), fill="none", **look)
        body.append(mark)
    return dataclasses.replace(picture, body=body)


def _tile(corner: tuple[int, int], **style: object) -> svg.Rectangle:
    x, y = corner
    return svg.Rectangle(x + 1, y + 1, CELL - 2, CELL - 2, rx=3, **style)


def _corner(square: int) -> tuple[int, int]:
    """Returns the upper left corner, in pixels, of a square as the seat below numbers it."""
    rank, file = divmod(square, cards.SIDE)
    return BOARD_X + CELL * file, BOARD_Y + CELL * (cards.SIDE - 1 - rank)


_HANDS = "crab,elephant|horse,tiger|ox"
FIGURES = {
    "start": functools.partial(_figure, f"bbBbb/5/5/5/rrRrr r {_HANDS} 0", None),
    "card": _card_figure,
    "stream": functools.partial(
        _figure,
        f"1bR1b/3B1/5/1r3/4r b {_HANDS} 31",
        "1b2b/2RB1/5/1r3/4r r ox,elephant|horse,tiger|crab 30",
    ),
}
"""The pictures of the rulebook, as functions of a theme."""


def glossary(rules: Onitama) -> dict[str, dict[str, str]]:
    """Returns what pieces and cards do, in words."""
    del rules
    return effects.glossary()


def click_paths(rules: Onitama, game: OnitamaState) -> list[ClickPath]:
    """Returns the clicks for each legal action: from, to, and the card where both allow it."""
    game = notation.to_host(game)
    return [
        click_path(action, notation.move_squares(game, action), text.partition(":")[0])
        for action, text in notation.playable_moves(rules, game).items()
    ]


def click_path(action: int, squares: tuple[int, int] | None, card: str) -> ClickPath:
    """Returns the clicks for a move between squares as Red numbers them, or for a pass."""
    if squares is None:
        return ClickPath(action, (f"card:{card}",))
    parts = tuple(f"square:{notation.square_name(square, 0)}" for square in squares)
    return ClickPath(action, parts, (f"card:{card}",))


def seat_looks(rules: Onitama, game: OnitamaState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat."""
    del rules, game
    return list(map(svg.SeatLook, SEAT_NAMES, svg.get_theme(theme).seats))


class CardPlace(NamedTuple):
    """Where a card lies, and for whom its moves are drawn."""

    x: float
    y: float
    seat: int


def _occupants(game: OnitamaState) -> dict[int, tuple[int, bool]]:
    """Returns `(seat, is_master)` of each occupied square, as Red numbers squares."""
    occupants = {}
    for seat, (pieces, _) in enumerate(notation.red_and_blue(game)):
        for square in range(cards.NUM_SQUARES):
            if pieces.board >> square & 1:
                occupants[notation.to_frame(square, seat)] = (seat, square == pieces.master)
    return occupants


def _standing(rules: Onitama, game: OnitamaState, seat: int) -> tuple[str, str]:
    """Returns two short lines about a seat: whether it is to move, or how the game ended."""
    is_mover = seat == int(game.seat)
    for is_won, way in (
        (game.own_master == CAPTURED, "Way of the Stone"),
        (game.other_master == cards.TARGET_TEMPLE, "Way of the Stream"),
    ):
        if is_won:
            return ("", "") if is_mover else ("wins", way)
    if int(game.ply) >= rules.max_plies:
        return "draw", "ply limit"
    return ("to move", "") if is_mover else ("", "")
