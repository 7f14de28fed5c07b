"""Draws the pictures of the documentation anew: `python docs/assets/make_pictures.py`."""

import pathlib

import jax

import jaxgames
from jaxgames.onitama import notation, render

START = "bbBbb/5/5/5/rrRrr r elephant,goose|monkey,rooster|dragon 0"
# Blue's master leaves its temple to capture on d3, and Red's walks round it and in.
MOVES = """
goose:e1d2 monkey:b5a4 elephant:a1b2 goose:a5b4 dragon:b2d3 elephant:a4b3 goose:d2c2 rooster:b3a3
elephant:c1d2 goose:b4a4 monkey:b1a2 elephant:a4b4 rooster:a2b3 dragon:b4d3 elephant:c2d3
rooster:a3b3 dragon:d2b3 monkey:d5e4 rooster:d3e4 dragon:c5e4 monkey:b3a4 elephant:e5d5
dragon:a4c5
"""
MID_GAME = 15  # ply of the still picture


def main(folder: pathlib.Path) -> None:
    """Plays the game and writes a picture of one position and an animation of all."""
    rules = jaxgames.make("onitama").rules
    step = jax.jit(rules.step)
    games = [notation.text_to_state(rules, START)]
    for move in MOVES.split():
        action = notation.text_to_action(rules, games[-1], move)
        games.append(jax.device_get(step(games[-1], action)))
    still = render.render(rules, games[MID_GAME], games[MID_GAME - 1])
    still.save_svg(folder / "onitama.svg")
    render.animate(rules, games).save_svg(folder / "onitama_game.svg")


if __name__ == "__main__":
    main(pathlib.Path(__file__).parent)
