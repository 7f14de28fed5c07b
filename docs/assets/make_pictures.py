"""Draws the pictures of the documentation anew: `python docs/assets/make_pictures.py`.

For each game: one position, with the move that led there, and an animation of a whole game; also
the board alone, as the page shows it where people choose a game.
"""

import importlib
import itertools
import pathlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import jax

import jaxgames
from jaxgames.internal import messages
from jaxgames.pictures import svg
from jaxgames.terra_mystica import render as terra_mystica
from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.render import hexmap
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Phase
from jaxgames.tribes import render as tribes
from jaxgames.tribes.levels import host_generation
from jaxgames.tribes.render import ground, pieces
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables.tribes import TRIBE_NAMES


class Game(NamedTuple):
    """A game that is drawn."""

    name: str
    start: str
    moves: str
    mid_game: int  # ply of the still picture


GAMES = (
    # Blue's master leaves its temple to capture on d3, and Red's walks round it and in.
    Game(
        "onitama",
        "bbBbb/5/5/5/rrRrr r elephant,goose|monkey,rooster|dragon 0",
        """
        goose:e1d2 monkey:b5a4 elephant:a1b2 goose:a5b4 dragon:b2d3 elephant:a4b3 goose:d2c2
        rooster:b3a3 elephant:c1d2 goose:b4a4 monkey:b1a2 elephant:a4b4 rooster:a2b3 dragon:b4d3
        elephant:c2d3 rooster:a3b3 dragon:d2b3 monkey:d5e4 rooster:d3e4 dragon:c5e4 monkey:b3a4
        elephant:e5d5 dragon:a4c5
        """,
        mid_game=15,
    ),
    # Two depth-3 searchers: the Romans strike a catapult with both stones, and the Gauls get a
    # catapult close enough to throw a stone over to the far row.
    Game(
        "murus_gallicus",
        "tttttttt/8/8/8/8/8/TTTTTTTT r",
        """
        d1-f3 d7-b5 h1-h3 c7-c5 g1-g3 b7-b5 f1-h3 e7-c5 e1-e3 f7-d5 g2-e4 a7-c5 h3-f3 c6-e6 c1-e3
        c5-e5 e2-e4 c5-e5 f3-d5 g7-e5 e4-e5-2 d6-f6 e3-b6 e6-c4 g3-e3 e6-c4 f3-f6 d5-b3 a1-c3 c4-f1
        """,
        mid_game=23,
    ),
)


# Nomads against mermaids, played by a program: the nomads raise sandstorms, both build sanctuaries,
# and the mermaids found a town across the river.
TERRA_MYSTICA = "terra_mystica"
FACTIONS = "nomads,mermaids"
SCORING = (5, 3, 6, 4, 2, 1)
CARDS = (0, 1, 2, 4, 7)
DECISIONS = """
    584 564 597 543 592 1038 1040 828 1061 1051 1051 1051 1051 1007 136 558 1061 830 1061 542 1061
    1049 1051 1051 1051 1053 1013 329 586 1061 1009 17 541 1061 1039 1061 628 1061 1049 1042 1061
    1013 378 593 1061 101 553 1061 1049 1051 1051 1051 1053 441 602 1061 1038 1061 1010 1014 1061
    1040 1061 1009 108 554 1061 1049 1013 434 601 1033 1061 311 583 953 1033 1061 1007 35 544 1061
    1049 1008 45 545 1061 1049 632 1061 1050 1039 1061 636 1061 1049 1038 1061 640 1061 1049 1007
    259 576 1061 574 1061 637 1028 1061 1050 792 1061 1013 252 575 1061 1049 1051 1051 1053 52 546
    1061 1057 1057 1009 189 566 1061 1010 1016 1061 1040 1061 1038 1061 760 1061 1049 644 1061 1013
    266 577 1061 1009 150 560 1061 1049 724 1030 1061 1049 1057 1057 1057 793 1029 1061 1055 639
    1029 1061 1050 1039 1061 1038 1061 1001 1061 1006 1061 1054 1001 1061 1002 1061 1010 1014 1061
    1013 196 567 1061 1049 1057 1057 1057 1057 1051 1052 795 1027 1061 1009 357 1061 1048 1061 1048
    1061
"""
SHOWN_DECISION = 159
SECONDS_PER_TURN = 1.2

# Imperius against Xin-Xi, played by a program: Imperius looks for room across the water, Xin-Xi
# takes its cities one after the other, the capital last.
TRIBES = "tribes"
TRIBES_LEVEL = 1  # seed
TRIBES_STEPS = """
    57 246 47 246 145 46 72 147 124 85 84 147 125 36 84 147 85 248 86 84 147 37 218 123 56 246
    121 46 248 147 87 218 85 72 147 46 95 46 249 37 97 147 76 70 75 72 87 70 147 122 46 108 49
    84 56 95 147 123 65 70 75 72 147 50 216 40 246 51 246 145 67 59 66 84 147 53 216 64 246 64
    72 65 83 147 45 246 46 109 46 249 50 72 50 248 67 96 147 75 246 97 246 145 54 71 64 72 147
    78 216 79 246 88 246 145 77 246 46 73 40 97 52 192 68 60 50 72 147 53 191 65 246 145 85 248
    43 70 54 71 147 40 199 89 246 50 249 68 246 146 37 84 46 249 48 59 147 122 63 246 43 71 31
    71 85 72 147 127 50 83 66 226 52 72 38 59 46 73 46 248 42 186 27 94 147 20 216 9 246 32 246
    145 95 246 32 95 75 71 147 17 216 18 226 145 16 226 36 107 37 109 46 96 49 85 78 83 147 125
    85 249 20 83 42 70 64 70 52 191 147 27 226 146 131 50 249 56 109 57 95 59 94 51 72 41 198
    147 127 30 83 52 83 19 83 18 191 51 191 147 50 192 49 224 39 224 146 17 94 68 58 50 249 17
    249 51 70 147 18 191 29 184 41 226 146 131 85 72 147 128 51 229 6 229 39 73 50 72 30 184 46
    85 26 85 28 186 18 85 30 110 147 17 216 19 224 75 95 147 53 216 20 216 50 248 42 224 9 229
    146 67 229 77 229 146 30 229 65 229 48 60 40 71 29 184 28 185 147 128 17 97 85 72 147 56 229
    146 21 229 32 229 36 229 133 53 96 53 249 20 221 64 198 67 84 147 97 229 5 229 7 229 146 29
    229 29 96 75 71 64 185 147 53 198 64 97 89 223 45 223 46 249 77 97 50 186 147 26 224 4 229
    75 229 146 85 249 17 248 40 95 147 79 223 89 222 53 249 46 60 20 82 18 191 76 95 68 96 86
    191 89 46 78 96 147 50 216 85 192 17 192 15 238 146 60 240 146 48 229 59 229 85 249 86 59
    147 126 53 199 78 252 46 252 65 71 57 95 26 72 89 83 79 95 16 192 147 133 85 59 64 186 85
    249 17 72 17 249 18 97 64 71 50 72 50 249 147 35 223 146 20 252 54 95 46 96 67 97 64 185 78
    70 64 96 147 53 216 85 186 95 223 85 249 17 85 19 192 30 186 17 249 50 60 75 57 7 84 19 72
    40 71 147 66 96 25 223 46 248 57 96 79 83 147 20 216 63 223 146 74 223 146 17 107 30 108 9
    94 85 95 29 83 53 95 8 83 52 82 147 88 223 146 68 240 147 109 226 87 229 76 229 108 229 146
    105 223 63 222 50 82 18 82 20 97 51 82 95 70 37 108 58 184 7 95 28 83 63 221 58 83 147 68
    185 69 223 146 46 221 147 83 223 126 53 252 49 82 47 191 16 108 27 83 32 95 48 70 36 197 17
    95 85 95 47 70 63 70 36 109 147 68 186 132 134 46 221 147 35 198 132 20 252 85 252 17 252 50
    252 53 95 95 108 26 95 27 83 51 69 37 95 47 191 42 95 147 68 178 79 222 77 247 147 46 216
"""
SHOWN_STEP = 560
SECONDS_PER_TICK = 1.2
COVERS = pathlib.Path(__file__).parents[2] / "agents/play/page/files"  # where people choose
SECONDS_PER_MOVE = 1.4


def main(folder: pathlib.Path, names: Sequence[str] | None = None) -> None:
    """Plays each game and writes a picture of one position and an animation of all.

    Args:
        folder: where the pictures go.
        names: the games; None for all.
    """
    for game in GAMES:
        if names is None or game.name in names:
            _draw(game, folder)
    if names is None or TERRA_MYSTICA in names:
        _draw_terra_mystica(folder)
    if names is None or TRIBES in names:
        _draw_tribes(folder)


def _draw(game: Game, folder: pathlib.Path) -> None:
    notation = importlib.import_module(f"jaxgames.{game.name}.notation")
    render = importlib.import_module(f"jaxgames.{game.name}.render")
    rules = jaxgames.make(game.name).rules
    step = jax.jit(rules.step)
    positions = [notation.text_to_state(rules, game.start)]
    for move in game.moves.split():
        action = notation.text_to_action(rules, positions[-1], move)
        positions.append(jax.device_get(step(positions[-1], action)))
    before, after = positions[game.mid_game - 1 : game.mid_game + 1]
    render.render(rules, after, before).save(folder / f"{game.name}.svg")
    for theme in svg.THEMES:
        drawing = render.RENDERER.drawing(rules, after, svg.get_theme(theme), None)
        parts = [svg.Part("backdrop", -1, drawing.backdrop()), *drawing.parts(None)]
        _save_cover(game.name, theme, parts, *drawing.size)
    render.animate(rules, positions, SECONDS_PER_MOVE).save(folder / f"{game.name}_game.svg")


def _draw_terra_mystica(folder: pathlib.Path) -> None:
    """A turn is many decisions, so the animation shows where the turns begin."""
    rules = TerraMystica(factions=FACTIONS, auto_end=False)
    step = jax.jit(rules.step)
    positions = [setup.start(rules.num_players, rules.fixed_factions, SCORING, CARDS)]
    for action in map(int, DECISIONS.split()):
        positions.append(jax.device_get(step(positions[-1], action)))
    turns = [
        after
        for before, after in itertools.pairwise(positions)
        if after.phase < Phase.ACTIONS or before.pending.actions < after.pending.actions
    ]
    before, after = positions[SHOWN_DECISION - 1 : SHOWN_DECISION + 1]
    picture = terra_mystica.render(rules, after, before)
    picture.save(folder / f"{TERRA_MYSTICA}.svg")
    for theme in svg.THEMES:
        drawing = terra_mystica.TableDrawing(rules, after, svg.get_theme(theme))
        map_ = svg.Part("map", -1, hexmap.backdrop(drawing.pen))
        parts = [map_, *hexmap.parts(drawing.pen, drawing.table, None)]
        _save_cover(TERRA_MYSTICA, theme, parts, round(hexmap.WIDTH, 1), round(hexmap.HEIGHT, 1))
    film = terra_mystica.animate(rules, [positions[0], *turns, positions[-1]], SECONDS_PER_TURN)
    film.save(folder / f"{TERRA_MYSTICA}_game.svg")


def _draw_tribes(folder: pathlib.Path) -> None:
    """A turn is many steps, so the animation shows where the ticks begin."""
    rules = Tribes()
    tribe_ids = [TRIBE_NAMES.index(name) for name in ("xin_xi", "imperius")]
    level = host_generation.generate(TRIBES_LEVEL, rules.config.board.side, tribe_ids)
    step = jax.jit(rules.step)
    positions = [jax.device_get(rules.begin(level))]
    for ply, action in enumerate(map(int, TRIBES_STEPS.split())):
        key = jax.random.key(ply)
        positions.append(jax.device_get(step(positions[-1], action, key)))
    ticks = [after for before, after in itertools.pairwise(positions) if before.tick < after.tick]
    before, after = positions[SHOWN_STEP - 1 : SHOWN_STEP + 1]
    tribes.render(rules, after, before).save(folder / f"{TRIBES}.svg")
    for theme in svg.THEMES:
        drawing = tribes.SceneDrawing(rules, after, svg.get_theme(theme))
        pen, scene = drawing.pen, drawing.scene
        board = ground.parts(scene), pieces.cities(pen, scene), pieces.units(pen, scene, None)
        side = ground.CELL * scene.side
        _save_cover(TRIBES, theme, itertools.chain(*board), side, side)
    film = tribes.animate(rules, [positions[0], *ticks, positions[-1]], SECONDS_PER_TICK)
    film.save(folder / f"{TRIBES}_game.svg")


def _save_cover(
    game: str, theme: str, parts: Iterable[svg.Part], width: float, height: float
) -> None:
    """Writes the board of a game without anything that can be clicked."""
    body = svg.Group(font_family=svg.SERIF)
    for part in sorted(parts, key=lambda part: part.layer):
        body.append(part.drawing)
    picture = svg.Picture(body, width, height, messages.title(game))
    picture.save(COVERS / f"cover_{game}_{theme}.svg")


if __name__ == "__main__":
    main(pathlib.Path(__file__).parent)
