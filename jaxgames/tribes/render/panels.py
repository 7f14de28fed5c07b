"""A panel for each tribe: score, stars, technologies, monuments."""

from collections.abc import Iterator

from jaxgames.internal.sentences import spaced
from jaxgames.pictures import svg
from jaxgames.tribes.render import icons, palette
from jaxgames.tribes.render.scene import Scene
from jaxgames.tribes.tables.buildings import FIRST_MONUMENT, BuildingKind, Monument, MonumentState
from jaxgames.tribes.tables.technologies import PARENT_BIT, PARENTS, TIER, Technology
from jaxgames.tribes.tables.tribes import Tribe
from jaxgames.tribes.text import effects

WIDTH, HEIGHT = 430, 186
HEAD = 30
LINE = 48  # height of the row of numbers
TREE_Y, TREE_STEP = 66, 23
MONUMENTS_Y = 153
COLUMN = (WIDTH - 16) / 10  # of the tree of technologies
BODY, LAYER = 1, 2
UNKNOWN = "?"
_SHORT = {
    Technology.CONSTRUCTION: "Constr.",
    Technology.MATHEMATICS: "Maths",
    Technology.MEDITATION: "Meditat.",
    Technology.NAVIGATION: "Navigat.",
    Technology.PHILOSOPHY: "Philos.",
    Technology.SPIRITUALISM: "Spirit.",
    Technology.FREE_SPIRIT: "Free sp.",
    Technology.SMITHERY: "Smith.",
    Technology.AQUATISM: "Aquat.",
}
_MONUMENT_NAMES = {
    Monument.ALTAR: "Altar",
    Monument.TOMB: "Tomb",
    Monument.EYE: "Eye",
    Monument.GATE: "Gate",
    Monument.BAZAR: "Bazar",
    Monument.PARK: "Park",
    Monument.TOWER: "Tower",
}


def parts(pen: svg.Pen, scene: Scene, tribe: int) -> Iterator[svg.Part]:
    """Yields the panel of a tribe; (0, 0) is its upper left corner."""
    yield _head(pen, scene, tribe)
    yield _numbers(pen, scene, tribe)
    yield from _technologies(pen, scene, tribe)
    yield _prices(pen, scene, tribe)
    yield _monuments(pen, scene, tribe)


def _head(pen: svg.Pen, scene: Scene, tribe: int) -> svg.Part:
    shades, name = scene.shades(tribe), scene.name(tribe)
    score = int(scene.known.tribes.score[tribe])
    acts = tribe == scene.active and not scene.known.over
    has_lost = scene.has_lost(tribe)
    note = "to move" if acts else "lost" if has_lost else ""
    group = pen.panel(f"panel tribe-{tribe}", WIDTH, HEIGHT, HEAD, shades.piece, acts)
    group.append(pen.text(name, 17, 14, 16, shades.ink, anchor="start", weight="bold"))
    group.append(pen.text(note, 13, WIDTH / 2, 16, shades.ink))
    points = f"{score:,} points"
    group.append(pen.text(points, 16, WIDTH - 14, 16, shades.ink, anchor="end", weight="bold"))
    return svg.Part(f"head {tribe} {name} {score} {note}", BODY, group)


def _numbers(pen: svg.Pen, scene: Scene, tribe: int) -> svg.Part:
    tribes = scene.known.tribes
    cities = int((scene.known.cities.tribe == tribe).sum())
    units = sum(unit.tribe == tribe for unit in scene.units.values())
    stars = kills = UNKNOWN
    peace = 0
    if scene.knows(tribe):
        stars = f"{int(tribes.stars[tribe])} ({scene.production(tribe):+})"
        kills, peace = str(int(tribes.kills[tribe])), int(tribes.peace[tribe])
    piece, muted = scene.shades(tribe).piece, pen.theme.muted
    entries = [
        (icons.STAR, palette.GOLD, stars),
        (icons.HOUSE, piece, str(cities)),
        (icons.HELMET, piece, str(units)),
        (icons.SWORDS, muted, kills),
    ]
    entries += [(icons.PEACE, muted, str(peace))] if peace else []
    group, x = svg.Group(class_=f"numbers tribe-{tribe}"), 22.0
    for path, colour, text in entries:
        icon = icons.glyph(path, colour, x, LINE, 1.25 if path == icons.STAR else 0.95)
        icon.args.update({"stroke": palette.OUTLINE, "stroke-width": 0.8})
        group.append(icon)
        group.append(pen.text(text, 15, x + 13, LINE, anchor="start", weight="bold"))
        x += 108 if path == icons.STAR else 66
    return svg.Part(f"numbers {tribe} {entries}", LAYER, group)


def _columns() -> dict[Technology, tuple[float, float]]:
    """Returns first column and number of columns of each technology: its children stand below."""
    children: dict[Technology, list[Technology]] = {technology: [] for technology in Technology}
    for technology, parent in PARENTS.items():
        children[parent].append(technology)
    found: dict[Technology, tuple[float, float]] = {}

    def place(technology: Technology, left: float, width: float) -> None:
        found[technology] = (left, width)
        below = children[technology]
        for number, child in enumerate(below):
            place(child, left + number * width / len(below), width / len(below))

    roots = [technology for technology in Technology if technology not in PARENTS]
    for number, root in enumerate(roots):
        place(root, number * 10 / len(roots), 10 / len(roots))
    return found


COLUMNS = _columns()


def areas(scene: Scene, tribe: int) -> Iterator[svg.Area]:
    """Yields head, technologies and monuments of a panel.

    The technologies that the tribe to move can still learn are named `technology:`.
    """
    config, known = scene.rules.config, int(scene.known.tribes.technologies[tribe])
    learns = tribe == scene.active and scene.knows(tribe) and not scene.known.over
    kind = Tribe(int(scene.known.tribes.tribe_ids[tribe]))
    head = svg.Rectangle(0, 0, WIDTH, HEAD, rx=10)
    yield svg.Area(f"panel{tribe}:tribe", scene.name(tribe), head, effect=effects.tribe(kind))
    for technology in COLUMNS:
        is_known = bool(known >> technology & 1)
        name = technology.name.lower()
        part, label = f"panel{tribe}:{name}", spaced(name) + (", known" if is_known else "")
        if learns and not is_known:
            part, label = f"technology:{name}", f"research {label}"
        x, y, width, height = _technology_box(technology)
        shape = svg.Rectangle(x, y, width, height, rx=4)
        yield svg.Area(part, label, shape, effect=effects.technology(config, technology))
    states = scene.known.tribes.monuments[tribe].tolist()
    for monument, state in zip(Monument, states, strict=True):
        x, y = _monument_place(monument)
        building = BuildingKind(FIRST_MONUMENT + monument)
        label = f"{spaced(building.name)}, {spaced(MonumentState(state).name)}"
        shape = svg.Rectangle(x - 19, y - 13, 38, 38, rx=6)
        effect = effects.building(config, building)
        yield svg.Area(f"panel{tribe}:{building.name.lower()}", label, shape, effect=effect)


def _technology_box(technology: Technology) -> tuple[float, float, float, float]:
    """Returns left, upper edge, width and height of a technology in the tree."""
    left, width = COLUMNS[technology]
    x, y = 8 + COLUMN * left + 1, TREE_Y + TREE_STEP * (int(TIER[technology]) - 1)
    return round(x, 1), y, round(COLUMN * width - 2, 1), TREE_STEP - 4


def _monument_place(monument: Monument) -> tuple[float, float]:
    """Returns the middle of a monument."""
    return 128 + 43 * monument, MONUMENTS_Y + 6


def _technologies(pen: svg.Pen, scene: Scene, tribe: int) -> Iterator[svg.Part]:
    """Yields the tree: known technologies are filled; the next ones have a dark rim."""
    shades, is_open = scene.shades(tribe), scene.knows(tribe)
    known = int(scene.known.tribes.technologies[tribe])
    for technology, (_, width) in COLUMNS.items():
        parent = int(PARENT_BIT[technology])
        state = "later"
        if known >> technology & 1:
            state = "known"
        elif is_open and known & parent == parent:
            state = "next"
        ink = {"known": shades.ink, "next": pen.theme.ink, "later": pen.theme.muted}[state]
        look = {"fill": "none", "stroke": ink, "stroke_opacity": 0.4 if state == "later" else 0.9}
        if state == "known":
            look = {"fill": shades.piece, "stroke": palette.OUTLINE}
        x, y, room, height = _technology_box(technology)
        group = svg.Group(class_=f"technology {state} tribe-{tribe}")
        group.append(pen.box(x, y, room, height, 4, **look))
        name = _SHORT.get(technology, technology.name.capitalize())
        letters = 10 if width > 1 else 8.2
        group.append(pen.text(name, letters, x + room / 2, y + height / 2, ink))
        yield svg.Part(f"technology {tribe} {technology} {state}", LAYER, group)


def _prices(pen: svg.Pen, scene: Scene, tribe: int) -> svg.Part:
    """Returns the prices of technologies by tier."""
    group, costs = svg.Group(class_=f"prices tribe-{tribe}"), scene.costs(tribe)
    if scene.knows(tribe):
        price = ", ".join(str(cost) for cost in costs)
        group.append(pen.text("Price by tier", 10, 14, MONUMENTS_Y + 2, pen.theme.muted, "start"))
        group.append(pen.text(price, 13, 14, MONUMENTS_Y + 18, anchor="start", weight="bold"))
    return svg.Part(f"prices {tribe} {costs}", LAYER, group)


def _monuments(pen: svg.Pen, scene: Scene, tribe: int) -> svg.Part:
    """Returns the monuments: available ones have a rim, unavailable ones are pale."""
    states = scene.known.tribes.monuments[tribe].tolist()
    group = svg.Group(class_=f"monuments tribe-{tribe}")
    for monument, number in zip(Monument, states, strict=True):
        state = MonumentState(number)
        x, y = _monument_place(monument)
        word = state.name.lower()
        holder = svg.Group(class_=f"monument {word}")
        holder.args["opacity"] = 0.22 if state == MonumentState.UNAVAILABLE else 1
        icon = icons.building(BuildingKind(FIRST_MONUMENT + monument), x, y, 0.62)
        holder.append(icon)
        if state == MonumentState.AVAILABLE:
            look = {"fill": "none", "stroke": pen.theme.accent, "stroke_width": 2.5}
            holder.append(pen.box(x - 13, y - 12, 26, 24, 7, **look))
        weight = "bold" if state == MonumentState.BUILT else "normal"
        holder.append(pen.text(_MONUMENT_NAMES[monument], 9, x, y + 18, weight=weight))
        group.append(holder)
    return svg.Part(f"monuments {tribe} {states}", LAYER, group)
