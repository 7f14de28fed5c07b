"""The cult board: four tracks with the markers of the players, and their priests."""

from collections.abc import Iterator

from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import hexmap, icons, palette
from jaxgames.terra_mystica.render.table import TableView
from jaxgames.terra_mystica.tables.tiles import (
    CULT_NAMES,
    CULT_POWER,
    NUM_CULTS,
    NUM_SPOTS,
    SPOT_STEPS,
    TOP_LEVEL,
)
from jaxgames.terra_mystica.text import effects

TRACK = 69  # width of a track in pixels
MARGIN = 7
HEAD = 44
FOOT = 48
HEIGHT = round(hexmap.HEIGHT, 1)
CELL = (HEIGHT - HEAD - FOOT) / (TOP_LEVEL + 1)
WIDTH = TRACK * NUM_CULTS + 2 * MARGIN
SPOT = 16
MARKER = 6  # radius
LAYER = 1


def backdrop(pen: svg.Pen) -> svg.Group:
    """Returns the printed board."""
    group = svg.Group(class_="cult-board")
    group.append(pen.box(0, 0, WIDTH, HEIGHT, 12))
    for cult, kind in enumerate(icons.CULT_KINDS):
        left = _left(cult)
        middle = left + TRACK / 2 - 1
        group.append(icons.icon(kind, middle, 15))
        group.append(pen.text(CULT_NAMES[cult].title(), 11, middle, 33))
        for level in range(TOP_LEVEL + 1):
            y = _top(level)
            look = {"fill": palette.CULTS[cult], "fill_opacity": 0.12 + 0.035 * level}
            shape = pen.box(left, y, TRACK - 3, CELL - 2, 4, stroke=pen.theme.line, **look)
            group.append(shape)
            group.append(pen.text(level, 9, left + 8, y + 8))
            power = int(CULT_POWER[level] - CULT_POWER[max(level - 1, 0)])
            if power:
                place = (left + TRACK - 11, y + CELL - 2)
                group.append(icons.row(pen, [icons.Item("power", power)], *place, 0.72))
            if level == TOP_LEVEL:
                group.append(icons.icon("keys", left + TRACK - 15, y + 8, 0.7))
        for spot in range(NUM_SPOTS):
            x, y = _spot(cult, spot)
            group.append(pen.box(x, y, SPOT - 1, 26, 3))
            group.append(pen.text(int(SPOT_STEPS[spot]), 11, x + SPOT / 2, y + 13, pen.theme.muted))
    return group


def parts(pen: svg.Pen, table: TableView, before: TableView | None) -> Iterator[svg.Part]:
    """Yields markers, gliding from where they were before, and priests."""
    places = _marker_places(table)
    old = {} if before is None else _marker_places(before)
    for (seat, cult), (x, y) in places.items():
        shades = table.shades(seat)
        group = svg.Group(class_="marker")
        look = {"stroke": palette.OUTLINE, "stroke_width": 1}
        group.append(svg.Circle(x, y, MARKER + 1, fill=palette.HALO))
        group.append(svg.Circle(x, y, MARKER, fill=shades.piece, **look))
        old_x, old_y = old.get((seat, cult), (x, y))
        slide = None if (old_x, old_y) == (x, y) else (old_x - x, old_y - y)
        yield svg.Part(f"marker {seat} {cult} {x} {y} {shades.piece}", LAYER, group, slide)
    for cult, spots in enumerate(table.game.supply.spots.tolist()):
        for spot, owner in enumerate(spots):
            if owner:
                x, y = _spot(cult, spot)
                piece = table.shades(owner - 1).piece
                group = svg.Group(class_="on-cult-board")
                group.append(pen.box(x, y, SPOT - 1, 26, 3))
                group.append(icons.priest(piece, x + SPOT / 2 - 0.5, y + 13, 0.95))
                yield svg.Part(f"priest {cult} {spot} {piece}", LAYER, group)


def areas(table: TableView) -> Iterator[svg.Area]:
    """Yields the tracks."""
    levels = table.game.players.cults.tolist()
    for cult, name in enumerate(CULT_NAMES):
        players = ", ".join(
            f"{table.name(seat)} {levels[seat][cult]}" for seat in range(table.num_players)
        )
        shape = svg.Rectangle(_left(cult), 4, TRACK - 3, HEIGHT - 8, rx=6)
        label, effect = f"{name.title()} cult: {players}", effects.cult(cult)
        yield svg.Area(f"cult:{name}", label, shape, effect=effect)


def _marker_places(table: TableView) -> dict[tuple[int, int], tuple[float, float]]:
    """Returns the middle of each seat's marker on each cult."""
    places = {}
    levels = table.game.players.cults.tolist()
    for cult in range(NUM_CULTS):
        for level in range(TOP_LEVEL + 1):
            seats = [seat for seat in range(table.num_players) if levels[seat][cult] == level]
            step = min(2 * MARKER + 2, (TRACK - 17) / max(len(seats) - 1, 1))
            x = _left(cult) + (TRACK - 3) / 2 - step * (len(seats) - 1) / 2
            for index, seat in enumerate(seats):
                places[seat, cult] = (round(x + step * index, 1), round(_top(level) + CELL / 2, 1))
    return places


def _left(cult: int) -> float:
    return MARGIN + TRACK * cult + 1


def _top(level: int) -> float:
    return round(HEAD + CELL * (TOP_LEVEL - level), 1)


def _spot(cult: int, spot: int) -> tuple[float, float]:
    return _left(cult) + 1 + SPOT * spot, HEIGHT - FOOT + 12
