"""Ledgers as files: a game with the position that it begins from, in a remark.

A ledger of the online platform does not say which tiles and cards are in play. Ledgers written here
say it in their first line, `# start` and the position text.
"""

from collections.abc import Sequence

import numpy as np

from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.text import ledger, notation
from jaxgames.terra_mystica.text.ledger_replay import replay

START = "# start "


def read(rules: TerraMystica, text: str, start: str | None) -> tuple[str, list[str]]:
    """Returns the position before the first decision of a ledger, and all decisions as commands.

    Args:
        rules: the game.
        text: the ledger, from the first dwelling on.
        start: the position before it, if the ledger does not say it.

    Raises:
        ValueError: for a ledger without a position, a malformed line, or a command that is not
            legal; names the line.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    if start is None:
        if not lines[0].startswith(START):
            raise ValueError(
                f"the ledger does not say which tiles and cards are in play: give the start of the "
                f"game, or write it into the first line as a remark, {START!r} and the position"
            )
        start = lines[0].removeprefix(START).strip()
    played = replay(rules, notation.text_to_state(rules, start), lines)
    commands = [
        notation.action_to_text(rules, state, decision.action)
        for state, decision in zip(played.states, played.decisions, strict=False)
    ]
    return start, commands


def write(
    rules: TerraMystica, start: str, moves: Sequence[str], decisions: Sequence[tuple[int, int]]
) -> str:
    """Returns the ledger of a game.

    Args:
        rules: the game.
        start: the position before the first decision, in which each seat has its faction.
        moves: the commands, which do not matter.
        decisions: seat and action of each decision.

    Raises:
        ValueError: for a game whose seats choose their factions, or begins after its set-up.
    """
    del moves
    game = notation.text_to_state(rules, start)
    factions = np.asarray(game.players.faction).tolist()
    return "\n".join([START + start, *ledger.write(factions, decisions)]) + "\n"
