"""The map: terrain, river, structures, towns, bridges."""

import math
from collections.abc import Iterator

from jaxgames.internal.sentences import joined, spaced
from jaxgames.pictures import svg
from jaxgames.terra_mystica.render import icons, palette
from jaxgames.terra_mystica.render.pen import hexagon
from jaxgames.terra_mystica.render.table import Bridge, TableView, colour_name
from jaxgames.terra_mystica.state import NO_FACTION
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_ENDS,
    COLUMNS,
    LAND_COLUMN,
    LAND_NAMES,
    LAND_ROW,
    NUM_LAND,
    NUM_RIVER,
    RIVER_COLUMN,
    RIVER_NAMES,
    RIVER_ROW,
    ROWS,
    START_COLOURS,
    Colour,
)
from jaxgames.terra_mystica.text import effects, faction_words

RADIUS = 33.0  # pixels from the middle of a hex to a corner
STEP_X, STEP_Y = RADIUS * math.sqrt(3), RADIUS * 1.5
MARGIN = 12
WIDTH = STEP_X * COLUMNS + 2 * MARGIN
HEIGHT = STEP_Y * (ROWS - 1) + 2 * RADIUS + 2 * MARGIN
NAME_Y = -20.5  # of a hex's name, from its middle
PIECE_Y = 4
TERRAIN, MOTIF, MARKS, BRIDGES, PIECES = 1, 2, 3, 4, 5  # layers

# A few strokes for each terrain, so that it is known without its colour.
MOTIFS = {
    Colour.YELLOW: "M-17 6Q-9-4 0 5Q7-2 16 7M-8 14Q-1 8 9 14",
    Colour.BROWN: "M-12 11Q-12 2-16-1M-12 11Q-12 2-8-1M1 8Q1-2-3-5M1 8Q1-2 5-5"
    "M12 13Q12 4 8 1M12 13Q12 4 16 1",
    Colour.BLACK: "M-15 9H-3M-9 9V-3M-12 9V2M-6 9V2M2 14H14M8 14V2M5 14V7M11 14V7",
    Colour.BLUE: "M-16 0Q-12-5-8 0T0 0T8 0T16 0M-12 9Q-8 4-4 9T4 9T12 9",
    Colour.GREEN: "M-14 8L-8-6L-2 8ZM-8 8V12M2 12L8-2L14 12ZM8 12V16",
    Colour.GRAY: "M-17 11L-7-7L0 4L5-3L16 11ZM-10-2L-7 1L-4-2",
    Colour.RED: "M-14 11L-4-4H4L14 11M-4-4L-1 0L1-2M0-9V-12M-6-8L-8-11M6-8L8-11",
}
# A mermaid's tail.
TAIL = (
    "M0 13C-7 6-5-2-1-6C-8-5-12-9-12-14C-6-14-1-12 0-8C1-12 6-14 12-14C12-9 8-5 1-6C5-2 7 6 0 13Z"
)


def backdrop(pen: svg.Pen) -> svg.Group:
    """Returns the printed map."""
    dark = pen.theme is svg.DARK
    river, ripple = ("#2f5870", "#5585a0") if dark else ("#b9dcec", "#74a9c6")
    group = svg.Group(class_="map")
    frame = {"fill": pen.theme.dark_square}
    group.append(pen.box(0, 0, round(WIDTH, 1), round(HEIGHT, 1), 12, **frame))
    bed = "".join(hexagon(*_middle(row, column), RADIUS + 4) for row, column in _all_cells())
    group.append(svg.Path(bed, fill=river))
    for number in range(NUM_RIVER):
        x, y = river_middle(number)
        waves = "M-12 5q4-4 8 0t8 0t8 0M-8 12q4-4 8 0t8 0"
        place = svg.translate(round(x, 1), round(y, 1))
        look = {"stroke": ripple, "fill": "none", "stroke_width": 1.3}
        group.append(svg.Path(waves, transform=place, **look))
        name = pen.text(RIVER_NAMES[number], 7.5, x, y + NAME_Y + 8, ripple)
        group.append(svg.Group([name], class_=svg.COORDINATES))
    for number in range(NUM_LAND):
        group.append(_land(pen, number, int(START_COLOURS[number])))
    return group


def parts(pen: svg.Pen, table: TableView, before: TableView | None) -> Iterator[svg.Part]:
    """Yields the parts of the map that change; given `before`, also marks of changed hexes."""
    for number, colour in enumerate(table.colours):
        if colour != START_COLOURS[number]:
            drawing = _land(pen, number, colour)
            yield svg.Part(f"hex {number} {colour}", TERRAIN, drawing)
        if number not in table.structures:
            yield svg.Part(f"motif {number} {colour}", MOTIF, _motif(number, colour))
    for number in table.town_hexes:
        yield svg.Part(f"town {number}", MARKS, _town(number))
    for number in table.buildable:
        yield svg.Part(f"buildable {number}", MARKS, _outline(number, "buildable", "2 4"))
    for number in table.skipped:
        yield svg.Part(f"skipped {number}", MARKS, _skipped(number))
    for bridge in table.bridges:
        piece = table.shades(bridge.seat).piece
        yield svg.Part(f"bridge {bridge} {piece}", BRIDGES, _bridge(bridge, piece))
    for number, kind in table.structures.items():
        colour = table.colours[number]
        x, y = land_middle(number)
        piece = palette.SHADES[Colour(colour)].piece
        drawing = icons.structure(kind, piece, x, y + PIECE_Y, 0.95)
        group = svg.Group([drawing], class_=f"on-map {colour_name(colour)}")
        yield svg.Part(f"structure {number} {kind} {colour}", PIECES, group)
    if before is not None:
        for number in _changed(table, before):
            yield svg.Part(f"changed {number}", MARKS, _outline(number, "changed", "none"))


def areas(table: TableView) -> Iterator[svg.Area]:
    """Yields the hexes."""
    for number, colour in enumerate(table.colours):
        label = f"{LAND_NAMES[number]}, {colour_name(colour)}"
        effect = _terrain_words(table, colour)
        if number in table.structures:
            kind = table.structures[number]
            label += f", {spaced(kind.name)}"
            label += ", in a town" if number in table.town_hexes else ""
            effect = effects.structure(kind)
        shape = svg.Path(hexagon(*land_middle(number), RADIUS - 1.5))
        yield svg.Area(f"hex:{LAND_NAMES[number]}", label, shape, effect=effect)
    for number, name in enumerate(RIVER_NAMES):
        shape = svg.Path(hexagon(*river_middle(number), RADIUS - 4))
        yield svg.Area(f"river:{name}", f"river {name}", shape, effect=effects.RIVER)


def _terrain_words(table: TableView, colour: int) -> str:
    """Returns the name of a terrain, and what it takes to make it home for who decides next."""
    name = joined(faction_words.TERRAINS[Colour(colour)])
    if table.decider is None or table.factions[table.decider] == NO_FACTION:
        return name
    faction, dig = table.factions[table.decider], int(table.game.players.dig[table.decider])
    return f"{name} {faction_words.terraforming(faction, colour, dig)}"


def land_middle(number: int) -> tuple[float, float]:
    """Returns the middle of a land hex in pixels."""
    return _middle(int(LAND_ROW[number]), int(LAND_COLUMN[number]))


def river_middle(number: int) -> tuple[float, float]:
    """Returns the middle of a river hex in pixels."""
    return _middle(int(RIVER_ROW[number]), int(RIVER_COLUMN[number]))


def _middle(row: int, column: int) -> tuple[float, float]:
    x = MARGIN + STEP_X * (column + 0.5 + 0.5 * (row % 2))
    return x, MARGIN + RADIUS + STEP_Y * row


def _all_cells() -> list[tuple[int, int]]:
    land = zip(LAND_ROW.tolist(), LAND_COLUMN.tolist(), strict=True)
    river = zip(RIVER_ROW.tolist(), RIVER_COLUMN.tolist(), strict=True)
    return sorted([*land, *river])


def _changed(table: TableView, before: TableView) -> list[int]:
    """Returns the land hexes whose terrain or structure differs."""
    return [
        number
        for number in range(NUM_LAND)
        if table.colours[number] != before.colours[number]
        or table.structures.get(number) != before.structures.get(number)
    ]


def _land(pen: svg.Pen, number: int, colour: int) -> svg.Group:
    shades = palette.SHADES[Colour(colour)]
    x, y = land_middle(number)
    group = svg.Group(class_=f"hex {colour_name(colour)}")
    edge = {"stroke": shades.piece, "stroke_opacity": 0.55, "stroke_width": 1.2}
    group.append(svg.Path(hexagon(x, y, RADIUS - 1.2), fill=shades.hex, **edge))
    ink = "#ffffff" if colour == Colour.BLACK else "#2b241a"
    name = pen.text(LAND_NAMES[number], 8, x, y + NAME_Y, ink)
    group.append(svg.Group([name], class_=svg.COORDINATES))
    return group


def _motif(number: int, colour: int) -> svg.Group:
    x, y = land_middle(number)
    stroke = {"stroke": palette.SHADES[Colour(colour)].piece, "stroke_opacity": 0.5}
    place = svg.translate(round(x, 1), round(y, 1))
    motif = svg.Path(MOTIFS[Colour(colour)], transform=place)
    return svg.Group([motif], fill="none", stroke_width=1.6, **stroke)


def _town(number: int) -> svg.Group:
    x, y = land_middle(number)
    group = svg.Group(class_="town", fill="none")
    group.append(svg.Path(hexagon(x, y, RADIUS - 2.5), stroke=palette.GOLD_DARK, stroke_width=5))
    group.append(svg.Path(hexagon(x, y, RADIUS - 2.5), stroke=palette.GOLD, stroke_width=3.2))
    return group


def _outline(number: int, name: str, dashes: str) -> svg.Group:
    x, y = land_middle(number)
    group = svg.Group(class_=name, fill="none")
    look = {"stroke_dasharray": dashes, "stroke_linecap": "round"}
    rim = hexagon(x, y, RADIUS - 1)
    group.append(svg.Path(rim, stroke=palette.OUTLINE, stroke_width=5.5, **look))
    group.append(svg.Path(rim, stroke=palette.HALO, stroke_width=3, **look))
    return group


def _skipped(number: int) -> svg.Group:
    x, y = river_middle(number)
    mermaid = palette.SHADES[Colour.BLUE].piece
    group = svg.Group(class_="skipped")
    dashes = {"stroke_dasharray": "6 4", "fill": "none", "stroke_width": 3}
    group.append(svg.Path(hexagon(x, y, RADIUS - 5), stroke=palette.GOLD, **dashes))
    place = svg.translate(round(x, 1), round(y + 3, 1))
    edge = {"stroke": palette.HALO, "stroke_width": 1.5}
    group.append(svg.Path(TAIL, transform=place, fill=mermaid, **edge))
    return group


def _bridge(bridge: Bridge, colour: str) -> svg.Group:
    (x0, y0), (x1, y1) = (land_middle(int(end)) for end in BRIDGE_ENDS[bridge.place])
    # From the rim of one hex to the rim of the other, a little over the land.
    share = 0.27
    ax, ay = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    bx, by = x1 - share * (x1 - x0), y1 - share * (y1 - y0)
    line = f"M{ax:.1f} {ay:.1f}L{bx:.1f} {by:.1f}"
    group = svg.Group(class_="bridge", fill="none")
    group.append(svg.Path(line, stroke=palette.HALO, stroke_width=14))
    group.append(svg.Path(line, stroke=palette.OUTLINE, stroke_width=12))
    group.append(svg.Path(line, stroke=colour, stroke_width=9.5))
    planks = {"stroke_width": 9.5, "stroke_dasharray": "1.2 4.3", "stroke_opacity": 0.5}
    group.append(svg.Path(line, stroke="#ffffff", **planks))
    return group
