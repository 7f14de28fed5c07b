"""Plays moves, given as text, from positions given as text. Shared by the tests of this folder."""

import functools

import jax
import numpy as np

from jaxgames.murus_gallicus import notation
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState

ROMANS_WIN, GAULS_WIN, NOBODY = [1, -1], [-1, 1], [0, 0]
START = "tttttttt/8/8/8/8/8/TTTTTTTT r"
step = jax.jit(MurusGallicus.step, static_argnums=0)
legal_actions = jax.jit(MurusGallicus.legal_actions, static_argnums=0)
is_over = jax.jit(MurusGallicus.is_over, static_argnums=0)
returns = jax.jit(MurusGallicus.returns, static_argnums=0)
observe = jax.jit(MurusGallicus.observe, static_argnums=0)


@functools.cache
def rules_of(**options) -> MurusGallicus:
    return MurusGallicus(**options)


def read(text: str, **options) -> MurusState:
    return notation.text_to_state(rules_of(**options), text)


def play(text: str, *moves: str, **options) -> MurusState:
    rules, game = rules_of(**options), read(text, **options)
    for move in moves:
        game = jax.device_get(step(rules, game, notation.text_to_action(rules, game, move)))
    return game


def text_after(text: str, *moves: str, **options) -> str:
    """Returns the whole position text after some moves."""
    return notation.state_to_text(rules_of(**options), play(text, *moves, **options))


def after(text: str, *moves: str, **options) -> str:
    """Returns the board after some moves, and the side to act; without the plies."""
    return " ".join(text_after(text, *moves, **options).split()[:2])


def legal(text: str, *moves: str, **options) -> set[str]:
    """Returns the legal moves; the mask of the rules and the notation must agree on them."""
    rules, game = rules_of(**options), play(text, *moves, **options)
    names = notation.playable_moves(rules, game)
    assert np.flatnonzero(legal_actions(rules, game)).tolist() == list(names)
    return set(names.values())


def result(text: str, *moves: str, **options) -> tuple[bool, list[float]]:
    rules, game = rules_of(**options), play(text, *moves, **options)
    return bool(is_over(rules, game)), returns(rules, game).tolist()
