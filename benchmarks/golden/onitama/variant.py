"""Encodings of Onitama, for golden records.

Records have positions and moves as text, and action numbers of `onitama`. Another encoding plays
the records that have its cards; its action numbers are translated.
"""

import dataclasses
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from benchmarks.golden.core.records import (
    Record,
    Verdict,
    different,
    not_checked,
)
from jaxgames import Rules
from jaxgames.onitama import notation
from jaxgames.onitama.rules import CAPTURED, Onitama, OnitamaState
from jaxgames.onitama.setup import parse_deal
from jaxgames.search.exhaustive import host_batches
from jaxgames.search.exhaustive.host_batches import Batch


def _same_numbers(game: OnitamaState) -> Int32[Array, "actions"]:
    del game
    return jnp.arange(Onitama.num_actions)


@dataclasses.dataclass(frozen=True)
class Variant:
    """One encoding of the game."""

    rules: Rules[Any]
    notation: types.ModuleType
    numbers: Callable[[Any], Int32[Array, "actions"]]
    """Maps a position to the number that each of its actions has in the records."""
    to_base: Callable[[Any], OnitamaState]
    """Turns a position on the host into the encoding of `onitama`."""
    card_ids: frozenset[int] | None = None
    """The cards of all its games; None: any."""

    def text(self, game: Any) -> str:
        """Returns the position text with the fields that records have."""
        fields = self.notation.state_to_text(self.rules, game).split()
        return " ".join(fields[: notation.NUM_FIELDS])

    def outcome(self, game: Any, returns: np.ndarray) -> tuple[str, str]:
        """Returns `winner` and `reason` of a finished game, as records name them."""
        if not returns.any():
            return "draw", "limit"
        is_stone = self.to_base(game).own_master == CAPTURED
        return notation.SIDES[int(returns.argmax())], "stone" if is_stone else "stream"

    def check_positions(
        self,
        records: Sequence[Record],
        field: str,
        check: Callable[[list[Record], Batch], list[Verdict]],
    ) -> list[Verdict]:
        """Reads a position of each record, and checks the records whose position can be read.

        Args:
            records: of one file.
            field: name of the field with the position text.
            check: gets the readable records and the batch of their positions.
        """
        read = [self._read(record[field]) for record in records]
        good = [i for i, game in enumerate(read) if not isinstance(game, Verdict)]
        if good:
            games = host_batches.stack([read[i] for i in good])
            checked = check([records[i] for i in good], games)
            for i, verdict in zip(good, checked, strict=True):
                read[i] = verdict
        return read

    def _read(self, text: str) -> Any:
        """Returns the position, or the verdict on a record whose position cannot be checked."""
        try:
            if self.card_ids is not None and not _has_cards(text, self.card_ids):
                return not_checked("other cards than those of this variant")
            game = self.notation.text_to_state(self.rules, text)
        except ValueError as error:
            return different("position", repr(text), f"an error ({error})")
        written = self.text(game)
        return game if written == text else different("position", repr(text), repr(written))


def _has_cards(position: str, card_ids: frozenset[int]) -> bool:
    fields = position.split()
    if len(fields) != notation.NUM_FIELDS:
        return True  # the parser explains the fault
    red, blue, side = parse_deal(fields[2])
    return {*red, *blue, side} == card_ids


BASE = Variant(
    rules=Onitama(deck="all"),
    notation=notation,
    numbers=_same_numbers,
    to_base=lambda game: game,
)
