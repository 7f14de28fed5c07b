"""Positions and actions of Tribes as text. Host side, on one game.

A position is one line of JSON (`position_text.py`), an action a few words such as `move d5`
(`commands.py`).
"""

from collections.abc import Iterable

import jax
import numpy as np

from jaxgames.batching import trees
from jaxgames.internal import messages
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Phase, TribesState
from jaxgames.tribes.text import commands, position_reading, position_text
from jaxgames.tribes.text.position_text import to_host


def state_to_text(rules: Tribes, game: TribesState) -> str:
    """Returns the position text.

    Raises:
        ValueError: if `game` is a batch of games, a game of other tribes or another board, or a
            game as a seat knows it with cities in fog.
    """
    return position_text.state_to_text(rules.config, game)


def text_to_state(rules: Tribes, text: str) -> TribesState:
    """Returns the position that a text describes, made of NumPy values (`Env.wrap` takes them).

    Order numbers are counted anew: only their order is kept.

    Raises:
        ValueError: for a text that is no position, or whose parts contradict each other or the
            rules; names the place, the value and what was expected.
    """
    game = position_reading.text_to_state(text, rules.config)
    if game.phase == Phase.SUB_ACTION and not (game.over or _legal_actions(rules, game).any()):
        raise ValueError(f"selected: nothing can be done on tile {game.selected}")
    return game


def texts_to_states(rules: Tribes, positions: Iterable[str]) -> TribesState:
    """Returns a batch of positions: NumPy arrays whose leading axis follows `positions`.

    Raises:
        ValueError: as `text_to_state`, or if there is no text.
    """
    return trees.stack([text_to_state(rules, text) for text in positions])


def action_to_text(rules: Tribes, game: TribesState, action: int) -> str:
    """Returns the words for a legal action.

    Raises:
        ValueError: if the action is not legal in `game`, or the game is over.
    """
    return messages.find_text(playable_moves(rules, game), action)


def text_to_action(rules: Tribes, game: TribesState, text: str) -> int:
    """Returns the action that a text means.

    Raises:
        ValueError: if the text is malformed, the action not legal in `game`, or the game over.
    """
    legal = playable_moves(rules, game)
    return messages.find_action(legal, text, commands.PATTERN, commands.FORM)


def playable_moves(rules: Tribes, game: TribesState) -> dict[int, str]:
    """Returns number and words of each legal action, ascending.

    Raises:
        ValueError: if the game is over.
    """
    game = to_host(rules.config, game)
    if game.over:
        raise ValueError(
            f"the game is over in tick {game.tick}, no move is legal; ranking, best first: "
            f"{np.argsort(game.ranking).tolist()}"
        )
    legal = jax.device_get(_legal_actions(rules, game))
    return {action: commands.command(game, action) for action in np.flatnonzero(legal).tolist()}


@jax.jit
def _legal_actions(rules: Tribes, game: TribesState) -> jax.Array:
    return rules.legal_actions(game)
