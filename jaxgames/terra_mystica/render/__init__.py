"""Pictures of Terra Mystica: the whole table in one position, and a game as an animation.

The map and the cult board are at the top. Below them are power actions, scoring tiles and the cards
and tiles that are left, then the board of each player.
"""

from collections.abc import Iterator

from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.renderer import Renderer
from jaxgames.terra_mystica.render import (
    board_areas,
    boards,
    clicks,
    cults,
    hexmap,
    situation,
    supply,
)
from jaxgames.terra_mystica.render.figures import FIGURES as FIGURES
from jaxgames.terra_mystica.render.table import TableView
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.text import effects, notation

MARGIN, GAP = 14, 12
HEAD = 34
MAP_Y = MARGIN + HEAD
CULTS_X = MARGIN + hexmap.WIDTH + GAP
SUPPLY_Y = MAP_Y + hexmap.HEIGHT + GAP + 4
BOARDS_Y = SUPPLY_Y + supply.HEIGHT + GAP
COLUMNS = 2  # of players' boards
WIDTH = 2 * MARGIN + supply.WIDTH


def glossary(rules: TerraMystica) -> dict[str, dict[str, str]]:
    """Returns what tiles, cards, actions and factions do, in words."""
    del rules
    return effects.glossary()


def click_paths(rules: TerraMystica, game: TerraMysticaState) -> list[ClickPath]:
    """Returns the clicks for each legal action; conversions and the like have none."""
    legal = notation.playable_moves(rules, game)
    return [path for action in legal for path in clicks.paths_of(action)]


def decision(rules: TerraMystica, game: TerraMysticaState) -> str:
    """Returns who has to decide what, in words."""
    return situation.decision(TableView(rules, game))


def seat_looks(
    rules: TerraMystica, game: TerraMysticaState, theme: str = "light"
) -> list[svg.SeatLook]:
    """Returns name and colour of each seat: those of its faction."""
    svg.get_theme(theme)
    table = TableView(rules, game)
    return [
        svg.SeatLook(table.name(seat), table.shades(seat).piece)
        for seat in range(table.num_players)
    ]


class TableDrawing:
    """One position with a pen to draw it."""

    def __init__(
        self,
        rules: TerraMystica,
        game: TerraMysticaState,
        theme: svg.Theme,
        seat: int | None = None,
    ) -> None:
        del seat  # nothing is hidden
        self.pen = svg.Pen(theme)
        self.table = TableView(rules, game)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture, in pixels."""
        rows = -(-self.table.num_players // COLUMNS)
        return WIDTH, round(BOARDS_Y + rows * (boards.HEIGHT + GAP) - GAP + MARGIN, 1)

    @property
    def description(self) -> str:
        """The position in words."""
        table = self.table
        points = table.game.players.vp.tolist()
        players = (f"{table.name(seat)} {vp} VP" for seat, vp in enumerate(points))
        chapter = notation.chapter(table.rules, table.game)
        return f"{chapter}; {', '.join(players)}; {situation.decision(table)}"

    def backdrop(self) -> svg.Group:
        """Returns the parts that stay the same throughout a game."""
        pen, group = self.pen, svg.Group(font_family=svg.SERIF)
        background = {"fill": pen.theme.background, "stroke": "none"}
        width, height = self.size
        group.append(pen.box(0, 0, width, height, 14, **background))
        for x, y, drawing in (
            (MARGIN, MAP_Y, hexmap.backdrop(pen)),
            (CULTS_X, MAP_Y, cults.backdrop(pen)),
            (MARGIN, SUPPLY_Y, supply.backdrop(pen)),
        ):
            group.append(svg.placed(round(x, 1), y, drawings=[drawing]))
        return group

    def parts(self, before: "TableDrawing | None") -> Iterator[svg.Part]:
        """Yields the parts that may change in a game."""
        pen, table = self.pen, self.table
        yield self._heading()
        places: list[tuple[float, float, Iterator[svg.Part]]] = [
            (MARGIN, MAP_Y, hexmap.parts(pen, table, None if before is None else before.table)),
            (CULTS_X, MAP_Y, cults.parts(pen, table, None if before is None else before.table)),
            (MARGIN, SUPPLY_Y, supply.parts(pen, table)),
        ]
        for seat in range(table.num_players):
            places.append((*_board_place(seat), boards.parts(pen, table, seat)))
        for x, y, parts in places:
            yield from (svg.shifted(part, round(x, 1), round(y, 1)) for part in parts)

    def areas(self) -> Iterator[svg.Area]:
        """Yields the hexes, the cults, the supply, and the boards of the players."""
        table = self.table
        places: list[tuple[float, float, Iterator[svg.Area]]] = [
            (MARGIN, MAP_Y, hexmap.areas(table)),
            (CULTS_X, MAP_Y, cults.areas(table)),
            (MARGIN, SUPPLY_Y, supply.areas(table)),
        ]
        for seat in range(table.num_players):
            places.append((*_board_place(seat), board_areas.areas(self.pen, table, seat)))
        for x, y, areas in places:
            yield from (area._replace(place=(round(x, 1), round(y, 1))) for area in areas)

    def _heading(self) -> svg.Part:
        pen, table = self.pen, self.table
        title = notation.chapter(table.rules, table.game)
        what, seat = situation.decision(table), table.decider
        group, y = svg.Group(class_="heading"), MARGIN + HEAD / 2 - 6
        group.append(pen.text(title, 20, MARGIN + 2, y, anchor="start", weight="bold"))
        if seat is not None:
            look = {"fill": table.shades(seat).piece, "stroke": pen.theme.ink}
            group.append(svg.Circle(MARGIN + 186, y, 8, **look))
        group.append(pen.text(what, 16, MARGIN + 202, y, anchor="start"))
        return svg.Part(f"heading {title} {what} {seat}", 0, group)


RENDERER = Renderer("Terra Mystica", TableDrawing)
render, animate = RENDERER.render, RENDERER.animate


def _board_place(seat: int) -> tuple[float, float]:
    """Returns the upper left corner of the board of a player."""
    row, column = divmod(seat, COLUMNS)
    return MARGIN + column * (boards.WIDTH + GAP), BOARDS_Y + row * (boards.HEIGHT + GAP)
