"""Positions and actions of Terra Mystica as text. Host side, on one game.

A position is one line of JSON (`position_text.py`), an action a command such as `build E7`
(`commands.py`). Whole games are read and written by `ledger.py`.
"""

import functools
import re

import jax
import numpy as np

from jaxgames.boards.notation import GameNotation, legal_actions
from jaxgames.internal.program_cache import cached_jit
from jaxgames.terra_mystica.rules import DRAFT, TerraMystica
from jaxgames.terra_mystica.state import Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTIONS, NUM_FACTIONS, SPECIAL_NAMES
from jaxgames.terra_mystica.tables.tiles import NUM_ROUNDS
from jaxgames.terra_mystica.text import move_words, position_text
from jaxgames.terra_mystica.text.commands import command
from jaxgames.terra_mystica.text.position_reading import text_to_state as text_to_state
from jaxgames.terra_mystica.text.position_text import to_host

# The first word says what follows it: `commands.py`.
_COMMAND = re.compile(
    r"transform [A-I]\d+ to [YUKBGSR]|(build|upgrade) [A-I]\d+( to (TP|TE|SH|SA))?"
    r"|bridge [A-I]\d+:[A-I]\d+|connect r\d+|send [A-Z]+ [123]|advance (ship|dig)"
    r"|action [A-Z]+\d?|\+[12] [A-Z]+\d*|pass( BON\d+)?|leech|decline|burn 1"
    r"|convert \d[a-z]+ to \d[a-z]+|dig 1|end|faction [a-z]+"
)


def state_to_text(rules: TerraMystica, game: TerraMysticaState) -> str:
    """Returns the position text.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    del rules
    return position_text.state_to_text(game)


def check_options(rules: TerraMystica, game: TerraMysticaState) -> None:
    """Raises a `ValueError` for a draft of factions in a game that has none."""
    if game.phase == Phase.FACTIONS and rules.factions != DRAFT:
        raise ValueError(
            f"phase factions: expected a later one, since factions={rules.factions!r} has no draft"
        )


def chapter(rules: TerraMystica, game: TerraMysticaState) -> str:
    """Returns the part of the game that is being played."""
    del rules
    phase = Phase(int(game.phase))
    if phase == Phase.OVER:
        return "Game over"
    if phase <= Phase.CARDS:
        return move_words.SET_UP
    return f"Round {int(game.round) + 1} of {NUM_ROUNDS}"


def in_words(text: str, chapter: str) -> str:
    """Returns a move as people say it; `chapter` is the part of the game it belongs to."""
    return move_words.words_of(text, chapter)


def playable_moves(rules: TerraMystica, game: TerraMysticaState) -> dict[int, str]:
    """Returns number and command of each legal action, ascending.

    Raises:
        ValueError: if the game is over.
    """
    game = to_host(game)
    faction = int(game.players.faction[int(_to_move(rules, game))])
    # Once the game is over, all actions do nothing; none is offered.
    if rules.is_over(game):
        raise ValueError(f"the game is over, no move is legal: {state_to_text(rules, game)}")
    special = SPECIAL_NAMES[FACTIONS[faction].special] if faction < NUM_FACTIONS else ""
    steps = max(1, int(game.pending.cult_steps))
    legal = np.asarray(legal_actions(rules, game))
    return {action: command(action, special, steps) for action in np.flatnonzero(legal).tolist()}


NOTATION = GameNotation(text_to_state, playable_moves, _COMMAND, "build E7 or upgrade D3 to TP")
action_to_text, text_to_action = NOTATION.action_to_text, NOTATION.text_to_action


@functools.partial(cached_jit.jit, static_argnames="rules")
def _to_move(rules: TerraMystica, game: TerraMysticaState) -> jax.Array:
    return rules.to_move(game)
