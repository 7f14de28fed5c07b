"""The order in which the rules ask for the decisions of a ledger.

Players of the online platform answer offers of power when they come by, and cultists take their
step then: others may have had turns in between, or the giver may not have ended its own. The rules
ask right after the turn of the giver. So an answer is taken from where it stands: the next one of
the seat that is asked, for power of the giver if it names one.
"""

from collections.abc import Iterable

import numpy as np

from jaxgames.terra_mystica.engine.actions import Kind, decode
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.state import Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES
from jaxgames.terra_mystica.text.ledger import LedgerDecision
from jaxgames.terra_mystica.text.ledger_state import END

_ANSWERS = (Kind.TAKE_POWER, Kind.DECLINE_POWER)


class Order:
    """The decisions that have not been made, in the order of the ledger."""

    def __init__(self, decisions: Iterable[LedgerDecision]) -> None:
        self._waiting = list(decisions)

    def take(
        self, state: TerraMysticaState, seat: int, due: int, legal: np.ndarray
    ) -> LedgerDecision | None:
        """Takes out the next decision, and leaves out those before it that have no effect.

        Args:
            state: the game.
            seat: who decides.
            due: the kind of decision, `Due`.
            legal: which actions are legal.

        Returns:
            The decision; if it is not legal, or not of that seat, the ledger cannot be played. None
            at the end of the ledger.

        Raises:
            ValueError: if the seat is asked for an answer that the ledger does not have.
        """
        asked = _find_answer(self._waiting, state, seat)
        if asked is not None:
            return self._waiting.pop(asked)
        if state.phase == Phase.LEECH:
            if all(decision.action == END for decision in self._waiting):
                return None
            raise ValueError(_missing(state, seat))
        early: list[LedgerDecision] = []
        while self._waiting:
            decision = self._waiting.pop(0)
            if _has_no_effect(decision, state, seat, legal):
                continue
            if not _comes_early(decision, state):
                choices = (decision.action, *decision.others)
                action = next((choice for choice in choices if legal[choice]), None)
                if action is None and due == Due.BUILD and state.pending.actions:
                    # Nothing is built on the hex that the first action of two has terraformed.
                    self._waiting = [*early, decision, *self._waiting]
                    return LedgerDecision(seat, END, decision.line, is_last=False)
                self._waiting = early + self._waiting
                return decision if action is None else decision._replace(action=action)
            early.append(decision)
        return early[0] if early else None


def _is_answer(decision: LedgerDecision) -> bool:
    return decode(decision.action)[0] in _ANSWERS


def _is_step(decision: LedgerDecision) -> bool:
    """Whether it is the step of cultists whose power was taken: one that is part of no turn."""
    return decode(decision.action)[0] is Kind.CULT and decision.is_last


def _find_answer(waiting: list[LedgerDecision], state: TerraMysticaState, seat: int) -> int | None:
    """Returns the place of the answer that a seat is asked for; None: of none, or there is none."""
    if state.phase == Phase.REACTION:
        steps = (i for i, d in enumerate(waiting) if d.seat == seat and _is_step(d))
        return next(steps, None)
    if state.phase != Phase.LEECH:
        return None
    givers = (None, int(state.seat))
    found = [
        index
        for index, decision in enumerate(waiting)
        if decision.seat == seat and decision.giver in givers and _is_answer(decision)
    ]
    # A turn of two actions makes two offers; the amounts tell which one is answered first.
    offers = [int(amount) for amount in state.leech.amounts[:, seat] if amount]
    nearest = found[: len(offers)]
    same = (index for index in nearest if waiting[index].amount == offers[0])
    return next(same, nearest[0] if nearest else None)


def _has_no_effect(
    decision: LedgerDecision, state: TerraMysticaState, seat: int, legal: np.ndarray
) -> bool:
    """Whether a decision is none: the end of a turn that has ended, or an answer to no offer."""
    if decision.action == END:
        # Between rounds the same word gives up spades of a cult, which no turn's end does.
        is_too_late = decision.is_implied and int(state.phase) != Phase.ACTIONS
        return is_too_late or decision.seat != seat or not bool(legal[END])
    if not _is_answer(decision) or _is_offered(decision, state):
        return False
    bowls = state.players.bowls[decision.seat]
    has_room = bool(bowls[0] or bowls[1])
    return not has_room or decode(decision.action)[0] is Kind.DECLINE_POWER


def _comes_early(decision: LedgerDecision, state: TerraMysticaState) -> bool:
    """Whether a decision answers what will be asked at the end of the turn in progress."""
    if _is_step(decision):
        return int(state.phase) == Phase.ACTIONS and decision.seat == int(state.seat)
    return _is_answer(decision) and _is_offered(decision, state)


def _is_offered(decision: LedgerDecision, state: TerraMysticaState) -> bool:
    """Whether the turn in progress offers the power that a decision is about."""
    is_from = decision.giver in (None, int(state.seat))
    return is_from and bool(state.leech.amounts[:, decision.seat].any())


def _missing(state: TerraMysticaState, seat: int) -> str:
    """Returns what the answer is that a ledger does not have."""
    own, giver = (FACTION_NAMES[state.players.faction[s]] for s in (seat, int(state.seat)))
    amount = next(int(amount) for amount in state.leech.amounts[:, seat] if amount)
    return f"expected a later 'leech' or 'decline' of the {own}, for {amount} power of the {giver}"
