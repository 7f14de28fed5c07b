"""The ground: terrain, fog, resources, buildings, roads and borders."""

from collections.abc import Iterator

from jaxgames.pictures import svg
from jaxgames.tribes.render import icons, palette
from jaxgames.tribes.render.scene import Scene
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.terrain import Resource, Terrain

CELL = 60  # pixels
TERRAIN, ROADS, BORDERS, THINGS = 1, 2, 3, 4  # layers

_TREE = "l-6 11h3.4l-4.4 8h14l-4.4-8h3.4Z"
_WAVE = "q4-4 8 0t8 0"
_LOOKS: dict[Terrain, tuple[icons.Layer, ...]] = {
    Terrain.PLAIN: (
        icons.Layer("M9 14l2-5l2 5M44 11l2-5l2 5M12 50l2-5l2 5M47 47l2-5l2 5", edge="#93b556"),
    ),
    Terrain.SHALLOW_WATER: (
        icons.Layer(f"M6 13{_WAVE}M36 22{_WAVE}M9 42{_WAVE}M37 51{_WAVE}", edge="#5fb2d0", width=2),
    ),
    Terrain.DEEP_WATER: (
        icons.Layer(f"M7 12{_WAVE}M37 20{_WAVE}M8 43{_WAVE}M36 51{_WAVE}", edge="#2f6ea8", width=2),
    ),
    Terrain.MOUNTAIN: (
        icons.Layer("M3 54L22 13L33 33L40 22L57 54Z", "#8d9097", "#555962", 1.4),
        icons.Layer("M22 13L40 54H57L40 22L33 33Z", "#777b84", "none"),
        icons.Layer("M22 13L13.5 31L18 28L22 33L27 27L30.5 28.5ZM40 22L35 31L40 29L45 31Z", "#fff"),
    ),
    Terrain.VILLAGE: (
        icons.Layer("M9 41L20 17L31 41ZM29 45L39 24L50 45Z", "#c89a62", "#5b3a1c", 1.6),
        icons.Layer("M17 41L20 30L23 41ZM36 45L39 35L42 45Z", "#5b3a1c", "none"),
        icons.Layer("M20 17L17 12M20 17L23 12M39 24L36 19M39 24L42 19", edge="#5b3a1c", width=1.6),
    ),
    Terrain.CITY: (),
    Terrain.FOREST: (
        icons.Layer(
            f"M13 4{_TREE}M31 1{_TREE}M49 5{_TREE}M12 35{_TREE}M31 39{_TREE}M50 34{_TREE}",
            "#3f8a3c",
            "#235223",
            1,
        ),
    ),
    Terrain.FOG: (
        icons.Layer(
            "M8 26a7 7 0 0 1 8-9a9 9 0 0 1 16-1a7 7 0 0 1 9 9a6 6 0 0 1-2 1ZM24 50a6 6 0 0 1 7-8"
            "a8 8 0 0 1 15 0a6 6 0 0 1 6 8Z",
            "#ffffff",
            "#b9c4d1",
            1.2,
        ),
    ),
}


def corner(tile: int, side: int) -> tuple[float, float]:
    """Returns the upper left corner of a tile on the board, in pixels."""
    row, column = divmod(tile, side)
    return CELL * column, CELL * row


def parts(scene: Scene) -> Iterator[svg.Part]:
    """Yields the ground of all tiles."""
    for tile in range(scene.side**2):
        terrain = scene.terrain[tile]
        yield svg.Part(f"ground {tile} {terrain}", TERRAIN, _terrain(scene, tile))
        yield from _thing(scene, tile)
    yield from _roads(scene)
    yield from _borders(scene)


def _terrain(scene: Scene, tile: int) -> svg.Group:
    terrain = scene.terrain[tile]
    name = terrain.name.lower().replace("_", "-")
    group = svg.placed(*corner(tile, scene.side), class_=f"tile {name}")
    thin = {"stroke": palette.GRID, "stroke_opacity": 0.18}
    group.append(svg.Rectangle(0, 0, CELL, CELL, fill=palette.GROUND[terrain], **thin))
    group.append(icons.drawn(_LOOKS[terrain], 0, 0, 1, "look"))
    return group


def _thing(scene: Scene, tile: int) -> Iterator[svg.Part]:
    """Yields the building on a tile, or else its resource; smaller where a unit stands."""
    building = BuildingKind(int(scene.known.tiles.building[tile]))
    resource = Resource(int(scene.known.tiles.resource[tile]))
    if building == BuildingKind.NONE and resource == Resource.NONE:
        return
    is_small = tile in scene.units
    x, y, scale = (16, 16, 0.72) if is_small else (CELL / 2, CELL / 2, 1.15)
    group = svg.placed(*corner(tile, scene.side))
    name = f"thing {tile} {building} {resource} {is_small}"
    if building != BuildingKind.NONE:
        group.append(icons.building(building, x, y, scale))
        level = int(scene.known.tiles.temple_level[tile])
        if level:
            group.append(_temple_level(level, x + 15 * scale, y + 14 * scale))
            name += f" {level}"
    else:
        group.append(icons.resource(resource, x, y, scale))
    yield svg.Part(name, THINGS, group)


def _temple_level(level: int, x: float, y: float) -> svg.Group:
    group = svg.Group(class_="temple-level")
    group.append(svg.Circle(x, y, 6, fill=palette.OUTLINE))
    group.append(svg.Pen(svg.LIGHT).text(level, 9, x, y, palette.HALO, weight="bold"))
    return group


def _roads(scene: Scene) -> Iterator[svg.Part]:
    """Yields a piece of road from the middle of each tile towards each linked neighbour."""
    ends = {tile for tile, is_road in enumerate(scene.roads) if is_road} | set(scene.cities)
    for tile in sorted(ends):
        linked = [other for other in scene.neighbours(tile) if other in ends]
        path = "M30 30h.01"  # a dot where no other road is near
        if not scene.roads[tile]:
            linked = [other for other in linked if scene.roads[other]]
            path = ""
        row, column = divmod(tile, scene.side)
        for other in linked:
            down, right = other // scene.side - row, other % scene.side - column
            path += f"M30 30l{30 * right} {30 * down}"
        if path:
            group = svg.placed(*corner(tile, scene.side), class_="road", stroke_linecap="round")
            for colour, width in ((palette.ROAD_EDGE, 9), (palette.ROAD, 6)):
                group.append(svg.Path(path, fill="none", stroke=colour, stroke_width=width))
            yield svg.Part(f"road {tile} {path}", ROADS, group)


def _borders(scene: Scene) -> Iterator[svg.Part]:
    """Yields the territory of each tribe: a tint, and lines where it is known to end."""
    cities = scene.known.tiles.owner
    for tile, tribe in enumerate(scene.owner):
        if tribe < 0:
            continue
        lines = inner = ""
        for path, other in _edges(tile, scene.side):
            if other is None or (scene.sees(other) and scene.owner[other] != tribe):
                lines += path
            elif scene.owner[other] == tribe and cities[other] != cities[tile]:
                inner += path
        colour = scene.shades(tribe).piece
        group = svg.placed(*corner(tile, scene.side), class_=f"border tribe-{tribe}", fill="none")
        group.append(svg.Rectangle(0, 0, CELL, CELL, fill=colour, fill_opacity=0.09))
        if inner:
            look = {"stroke": colour, "stroke_width": 1.2, "stroke_dasharray": "4 4"}
            group.append(svg.Path(inner, **look))
        if lines:
            group.append(svg.Path(lines, stroke=palette.HALO, stroke_width=5.5, stroke_opacity=0.8))
            group.append(svg.Path(lines, stroke=colour, stroke_width=3.6, class_="edge"))
        yield svg.Part(f"border {tile} {tribe} {lines} {inner}", BORDERS, group)


def _edges(tile: int, side: int) -> Iterator[tuple[str, int | None]]:
    """Yields the line along each edge of a tile, and the tile beyond it."""
    row, column = divmod(tile, side)
    low, high = 2, CELL - 2
    yield f"M0 {low}H{CELL}", tile - side if row else None
    yield f"M0 {high}H{CELL}", tile + side if row < side - 1 else None
    yield f"M{low} 0V{CELL}", tile - 1 if column else None
    yield f"M{high} 0V{CELL}", tile + 1 if column < side - 1 else None
