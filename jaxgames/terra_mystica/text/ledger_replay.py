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
from jaxgames.terra_mystica.text.ledger import LedgerDecision
from jaxgames.terra_mystica.text.ledger_order import Order

_MOST_SHOWN = 12  # legal commands in a message


class Played(NamedTuple):
    """A game that was played from its ledger."""

    decisions: list[LedgerDecision]
    """In the order of the rules, without what had no effect, as an END that comes by itself."""
    states: list[TerraMysticaState]
    """The positions before each decision, and the position after the last."""


def replay(rules: TerraMystica, start: TerraMysticaState, lines: Iterable[str]) -> Played:
    """Returns the game that a ledger describes, from the first dwelling on.

    Args:
        rules: the game; where it ends turns by itself, an `end` may be written or not.
        start: the position after the set-up by `setup.start`, or any `init`, whose seats have their
            factions.
        lines: the ledger; answers to offers of power may come later than the rules ask for them.

    Raises:
        ValueError: for a line that is malformed or a command that is not legal where it stands;
            names the line, who decides and the legal commands. For an answer to an offer of power
            that is missing.
    """
    numbered = list(lines)
    factions = np.asarray(start.players.faction).tolist()
    step, look = _compiled(rules)
    order = Order(ledger.read(factions, numbered))
    state, states, played = jax.device_get(start), list[TerraMysticaState](), list[LedgerDecision]()
    while True:
        seat, legal = (np.asarray(x) for x in look(state))
        try:
            decision = order.take(state, int(seat), legal)
        except ValueError as error:
            where = _where(numbered, played[-1]) if played else "the start"
            raise ValueError(f"{where}: {error}") from error
        if decision is None:
            return Played(played, [*states, state])
        if decision.seat != seat or not legal[decision.action]:
            raise ValueError(_explain(factions, numbered, decision, int(seat), legal))
        states.append(state)
        played.append(decision)
        state = jax.device_get(step(state, np.int32(decision.action)))


@functools.cache
def _compiled(rules: TerraMystica) -> tuple[Any, Any]:
    def look(state: TerraMysticaState) -> tuple[Any, Any]:
        return rules.to_move(state), rules.legal_actions(state)

    return jax.jit(rules.step), jax.jit(look)


def _explain(
    factions: list[int], lines: list[str], decision: LedgerDecision, seat: int, legal: np.ndarray
) -> str:
    """Returns why a decision cannot be taken."""
    where = _where(lines, decision)
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


def _where(lines: list[str], decision: LedgerDecision) -> str:
    return f"line {decision.line}, {lines[decision.line - 1].strip()!r}"


def _words(faction: int, action: int) -> str:
    return command(action, SPECIAL_NAMES[FACTIONS[faction].special] or "stronghold")
