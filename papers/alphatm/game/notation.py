"""Positions and outputs of AlphaTM as text. Host side, on one game.

A position is written as in the full game. Outputs use the commands of the full game, and two of
them differ: `build E7` includes the terraforming that it needs, and `action card` is the special
action of the bonus card.
"""

import functools
import re

import jax
import numpy as np

from jaxgames.boards.notation import GameNotation
from jaxgames.pictures.ansi import Paint
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.terrain import COLOUR_LETTERS, LAND_NAMES
from jaxgames.terra_mystica.text import notation, text_board
from jaxgames.terra_mystica.text.commands import command
from papers.alphatm.game import outputs
from papers.alphatm.game.rules import AlphaTM

CARD_COMMAND = "action card"
_COMMAND = re.compile(
    r"transform [A-I]\d+ to [YUKBGSR]|build [A-I]\d+|upgrade [A-I]\d+ to (TP|TE|SH|SA)"
    r"|send [A-Z]+ [123]|advance (ship|dig)|action ([A-Z]+\d?|card)|pass BON\d|\+1 TW\d"
)


def state_to_text(rules: AlphaTM, game: TerraMysticaState) -> str:
    """Returns the position text.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    return notation.state_to_text(rules.full, game)


def text_to_state(rules: AlphaTM, text: str) -> TerraMysticaState:
    """Returns the position that a text describes, made of NumPy values.

    Raises:
        ValueError: for a text that is no position, or one whose parts contradict each other; names
            the place, the value and what was expected.
    """
    return notation.text_to_state(rules.full, text)


def playable_moves(rules: AlphaTM, game: TerraMysticaState) -> dict[int, str]:
    """Returns number and words of each legal output, ascending.

    Raises:
        ValueError: if the game is over.
    """
    legal = jax.device_get(_legal_outputs(rules, game))
    if rules.is_over(game):
        raise ValueError(f"the game is over, no move is legal: {state_to_text(rules, game)}")
    return {output: words(output) for output in np.flatnonzero(legal).tolist()}


NOTATION = GameNotation(text_to_state, playable_moves, _COMMAND, "build E7 or upgrade D3 to TP")
action_to_text, text_to_action = NOTATION.action_to_text, NOTATION.text_to_action


def draw(rules: AlphaTM, game: TerraMysticaState, paint: Paint, seat: int | None = None) -> str:
    """Returns the table in a terminal, which is that of the full game."""
    return text_board.draw(rules.full, game, paint, seat)


def words(output: int) -> str:
    """Returns the words for an output; they mean nothing for outputs of cells that are not land."""
    plane, land = int(outputs.PLANE_OF[output]), int(outputs.LAND_OF[output])
    if 0 <= plane < outputs.BUILD_PLANE:
        colour = COLOUR_LETTERS[outputs.TERRAINS[plane]]
        return f"transform {LAND_NAMES[land]} to {colour}"
    if 0 <= plane < outputs.UPGRADE_PLANE:
        return f"build {LAND_NAMES[land]}"
    if output == outputs.CARD_SPECIAL:
        return CARD_COMMAND
    return command(int(outputs.FIRST_ACTIONS[output]))


@functools.partial(jax.jit, static_argnums=0)
def _legal_outputs(rules: AlphaTM, game: TerraMysticaState) -> jax.Array:
    return rules.legal_actions(game)
