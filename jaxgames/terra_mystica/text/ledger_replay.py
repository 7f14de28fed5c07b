"""Plays a ledger by the rules: the positions of its game, or the first command that is not legal.

`ledger.py` reads words only. Who decides, and whether an action can be paid, is up to the rules.
"""

import dataclasses
import functools
from collections.abc import Iterable
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxgames.terra_mystica.engine import decisions, seats
from jaxgames.terra_mystica.rules import DRAFT, RANDOM, TerraMystica
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
    referee = Referee(rules)
    order = Order(ledger.read(factions, numbered))
    states, played = list[TerraMysticaState](), list[LedgerDecision]()
    position = referee.look(start)
    while True:
        state, seat, due, legal = position
        try:
            decision = order.take(state, seat, due, legal)
        except ValueError as error:
            where = _where(numbered, played[-1]) if played else "the start"
            raise ValueError(f"{where}: {error}") from error
        if decision is None:
            return Played(played, [*states, state])
        if decision.seat != seat or not legal[decision.action]:
            raise ValueError(_explain(factions, numbered, decision, seat, legal))
        states.append(state)
        played.append(decision)
        position = referee.step(state, decision.action)


class Position(NamedTuple):
    """A position, and what is to be decided there."""

    state: TerraMysticaState
    seat: int
    due: int
    """Kind of the decision, `Due`."""
    legal: np.ndarray
    """Mask of the legal actions, `[1077]`, bool."""


class Referee:
    """Plays decisions by the rules, on the host."""

    def __init__(self, rules: TerraMystica) -> None:
        """Prepares the rules; what only sets a game up needs no compilation of its own."""
        factions = DRAFT if rules.factions == DRAFT else RANDOM
        rules = dataclasses.replace(rules, factions=factions, bon10=False, score9=False)
        self._look, self._step = _compiled(rules)

    def look(self, state: TerraMysticaState) -> Position:
        """Returns a position with its decision."""
        return self._position(state, self._look(state))

    def step(self, state: TerraMysticaState, action: int) -> Position:
        """Returns the position after an action."""
        return self._position(*self._step(state, np.int32(action)))

    def _position(self, *found: Any) -> Position:
        state, (seat, due, legal) = jax.device_get(found)
        return Position(state, int(seat), int(due), legal)


@functools.cache
def _compiled(rules: TerraMystica) -> tuple[Any, Any]:
    def look(state: TerraMysticaState) -> tuple[Any, Any, Any]:
        seat = rules.to_move(state)
        due = decisions.due(state, rules.options, seats.of_seat(state, seat))
        return seat, due, rules.legal_actions(state)

    def step(state: TerraMysticaState, action: Any) -> tuple[Any, Any]:
        state = rules.step(state, action)
        return state, look(state)

    return jax.jit(look), jax.jit(step)


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
