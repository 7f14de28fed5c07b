"""Plays a ledger by the rules: the positions of its game, or the first command that is not legal.

`ledger.py` reads words only. Who decides, and whether an action can be paid, is up to the rules.
"""

import functools
from collections.abc import Iterable
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, FACTIONS, SPECIAL_NAMES
from jaxgames.terra_mystica.text import ledger
from jaxgames.terra_mystica.text.commands import command
from jaxgames.terra_mystica.text.ledger_state import END

_MOST_SHOWN = 12  # legal commands in a message


class Played(NamedTuple):
    """A game that was played from its ledger."""

    decisions: list[ledger.Decision]
    """The decisions, without the ENDs of turns that had ended by themselves."""
    states: list[TerraMysticaState]
    """The positions before each decision, and the position after the last."""


def replay(rules: TerraMystica, start: TerraMysticaState, lines: Iterable[str]) -> Played:
    """Returns the game that a ledger describes, from the first dwelling on.

    Args:
        rules: the game; where it ends turns by itself, an `end` may be written or not.
        start: the first position, from `setup.start` or `init`; its seats must have their factions.
        lines: the ledger.

    Raises:
        ValueError: for a line that is malformed or a command that is not legal where it stands;
            names the line, who decides and the legal commands.
    """
    numbered = list(lines)
    factions = np.asarray(start.players.faction).tolist()
    step, look = _compiled(rules)
    state, states, played = jax.device_get(start), [], []
    for decision in ledger.read(factions, numbered):
        seat, legal = (np.asarray(x) for x in look(state))
        if decision.seat != seat or not legal[decision.action]:
            if decision.action == END:
                continue  # the turn ended by itself
            raise ValueError(_explain(factions, numbered, decision, int(seat), legal))
        states.append(state)
        played.append(decision)
        state = jax.device_get(step(state, np.int32(decision.action)))
    return Played(played, [*states, state])


@functools.cache
def _compiled(rules: TerraMystica) -> tuple[Any, Any]:
    def look(state: TerraMysticaState) -> tuple[Any, Any]:
        return rules.to_move(state), rules.legal_actions(state)

    return jax.jit(rules.step), jax.jit(look)


def _explain(
    factions: list[int], lines: list[str], decision: ledger.Decision, seat: int, legal: np.ndarray
) -> str:
    """Returns why a decision cannot be taken."""
    where = f"line {decision.line}, {lines[decision.line - 1].strip()!r}"
    words = _words(factions[decision.seat], decision.action)
    if not legal.any():
        return f"{where}: {words!r} comes after the end of the game"
    commands = [_words(factions[seat], int(action)) for action in np.flatnonzero(legal)]
    shown = ", ".join(commands[:_MOST_SHOWN])
    if len(commands) > _MOST_SHOWN:
        shown += f" and {len(commands) - _MOST_SHOWN} more"
    who = FACTION_NAMES[factions[seat]]
    reason = "is not legal" if decision.seat == seat else f"is out of turn: the {who} decide"
    return f"{where}: {words!r} {reason}; legal for the {who}: {shown}"


def _words(faction: int, action: int) -> str:
    return command(action, SPECIAL_NAMES[FACTIONS[faction].special] or "stronghold")
