"""Positions and moves of My Game as text; host side, on one game.

A position is the board, the furthest rank first: `7/7/7/7/3o3/3x3`. A move is a square: `d1`.
"""

import re

import jax.numpy as jnp
import numpy as np

from jaxgames.boards import squares
from jaxgames.boards.notation import GameNotation, legal_actions
from my_game.rules import MyGameRules, MyGameState

STONES = ".xo"  # of no seat, of seat 0 and of seat 1


def state_to_text(rules: MyGameRules, game: MyGameState) -> str:
    """Returns the position text."""
    del rules
    return squares.board_text(np.asarray(game.stones), STONES)


def text_to_state(rules: MyGameRules, text: str) -> MyGameState:
    """Returns the position that a text describes.

    Raises:
        ValueError: for a malformed text, or stones that do not come from taking turns.
    """
    stones = squares.read_board(text, rules.ranks, rules.files, STONES)
    first, second = (int((stones == seat + 1).sum()) for seat in range(2))
    if first - second not in (0, 1):
        raise ValueError(
            f"position {text!r}: {first} x and {second} o, expected one x more or none"
        )
    return MyGameState(jnp.asarray(stones))


def playable_moves(rules: MyGameRules, game: MyGameState) -> dict[int, str]:
    """Returns number and text of each legal action.

    Raises:
        ValueError: if the game is over.
    """
    if rules.is_over(game):
        raise ValueError(f"the game is over, no move is legal: {state_to_text(rules, game)}")
    actions = np.flatnonzero(legal_actions(rules, game)).tolist()
    return {action: squares.name(*divmod(action, rules.files)) for action in actions}


NOTATION = GameNotation(text_to_state, playable_moves, re.compile(r"[a-z]\d+"), "d1")
action_to_text, text_to_action = NOTATION.action_to_text, NOTATION.text_to_action
