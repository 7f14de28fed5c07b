"""Draws the pictures of the documentation anew: `python docs/assets/make_pictures.py`.

For each game: one position, with the move that led there, and an animation of a whole game.
"""

import importlib
import itertools
import pathlib
from collections.abc import Sequence
from typing import NamedTuple

import jax

import jaxgames
from jaxgames.terra_mystica import render as terra_mystica
from jaxgames.terra_mystica import setup
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Phase


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
    render.render(rules, after, before).save_svg(folder / f"{game.name}.svg")
    render.animate(rules, positions).save_svg(folder / f"{game.name}_game.svg")


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
    picture.save_svg(folder / f"{TERRA_MYSTICA}.svg")
    film = terra_mystica.animate(rules, [positions[0], *turns, positions[-1]], SECONDS_PER_TURN)
    film.save_svg(folder / f"{TERRA_MYSTICA}_game.svg")


if __name__ == "__main__":
    main(pathlib.Path(__file__).parent)
