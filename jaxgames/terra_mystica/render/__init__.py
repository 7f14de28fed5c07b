"""Pictures of Terra Mystica: the whole table in one position, and a game as an animation.

The map and the cult board are at the top. Below them are power actions, scoring tiles and the cards
and tiles that are left, then the board of each player.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxgames.pictures import animation, svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.terra_mystica.render import boards, clicks, cults, hexmap, situation, supply
from jaxgames.terra_mystica.render.pen import Pen
from jaxgames.terra_mystica.render.table import Table
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.text import notation

MARGIN, GAP = 14, 12
HEAD = 34
MAP_Y = MARGIN + HEAD
CULTS_X = MARGIN + hexmap.WIDTH + GAP
SUPPLY_Y = MAP_Y + hexmap.HEIGHT + GAP + 4
BOARDS_Y = SUPPLY_Y + supply.HEIGHT + GAP
COLUMNS = 2  # of players' boards
WIDTH = 2 * MARGIN + supply.WIDTH


def render(
    rules: TerraMystica,
    game: TerraMysticaState,
    previous: TerraMysticaState | None = None,
    theme: str = "light",
) -> svg.Picture:
    """Returns a drawing of a position.

    Args:
        rules: the rules that the position belongs to.
        game: one game, on host or device.
        previous: an earlier position; if given, hexes that have changed since are marked.
        theme: `"light"` or `"dark"`.

    Raises:
        ValueError: for a batch of games or an unknown theme.
    """
    pen = Pen(svg.get_theme(theme))
    before = None if previous is None else Drawing(pen, Table(rules, previous))
    return svg.picture_of("Terra Mystica", Drawing(pen, Table(rules, game)), before)


def animate(
    rules: TerraMystica,
    games: Sequence[TerraMysticaState],
    seconds_per_move: float = 1.0,
    theme: str = "light",
) -> svg.Picture:
    """Returns an animation of positions of a game, in order.

    Raises:
        ValueError: for no or a batched position, a time that is not positive or an unknown theme.
    """
    pen = Pen(svg.get_theme(theme))
    drawings = [Drawing(pen, Table(rules, game)) for game in animation.in_order(games)]
    return animation.film_of("Terra Mystica", drawings, seconds_per_move)


def click_paths(rules: TerraMystica, game: TerraMysticaState) -> list[ClickPath]:
    """Returns the clicks for each legal action; conversions and the like have none."""
    legal = notation.playable_moves(rules, game)
    return [path for action in legal for path in clicks.paths_of(action)]


def seat_looks(
    rules: TerraMystica, game: TerraMysticaState, theme: str = "light"
) -> list[svg.SeatLook]:
    """Returns name and colour of each seat: those of its faction."""
    svg.get_theme(theme)
    table = Table(rules, game)
    return [
        svg.SeatLook(table.name(seat), table.shades(seat).piece)
        for seat in range(table.num_players)
    ]


class Drawing(NamedTuple):
    """One position with a pen to draw it."""

    pen: Pen
    table: Table

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture, in pixels."""
        return WIDTH, _height(self.table)

    @property
    def description(self) -> str:
        """The position in words."""
        return _describe(self.table)

    def backdrop(self) -> svg.Group:
        """Returns what stays the same throughout a game."""
        return _backdrop(self.pen, self.table)

    def parts(self, before: "Drawing | None") -> Iterable[svg.Part]:
        """Returns the parts of the position."""
        return _parts(self.pen, self.table, None if before is None else before.table)

    def areas(self) -> Iterable[svg.Area]:
        """Returns the hexes, the supply, and the board of the player who decides."""
        return _areas(self.pen, self.table)


def _height(table: Table) -> float:
    rows = -(-table.num_players // COLUMNS)
    return round(BOARDS_Y + rows * (boards.HEIGHT + GAP) - GAP + MARGIN, 1)


def _describe(table: Table) -> str:
    points = table.game.players.vp.tolist()
    players = (f"{table.name(seat)} {vp} VP" for seat, vp in enumerate(points))
    return f"{situation.heading(table)}; {', '.join(players)}; {situation.decision(table)}"


def _backdrop(pen: Pen, table: Table) -> svg.Group:
    """Returns what stays the same throughout a game."""
    group = svg.Group(font_family=svg.SERIF)
    background = {"fill": pen.theme.background, "stroke": "none"}
    group.append(pen.box(0, 0, WIDTH, _height(table), 14, **background))
    for x, y, drawing in (
        (MARGIN, MAP_Y, hexmap.backdrop(pen)),
        (CULTS_X, MAP_Y, cults.backdrop(pen)),
        (MARGIN, SUPPLY_Y, supply.backdrop(pen)),
    ):
        group.append(_place(drawing, x, y))
    return group


def _parts(pen: Pen, table: Table, before: Table | None) -> Iterator[svg.Part]:
    """Yields the parts that may change in a game."""
    yield _heading(pen, table)
    places: list[tuple[float, float, Iterator[svg.Part]]] = [
        (MARGIN, MAP_Y, hexmap.parts(pen, table, before)),
        (CULTS_X, MAP_Y, cults.parts(pen, table, before)),
        (MARGIN, SUPPLY_Y, supply.parts(pen, table)),
    ]
    for seat in range(table.num_players):
        places.append((*_board_place(seat), boards.parts(pen, table, seat)))
    for x, y, parts in places:
        for part in parts:
            # A glide moves the outermost group, so the place must be on a group inside it.
            outer = svg.Group()
            outer.append(_place(part.drawing, x, y))
            yield part._replace(drawing=outer)


def _areas(pen: Pen, table: Table) -> Iterator[svg.Area]:
    places: list[tuple[float, float, Iterator[svg.Area]]] = [
        (MARGIN, MAP_Y, hexmap.areas(table)),
        (CULTS_X, MAP_Y, cults.areas(table)),
        (MARGIN, SUPPLY_Y, supply.areas(table)),
    ]
    if table.decider is not None:
        places.append((*_board_place(table.decider), boards.areas(pen, table, table.decider)))
    for x, y, areas in places:
        for area in areas:
            yield area._replace(place=(round(x, 1), round(y, 1)))


def _board_place(seat: int) -> tuple[float, float]:
    """Returns the upper left corner of the board of a player."""
    row, column = divmod(seat, COLUMNS)
    return MARGIN + column * (boards.WIDTH + GAP), BOARDS_Y + row * (boards.HEIGHT + GAP)


def _heading(pen: Pen, table: Table) -> svg.Part:
    title, what, seat = situation.heading(table), situation.decision(table), table.decider
    group, y = svg.Group(class_="heading"), MARGIN + HEAD / 2 - 6
    group.append(pen.text(title, 20, MARGIN + 2, y, anchor="start", weight="bold"))
    if seat is not None:
        look = {"fill": table.shades(seat).piece, "stroke": pen.theme.ink}
        group.append(svg.Circle(MARGIN + 186, y, 8, **look))
    group.append(pen.text(what, 16, MARGIN + 202, y, anchor="start"))
    return svg.Part(f"heading {title} {what} {seat}", 0, group)


def _place(drawing: svg.Group, x: float, y: float) -> svg.Group:
    group = svg.Group(transform=svg.translate(round(x, 1), round(y, 1)))
    group.append(drawing)
    return group
