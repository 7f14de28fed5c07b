"""Pictures of Tribes: a position in full or as one seat knows it, and a game as an animation.

The board lies on the left, with columns as letters and rows as numbers as in the notation; the
panels of the tribes stand on the right.
"""

from collections.abc import Iterator

from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.pictures.renderer import Renderer
from jaxgames.tribes.render import ground, palette, panels, pieces, situation
from jaxgames.tribes.render.figures import FIGURES as FIGURES
from jaxgames.tribes.render.ground import CELL
from jaxgames.tribes.render.scene import Scene
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.tribes import TITLES, Tribe
from jaxgames.tribes.tables.units import Status
from jaxgames.tribes.text import commands, effects, notation, position_text

MARGIN, GAP = 14, 14
HEAD = 34
LABELS = 24  # room for the names of rows and columns
BOARD_X, BOARD_Y = MARGIN + LABELS, MARGIN + HEAD + LABELS
MARKS = 5  # layer, above the ground and below cities


def glossary(rules: Tribes) -> dict[str, dict[str, str]]:
    """Returns what technologies, units, buildings and actions do, in words."""
    return effects.glossary(rules.config)


def click_paths(rules: Tribes, game: TribesState) -> list[ClickPath]:
    """Returns the clicks for each legal action: tiles and technologies; others have none."""
    legal = notation.playable_moves(rules, game)
    return [ClickPath(action, _clicked(words)) for action, words in legal.items()]


def _clicked(words: str) -> tuple[str, ...]:
    match words.split():
        case ["move" | "attack" | "convert", tile]:
            return (f"tile:{tile}",)
        case ["research", name]:
            return (f"technology:{name}",)
        case [name] if commands.TILE.fullmatch(name):
            return (f"tile:{name}",)
    return ()


def decision(rules: Tribes, game: TribesState) -> str:
    """Returns who has to decide what, in words."""
    return situation.decision(Scene(rules, game))


def seat_looks(rules: Tribes, game: TribesState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat: those of its tribe."""
    svg.get_theme(theme)
    tribe_ids = position_text.to_host(rules.config, game).tribes.tribe_ids.tolist()
    return [
        svg.SeatLook(TITLES[Tribe(tribe)], palette.SHADES[Tribe(tribe)].piece)
        for tribe in tribe_ids
    ]


class SceneDrawing:
    """One position, in full or as one seat knows it, with a pen to draw it."""

    def __init__(
        self, rules: Tribes, game: TribesState, theme: svg.Theme, seat: int | None = None
    ) -> None:
        self.pen = svg.Pen(theme)
        self.scene = Scene(rules, game, seat)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture, in pixels."""
        board = CELL * self.scene.side
        stack = self.scene.num_players * (panels.HEIGHT + GAP) - GAP
        height = max(BOARD_Y + board, MARGIN + HEAD + stack) + MARGIN
        return BOARD_X + board + GAP + panels.WIDTH + MARGIN, height

    @property
    def description(self) -> str:
        """The position in words."""
        scene = self.scene
        scores = scene.known.tribes.score.tolist()
        tribes = (f"{scene.name(tribe)} {score:,}" for tribe, score in enumerate(scores))
        return f"{situation.heading(scene)}; {', '.join(tribes)}; {situation.decision(scene)}"

    def backdrop(self) -> svg.Group:
        """Returns the parts that stay the same throughout a game."""
        pen, scene, group = self.pen, self.scene, svg.Group(font_family=svg.SERIF)
        background = {"fill": pen.theme.background, "stroke": "none"}
        width, height = self.size
        group.append(pen.box(0, 0, width, height, 14, **background))
        edge = {"fill": "none", "stroke": pen.theme.frame, "stroke_width": 4}
        size = CELL * scene.side
        group.append(pen.box(BOARD_X - 2, BOARD_Y - 2, size + 4, size + 4, 3, **edge))
        names = svg.Group(class_=svg.COORDINATES)
        for number in range(scene.side):
            middle = CELL * number + CELL / 2
            column, row = scene.tile_name(number)[:1], scene.tile_name(number * scene.side)[1:]
            top, left = BOARD_Y - LABELS / 2 - 2, BOARD_X - LABELS / 2 - 2
            names.append(pen.text(column, 13, BOARD_X + middle, top, pen.theme.muted))
            names.append(pen.text(row, 13, left, BOARD_Y + middle, pen.theme.muted))
        group.append(names)
        return group

    def parts(self, before: "SceneDrawing | None") -> Iterator[svg.Part]:
        """Yields everything that may change."""
        pen, scene, earlier = self.pen, self.scene, None if before is None else before.scene
        yield self._heading()
        on_board = [
            *ground.parts(scene),
            *pieces.cities(pen, scene),
            *_marks(scene, earlier),
            *pieces.units(pen, scene, earlier),
        ]
        yield from (svg.shifted(part, BOARD_X, BOARD_Y) for part in on_board)
        for tribe in range(scene.num_players):
            place = _panel_place(scene, tribe)
            yield from (svg.shifted(part, *place) for part in panels.parts(pen, scene, tribe))

    def areas(self) -> Iterator[svg.Area]:
        """Yields the tiles, and the parts of the panels."""
        scene = self.scene
        for tile in range(scene.side**2):
            x, y = ground.corner(tile, scene.side)
            shape = svg.Rectangle(x + 2, y + 2, CELL - 4, CELL - 4, rx=5)
            label = "; ".join(pieces.describe(scene, tile))
            name, effect = f"tile:{scene.tile_name(tile)}", pieces.effect(scene, tile)
            yield svg.Area(name, label, shape, (BOARD_X, BOARD_Y), effect)
        for tribe in range(scene.num_players):
            place = _panel_place(scene, tribe)
            yield from (area._replace(place=place) for area in panels.areas(scene, tribe))

    def _heading(self) -> svg.Part:
        title, what = situation.heading(self.scene), situation.decision(self.scene)
        group, y = svg.Group(class_="heading"), MARGIN + HEAD / 2 - 6
        group.append(self.pen.text(title, 20, MARGIN + 2, y, anchor="start", weight="bold"))
        group.append(self.pen.text(what, 17, self.size[0] - MARGIN - 2, y, anchor="end"))
        return svg.Part(f"heading {title} {what}", 0, group)


RENDERER = Renderer("Tribes", SceneDrawing)
render, animate = RENDERER.render, RENDERER.animate


def _panel_place(scene: Scene, tribe: int) -> tuple[float, float]:
    """Returns the upper left corner of the panel of a tribe."""
    y = MARGIN + HEAD + tribe * (panels.HEIGHT + GAP)
    return BOARD_X + CELL * scene.side + GAP, y


def _marks(scene: Scene, before: Scene | None) -> Iterator[svg.Part]:
    """Yields frames around the chosen tile, and around tiles that have changed."""
    if scene.selected is not None:
        frame = _frame(scene, scene.selected, "selected", palette.GOLD, "none")
        yield svg.Part(f"selected {scene.selected}", MARKS, frame)
    if before is not None:
        for tile in _changed(scene, before):
            frame = _frame(scene, tile, "changed", palette.HALO, "7 5")
            yield svg.Part(f"changed {tile}", MARKS, frame)


def _changed(scene: Scene, before: Scene) -> list[int]:
    def look(of: Scene, tile: int) -> list[object]:
        unit = of.units.get(tile)
        shown = None if unit is None else unit._replace(status=Status.FRESH)
        layers = (of.known.tiles.resource, of.known.tiles.building, of.known.tiles.temple_level)
        tiles = [layer[tile] for layer in layers]
        return [
            shown,
            of.cities.get(tile),
            of.terrain[tile],
            of.owner[tile],
            of.roads[tile],
            *tiles,
        ]

    return [tile for tile in range(scene.side**2) if look(scene, tile) != look(before, tile)]


def _frame(scene: Scene, tile: int, name: str, colour: str, dashes: str) -> svg.Group:
    group = svg.placed(*ground.corner(tile, scene.side), class_=name, fill="none")
    box = (3, 3, CELL - 6, CELL - 6)
    look = {"rx": 5, "stroke_dasharray": dashes}
    group.append(svg.Rectangle(*box, stroke=palette.OUTLINE, stroke_width=5, **look))
    group.append(svg.Rectangle(*box, stroke=colour, stroke_width=3, **look))
    return group
