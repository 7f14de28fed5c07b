"""`GameNotation`: the part of a notation that is the same for all games.

A game says how it reads a position and lists its legal moves in words; what finds a move by its
text, or the text of a move, follows.
"""

import dataclasses
import functools
import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import jax
import numpy as np
from jaxtyping import Array, Bool

from jaxgames.internal import messages
from jaxgames.internal.program_cache import cached_jit

_Rules = TypeVar("_Rules")
_Game = TypeVar("_Game")


def on_host(game: _Game, count: Any) -> _Game:
    """Returns a game with host values.

    Args:
        game: one game.
        count: a field of it, which has no axes in one game.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    if np.ndim(count) != 0:
        raise ValueError(f"expected one game, got a batch of shape {np.shape(count)}")
    return jax.device_get(game)


@dataclasses.dataclass(frozen=True)
class GameNotation(Generic[_Rules, _Game]):
    """Its methods are functions that a notation module needs; host side, on one game."""

    text_to_state: Callable[[_Rules, str], _Game]
    """Reads a position."""
    playable_moves: Callable[[_Rules, _Game], dict[int, str]]
    """Number and text of each legal action; a `ValueError` if the game is over."""
    pattern: re.Pattern[str]
    """The pattern of well-formed move texts."""
    form: str
    """A few words that describe this pattern in messages."""

    def action_to_text(self, rules: _Rules, game: _Game, action: int) -> str:
        """Returns the text of a legal action.

        Raises:
            ValueError: if the action is not legal in `game`, or the game is over.
        """
        return messages.find_text(self._moves(rules, game), action)

    def text_to_action(self, rules: _Rules, game: _Game, text: str) -> int:
        """Returns the action that a text means, in any case and with any spaces between words.

        Raises:
            ValueError: if the text is malformed, the action not legal in `game`, or the game over.
        """
        moves = self._moves(rules, game)
        return messages.find_action(moves, text, self.pattern, self.form)

    def _moves(self, rules: _Rules, game: _Game) -> dict[int, str]:
        return messages.check_moves(self.playable_moves(rules, game))


def legal_actions(rules: Any, game: Any) -> Bool[Array, "actions"]:
    """Returns the mask of the legal actions of one game; a program that all on the host share."""
    has_tables = not jax.tree_util.all_leaves([rules])
    mask: Array = (_of_any_tables if has_tables else _of_rules)(rules, game)
    return mask


@functools.partial(cached_jit.jit, static_argnames="rules")
def _of_rules(rules: Any, game: Any) -> Array:
    return rules.legal_actions(game)


@cached_jit.jit
def _of_any_tables(rules: Any, game: Any) -> Array:
    # Rules that are a pytree are an argument: other tables need no other program.
    return rules.legal_actions(game)
