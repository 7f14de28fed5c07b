"""Positions and actions of Tribes as text. Host side, on one game.

A position is one line of JSON (`position_text.py`), an action a few words such as `move d5`
(`commands.py`).
"""

import numpy as np

from jaxgames.boards.notation import GameNotation, legal_actions
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.tribes import TITLES, TRIBE_NAMES, Tribe
from jaxgames.tribes.text import commands, move_words, position_reading, position_text
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
    if game.phase == Stage.SUB_ACTION and not (game.over or legal_actions(rules, game).any()):
        raise ValueError(f"selected: nothing can be done on tile {game.selected}")
    return game


def check_options(rules: Tribes, game: TribesState) -> None:
    """Raises a `ValueError` for a position with tribes that the options do not let play."""
    found = sorted(TRIBE_NAMES[tribe] for tribe in np.asarray(game.tribes.tribe_ids).tolist())
    expected = sorted(TRIBE_NAMES[tribe] for tribe in rules.tribe_ids or ()) or found
    if found != expected:
        raise ValueError(
            f"tribe_ids {', '.join(found)}: expected {', '.join(expected)}, as the option tribes "
            "says"
        )


def chapter(rules: Tribes, game: TribesState) -> str:
    """Returns the tick, and the tribe whose turn it is."""
    del rules
    tribe = Tribe(int(game.tribes.tribe_ids[int(game.active)]))
    return f"Tick {int(game.tick)}, {TITLES[tribe]}"


def in_words(text: str, chapter: str) -> str:
    """Returns a move as people say it, which does not depend on the `chapter`."""
    del chapter
    return move_words.words_of(text)


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
    legal = np.asarray(legal_actions(rules, game))
    return {action: commands.command(game, action) for action in np.flatnonzero(legal).tolist()}


NOTATION = GameNotation(text_to_state, playable_moves, commands.PATTERN, commands.FORM)
action_to_text, text_to_action = NOTATION.action_to_text, NOTATION.text_to_action
