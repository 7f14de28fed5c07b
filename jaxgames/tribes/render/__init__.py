"""Pictures of Tribes: a position in full or as one seat knows it, and a game as an animation.

The board lies on the left, with columns as letters and rows as numbers as in the notation; the
panels of the tribes stand on the right.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxgames.pictures import animation, svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.tribes.render import ground, palette, panels, pieces, situation
from jaxgames.tribes.render.ground import CELL
from jaxgames.tribes.render.pen import placed
from jaxgames.tribes.render.scene import NAMES, Scene
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.tribes import Tribe
from jaxgames.tribes.tables.units import Status
from jaxgames.tribes.text import commands, notation, position_text

MARGIN, GAP = 14, 14
HEAD = 34
LABELS = 24  # room for the names of rows and columns
BOARD_X, BOARD_Y = MARGIN + LABELS, MARGIN + HEAD + LABELS
MARKS = 5  # layer, above the ground and below cities


def render(
    rules: Tribes,
    game: TribesState,
    previous: TribesState | None = None,
    theme: str = "light",
    seat: int | None = None,
) -> svg.Picture:
    """Returns a drawing of a position.

    Args:
        rules: the rules that the position belongs to.
        game: one game, on host or device.
        previous: an earlier position; if given, tiles that have changed since are marked.
        theme: `"light"` or `"dark"`.
        seat: the tribe whose knowledge is drawn; None for everything.

    Raises:
        ValueError: for a batch of games, a game of other tribes or another board, an unknown theme
            or a seat that does not exist.
    """
    pen = svg.Pen(svg.get_theme(theme))
    before = None if previous is None else Drawing(pen, Scene(rules, previous, seat))
    return svg.picture_of("Tribes", Drawing(pen, Scene(rules, game, seat)), before)


def animate(
    rules: Tribes,
    games: Sequence[TribesState],
    seconds_per_move: float = 1.0,
    theme: str = "light",
    seat: int | None = None,
) -> svg.Picture:
    """Returns an animation of positions of a game, in order.

    Raises:
        ValueError: as for `render`, or for no position or a time that is not positive.
    """
    pen = svg.Pen(svg.get_theme(theme))
    drawings = [Drawing(pen, Scene(rules, game, seat)) for game in animation.in_order(games)]
    return animation.film_of("Tribes", drawings, seconds_per_move)


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


def seat_looks(rules: Tribes, game: TribesState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat: those of its tribe."""
    svg.get_theme(theme)
    tribe_ids = position_text.to_host(rules.config, game).tribes.tribe_ids.tolist()
    return [
        svg.SeatLook(NAMES[Tribe(tribe)], palette.SHADES[Tribe(tribe)].piece) for tribe in tribe_ids
    ]


class Drawing(NamedTuple):
    """One position with a pen to draw it."""

    pen: svg.Pen
    scene: Scene

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture, in pixels."""
        return _width(self.scene), _height(self.scene)

    @property
    def description(self) -> str:
        """The position in words."""
        return _describe(self.scene)

    def backdrop(self) -> svg.Group:
        """Returns the parts that stay the same throughout a game."""
        return _backdrop(self.pen, self.scene)

    def parts(self, before: "Drawing | None") -> Iterable[svg.Part]:
        """Returns the parts of the position."""
        return _parts(self.pen, self.scene, None if before is None else before.scene)

    def areas(self) -> Iterable[svg.Area]:
        """Returns the tiles, and the technologies of the tribe to move."""
        return _areas(self.scene)


def _width(scene: Scene) -> float:
    return BOARD_X + CELL * scene.side + GAP + panels.WIDTH + MARGIN


def _height(scene: Scene) -> float:
    stack = scene.num_players * (panels.HEIGHT + GAP) - GAP
    return max(BOARD_Y + CELL * scene.side, MARGIN + HEAD + stack) + MARGIN


def _describe(scene: Scene) -> str:
    scores = scene.known.tribes.score.tolist()
    tribes = (f"{scene.name(tribe)} {score:,}" for tribe, score in enumerate(scores))
    return f"{situation.heading(scene)}; {', '.join(tribes)}; {situation.decision(scene)}"


def _backdrop(pen: svg.Pen, scene: Scene) -> svg.Group:
    """Returns the parts that stay the same throughout a game."""
    group = svg.Group(font_family=svg.SERIF)
    background = {"fill": pen.theme.background, "stroke": "none"}
    group.append(pen.box(0, 0, _width(scene), _height(scene), 14, **background))
    edge = {"fill": "none", "stroke": pen.theme.frame, "stroke_width": 4}
    size = CELL * scene.side
    group.append(pen.box(BOARD_X - 2, BOARD_Y - 2, size + 4, size + 4, 3, **edge))
    for number in range(scene.side):
        middle = CELL * number + CELL / 2
        column, row = scene.tile_name(number)[:1], scene.tile_name(number * scene.side)[1:]
        top, left = BOARD_Y - LABELS / 2 - 2, BOARD_X - LABELS / 2 - 2
        group.append(pen.text(column, 13, BOARD_X + middle, top, pen.theme.muted))
        group.append(pen.text(row, 13, left, BOARD_Y + middle, pen.theme.muted))
    return group


def _parts(pen: svg.Pen, scene: Scene, before: Scene | None) -> Iterator[svg.Part]:
    """Yields everything that may change."""
    yield _heading(pen, scene)
    on_board = [
        *ground.parts(scene),
        *pieces.cities(pen, scene),
        *_marks(scene, before),
        *pieces.units(pen, scene, before),
    ]
    yield from (_shifted(part, BOARD_X, BOARD_Y) for part in on_board)
    for tribe in range(scene.num_players):
        x, y = _panel_place(scene, tribe)
        yield from (_shifted(part, x, y) for part in panels.parts(pen, scene, tribe))


def _areas(scene: Scene) -> Iterator[svg.Area]:
    for tile in range(scene.side**2):
        x, y = ground.corner(tile, scene.side)
        shape = svg.Rectangle(x + 2, y + 2, CELL - 4, CELL - 4, rx=5)
        label = "; ".join(pieces.describe(scene, tile))
        yield svg.Area(f"tile:{scene.tile_name(tile)}", label, shape, (BOARD_X, BOARD_Y))
    if not scene.known.over and scene.knows(scene.active):
        place = _panel_place(scene, scene.active)
        for area in panels.areas(scene, scene.active):
            yield area._replace(place=place)


def _panel_place(scene: Scene, tribe: int) -> tuple[float, float]:
    """Returns the upper left corner of the panel of a tribe."""
    y = MARGIN + HEAD + tribe * (panels.HEIGHT + GAP)
    return BOARD_X + CELL * scene.side + GAP, y


def _heading(pen: svg.Pen, scene: Scene) -> svg.Part:
    title, what = situation.heading(scene), situation.decision(scene)
    group, y = svg.Group(class_="heading"), MARGIN + HEAD / 2 - 6
    group.append(pen.text(title, 20, MARGIN + 2, y, anchor="start", weight="bold"))
    group.append(pen.text(what, 17, _width(scene) - MARGIN - 2, y, anchor="end"))
    return svg.Part(f"heading {title} {what}", 0, group)


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
    group = placed(*ground.corner(tile, scene.side), class_=name, fill="none")
    box = (3, 3, CELL - 6, CELL - 6)
    look = {"rx": 5, "stroke_dasharray": dashes}
    group.append(svg.Rectangle(*box, stroke=palette.OUTLINE, stroke_width=5, **look))
    group.append(svg.Rectangle(*box, stroke=colour, stroke_width=3, **look))
    return group


def _shifted(part: svg.Part, x: float, y: float) -> svg.Part:
    # A part that glides has its outermost group moved, so the offset belongs to an inner group.
    outer, inner = svg.Group(), placed(x, y)
    inner.append(part.drawing)
    outer.append(inner)
    return part._replace(drawing=outer)
