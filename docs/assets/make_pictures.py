"""Draws the pictures of the documentation anew: `python docs/assets/make_pictures.py`.

For each game: one position, with the move that led there, and an animation of a whole game.
"""

import importlib
import pathlib
from typing import NamedTuple

import jax

import jaxgames


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


def main(folder: pathlib.Path) -> None:
    """Plays each game and writes a picture of one position and an animation of all."""
    for game in GAMES:
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


if __name__ == "__main__":
    main(pathlib.Path(__file__).parent)
