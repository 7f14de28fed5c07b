"""Encodings of Onitama, for golden records.

Records have the action numbers of `onitama`. Another encoding plays the records that have its
cards.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from benchmarks.golden.core.encoding import Encoding
from jaxgames.onitama import notation
from jaxgames.onitama.rules import CAPTURED, Onitama, OnitamaState
from jaxgames.onitama.setup import parse_deal


@dataclasses.dataclass(frozen=True)
class Variant(Encoding):
    """One encoding of the game."""

    to_base: Callable[[Any], OnitamaState] = lambda game: game
    """Turns a position on the host into the encoding of `onitama`."""
    card_ids: frozenset[int] | None = None
    """The cards of all its games; None: any."""
    num_fields: ClassVar[int] = notation.NUM_FIELDS

    def result(self, game: Any, returns: np.ndarray) -> dict[str, Any]:
        """Returns `winner` and `reason` of a finished game."""
        if not returns.any():
            return {"winner": "draw", "reason": "limit"}
        is_stone = self.to_base(game).own_master == CAPTURED
        winner = notation.SIDES[int(returns.argmax())]
        return {"winner": winner, "reason": "stone" if is_stone else "stream"}

    def reason_not_to_check(self, text: str) -> str | None:
        """Returns that the cards are others than those of all games, if so."""
        fields = text.split()
        if self.card_ids is None or len(fields) != self.num_fields:
            return None  # the parser explains the fault
        red, blue, side = parse_deal(fields[2])
        is_other = {*red, *blue, side} != self.card_ids
        return "other cards than those of this variant" if is_other else None


BASE = Variant(rules=Onitama(deck="all"), notation=notation)
