"""Cities and units."""

from collections.abc import Iterator

from jaxgames.internal.sentences import spaced
from jaxgames.pictures import svg
from jaxgames.tribes.render import icons, palette
from jaxgames.tribes.render.ground import corner
from jaxgames.tribes.render.scene import City, Scene, SeenUnit
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.terrain import Resource
from jaxgames.tribes.tables.units import WATER_UNITS, Status, UnitKind
from jaxgames.tribes.text import effects

CITIES, UNITS = 6, 7  # layers
# The shade of a unit by its status; "worn" for all other statuses.
BODIES = {Status.FRESH: "piece", Status.FINISHED: "faded", Status.PUSHED: "faded"}
TOKEN = (40, 25, 13.5)  # middle and radius of a unit, from the corner of its tile
SUPERUNIT_RADIUS = 15.5
HP_BAR = (28, 8.5)
HOUSES_AT = (19, 28)
PLAQUE = (2, 48, 56, 11)
PLAQUE_INK = "#ffffff"
# Houses of a city, the first ones at the lowest level: left edge, width, height.
_HOUSES = ((-9, 9, 12), (1, 9, 17), (-16, 8, 17), (-5, 8, 22), (9, 8, 12), (3, 7, 27))
_GROUND = 14  # lower edge of the houses
_MAX_SEGMENTS = 12


def cities(pen: svg.Pen, scene: Scene) -> Iterator[svg.Part]:
    """Yields the cities in sight."""
    for city in scene.cities.values():
        group = svg.placed(*corner(city.tile, scene.side), class_=_city_classes(city))
        group.append_title(f"{scene.tile_name(city.tile)}: {_describe_city(scene, city)}")
        group.append(_houses(scene, city))
        group.append(_plaque(pen, scene, city))
        yield svg.Part(f"city {city} {scene.name(city.tribe)}", CITIES, group)


def describe(scene: Scene, tile: int) -> list[str]:
    """Returns what is on a tile, in words: ground, city, unit."""
    terrain = scene.terrain[tile].name.lower().replace("_", " ")
    building = BuildingKind(int(scene.known.tiles.building[tile]))
    resource = Resource(int(scene.known.tiles.resource[tile]))
    things = [thing for thing in (building, resource) if thing >= 0]
    words = [f"{scene.tile_name(tile)}: {terrain}"]
    words[0] += "".join(f" with {thing.name.lower().replace('_', ' ')}" for thing in things[:1])
    if tile in scene.cities:
        words.append(_describe_city(scene, scene.cities[tile]))
    if tile in scene.units:
        words.append(_describe_unit(scene, scene.units[tile]))
    return words


def effect(scene: Scene, tile: int) -> str:
    """Returns what the things on a tile are good for, a line each: unit, building, ground."""
    config = scene.rules.config
    building = BuildingKind(int(scene.known.tiles.building[tile]))
    resource = Resource(int(scene.known.tiles.resource[tile]))
    lines = []
    if tile in scene.units:
        kind = scene.units[tile].kind
        lines.append((kind.name, effects.unit(config, kind)))
    if building >= 0:
        lines.append((building.name, effects.building(config, building)))
    if resource >= 0:
        lines.append((resource.name, effects.resource(config, resource)))
    ground = scene.terrain[tile]
    lines.append((ground.name, effects.terrain(config, ground)))
    return "\n".join(f"{spaced(name).capitalize()}: {words}" for name, words in lines)


def _city_classes(city: City) -> str:
    words = ["city", f"tribe-{city.tribe}", f"level-{city.level}"]
    words += ["walled"] if city.walls else []
    words += ["capital"] if city.capital_of >= 0 else []
    return " ".join(words + (["connected"] if city.connected else []))


def _describe_city(scene: Scene, city: City) -> str:
    owner = scene.name(city.tribe)
    name = f"city of {owner}"
    if city.capital_of >= 0:
        name = f"capital of {scene.name(city.capital_of)}"
        name += f", held by {owner}" if city.capital_of != city.tribe else ""
    text = f"{name}, level {city.level}"
    if city.population is not None:
        text += f", population {city.population} of {city.level + 1}"
        text += f", {city.units} of {city.level + 1} units, income {city.income}"
    text += ", walls" if city.walls else ""
    return text + (", connected to the capital" if city.connected else "")


def _houses(scene: Scene, city: City) -> svg.Group:
    colour = scene.shades(city.tribe).piece
    group = svg.placed(*HOUSES_AT, class_="houses")
    roofs = walls = windows = ""
    for left, width, height in _HOUSES[: min(city.level + 1, len(_HOUSES))]:
        top = _GROUND - height
        walls += f"M{left} {_GROUND}V{top}h{width}V{_GROUND}Z"
        roofs += f"M{left - 1} {top}l{width / 2 + 1:g}-7l{width / 2 + 1:g} 7Z"
        windows += f"M{left + width / 2 - 1:g} {top + 3}h2v3h-2Z"
    edge = {"stroke": palette.OUTLINE, "stroke_width": 1, "stroke_linejoin": "round"}
    group.append(svg.Path(walls, fill="#fbf3df", **edge))
    group.append(svg.Path(roofs, fill=colour, **edge))
    group.append(svg.Path(windows, fill=palette.OUTLINE))
    if city.walls:
        wall = "M-18 20V8h4v3h4V8h4v3h4V8h4v3h4V8h4v3h4V8h4V20Z"
        stone = {"stroke": palette.STONE_DARK, "stroke_width": 1.2}
        group.append(svg.Path(wall, fill=palette.STONE, class_="walls", **stone))
    if city.capital_of >= 0:
        crown = icons.glyph(icons.CROWN, palette.GOLD, -9, -17, 1.1)
        crown.args["stroke"], crown.args["stroke_width"] = palette.OUTLINE, 1
        group.append(crown)
    return group


def _plaque(pen: svg.Pen, scene: Scene, city: City) -> svg.Group:
    """Returns level, population and units of a city."""
    x, y, width, height = PLAQUE
    shades = scene.shades(city.tribe)
    middle = y + height / 2
    group = svg.Group(class_="plaque")
    look = {"fill": shades.piece, "stroke": palette.HALO, "stroke_width": 1}
    group.append(pen.box(x, y, width, height, 4, **look))
    group.append(pen.text(city.level, 9.5, x + 6.5, middle, shades.ink, weight="bold"))
    if city.connected:
        group.append(svg.Circle(x + width - 1, y + 1, 2.6, fill=palette.ROAD, stroke="#000"))
    if city.population is None:
        return group
    group.append(_population(city, x + 13, y + 2.5, 23, height - 5))
    count = f"{city.units}/{city.level + 1}"
    group.append(pen.text(count, 8, x + width - 3, middle, shades.ink, "end"))
    return group


def _population(city: City, x: float, y: float, width: float, height: float) -> svg.Group:
    """Returns a bar with a segment for each unit of population that the level needs."""
    group = svg.Group(class_=f"population-{city.population}")
    need, population = city.level + 1, city.population or 0
    step = width / need
    for segment in range(need):
        colour = palette.LACKING
        if segment < abs(population):
            colour = palette.POPULATION if population > 0 else palette.NEGATIVE
        gap = 0.8 if need <= _MAX_SEGMENTS else 0
        look = {"fill": colour, "class_": "segment", "rx": 0.8}
        group.append(
            svg.Rectangle(round(x + step * segment, 2), y, round(step - gap, 2), height, **look)
        )
    return group


def units(pen: svg.Pen, scene: Scene, before: Scene | None) -> Iterator[svg.Part]:
    """Yields the units in sight; with `before`, moved units slide and lost units leave."""
    moves = {} if before is None else _moves(scene, before)
    for unit in scene.units.values():
        part = _unit(pen, scene, unit)
        if unit.tile in moves:
            (x, y), (x0, y0) = (corner(tile, scene.side) for tile in (unit.tile, moves[unit.tile]))
            part = part._replace(slide=(x0 - x, y0 - y), layer=UNITS + 1)
        yield part
    if before is not None:
        stayed = {scene.identity[tile] for tile in scene.units}
        for tile, unit in before.units.items():
            if before.identity[tile] not in stayed:
                yield _unit(pen, before, unit)._replace(is_leaving=True)


def _moves(scene: Scene, before: Scene) -> dict[int, int]:
    """Returns the previous tile of each unit that has moved in sight, by its present tile."""
    was_on = {before.identity[tile]: tile for tile in before.units}
    now = {tile: was_on.get(scene.identity[tile], tile) for tile in scene.units}
    return {tile: old for tile, old in now.items() if old != tile}


def _unit(pen: svg.Pen, scene: Scene, unit: SeenUnit) -> svg.Part:
    shades, (x, y, radius) = scene.shades(unit.tribe), TOKEN
    radius = SUPERUNIT_RADIUS if unit.kind == UnitKind.SUPERUNIT else radius
    body = getattr(shades, BODIES.get(unit.status, "worn"))
    words = ["unit", unit.kind.name.lower().replace("_", "-"), f"tribe-{unit.tribe}"]
    words += [] if unit.status == Status.FRESH else [unit.status.name.lower().replace("_", "-")]
    group = svg.placed(*corner(unit.tile, scene.side), class_=" ".join(words))
    group.append_title(_describe_unit(scene, unit))
    group.append(svg.Circle(x, y, radius + 1.6, fill=palette.HALO, fill_opacity=0.9))
    rim = {"stroke": palette.OUTLINE, "stroke_width": 1.3}
    group.append(svg.Circle(x, y, radius, fill=body, **rim))
    group.append(icons.glyph(icons.UNITS[unit.kind], shades.ink, x, y, 0.88))
    if unit.kind in WATER_UNITS:
        group.append(svg.Circle(x - 12, y + 8, 7, fill=palette.HALO, stroke=palette.OUTLINE))
        cargo = icons.glyph(icons.UNITS[unit.cargo], palette.OUTLINE, x - 12, y + 8, 0.45)
        cargo.args["class"] = f"cargo-{unit.cargo.name.lower().replace('_', '-')}"
        group.append(cargo)
    if unit.veteran:
        star = icons.glyph(icons.STAR, palette.GOLD, x + 11, y - 10, 1.1)
        star.args.update({"class": "veteran", "stroke": palette.OUTLINE, "stroke-width": 0.9})
        group.append(star)
    group.append(_hp(pen, unit, x, y + radius + 3.5))
    return svg.Part(f"unit {unit} {body}", UNITS, group)


def _hp(pen: svg.Pen, unit: SeenUnit, x: float, y: float) -> svg.Group:
    width, height = HP_BAR
    share = min(unit.hp / unit.max_hp, 1)
    colour = palette.HP_LOW
    if share > 1 / 3:
        colour = palette.HP_GOOD if share > 2 / 3 else palette.HP_FAIR
    group = svg.Group(class_="hp")
    left, top = x - width / 2, y - height / 2
    back = {"fill": palette.OUTLINE, "stroke": palette.OUTLINE, "stroke_width": 1.4}
    group.append(pen.box(left, top, width, height, 3, **back))
    bar = {"fill": colour, "stroke": "none", "class_": "bar"}
    group.append(pen.box(left, top, round(width * share, 1), height, 3, **bar))
    group.append(pen.text(unit.hp, 8.5, x, y, PLAQUE_INK, weight="bold"))
    return group


def _describe_unit(scene: Scene, unit: SeenUnit) -> str:
    kind = unit.kind.name.lower().replace("_", " ")
    text = f"{scene.tile_name(unit.tile)}: {kind} of {scene.name(unit.tribe)}"
    if unit.kind in WATER_UNITS:
        text += f" with a {unit.cargo.name.lower().replace('_', ' ')} aboard"
    text += f", {unit.hp} of {unit.max_hp} HP"
    text += ", veteran" if unit.veteran else ""
    text += f", {unit.kills} kills" if unit.kills else ""
    status = unit.status.name.lower().replace("_", " ")
    return text if unit.status == Status.FRESH else f"{text}, {status}"
