"""Checks of positions and games of Murus Gallicus, in all variants.

A position in the records is the board and the side to act.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import jax
import numpy as np

from benchmarks import host_batches
from benchmarks.golden.core import perft
from benchmarks.golden.core.encoding import Encoding
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, Record, Verdict, different
from benchmarks.host_batches import Batch
from jaxgames.batching import trees
from jaxgames.murus_gallicus import notation, position
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS

REASONS = {"breakthrough": "breakthrough", "no move": "no_moves", "ply limit": "cap"}


class MurusEncoding(Encoding):
    """The encoding of one variant of the rules."""

    rules: MurusGallicus
    num_fields: ClassVar[int] = 2

    def result(self, game: Any, returns: np.ndarray) -> dict[str, Any]:
        """Returns `result` for the Romans and `reason` of a finished game."""
        end = position.ending(self.rules, game)
        reason = None if end is None else REASONS[end]
        return {"result": int(returns[position.ROMANS]), "reason": reason}

    def fault(self, game: Any) -> Verdict | None:
        """Returns the verdict on a record of a finished game."""
        end = position.ending(self.rules, game)
        return different("position", "a game in progress", f"its end ({end})") if end else None


Check = Callable[[MurusEncoding, list[Record], Batch], list[Verdict]]


def check_games(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares positions, actions, texts, numbers of legal actions and results of whole games."""
    del settings
    encoding = MurusEncoding(MurusGallicus(), notation)
    start = jax.device_get(encoding.rules.init(jax.random.key(0)))
    return encoding.check_games(records, trees.stack([start] * len(records)))


def check_perft(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares the numbers of move sequences."""
    return check_positions(
        records, lambda encoding, *chosen: encoding.check_perft(settings, *chosen)
    )


def check_transitions(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares all legal moves, their texts, the positions after them and the results."""
    del settings
    return check_positions(records, _check_transitions)


def check_positions(records: Sequence[Record], check: Check) -> list[Verdict]:
    """Reads the position of each record, and checks positions of one variant together.

    Args:
        records: of one file; without `variant` they follow the default rules.
        check: gets the encoding, the readable records and the batch of their positions.
    """
    names = [record.get("variant", "default") for record in records]
    verdicts = [different("variant", name, f"only {', '.join(VARIANTS)}") for name in names]
    for name in dict.fromkeys(names):
        if name not in VARIANTS:
            continue
        encoding = MurusEncoding(MurusGallicus(variant=name), notation)
        members = [i for i, other in enumerate(names) if other == name]
        checked = encoding.check_positions(
            [records[i] for i in members], functools.partial(check, encoding)
        )
        for i, verdict in zip(members, checked, strict=True):
            verdicts[i] = verdict
    return verdicts


def _check_transitions(
    encoding: MurusEncoding, records: list[Record], games: Batch
) -> list[Verdict]:
    edges = perft.expand(encoding.rules, games)
    return [
        _compare_children(encoding, record, host_batches.take(games, i), edges, i)
        for i, record in enumerate(records)
    ]


def _compare_children(
    encoding: MurusEncoding, record: Record, game: Any, edges: perft.Edges, number: int
) -> Verdict:
    """Compares the complete list of moves; the first difference counts."""
    rules = encoding.rules
    chosen = np.flatnonzero(edges.parents == number)
    actions = edges.actions[chosen].tolist()
    listed = [child[1] for child in record["children"]]
    if listed != actions:
        return different("legal actions", listed, actions)
    sign = 1 if position.side_to_act(game) == position.ROMANS else -1
    texts = notation.playable_moves(rules, game)
    if list(texts) != actions:
        return different("legal actions", listed, f"{list(texts)} in its notation")
    for edge, child in zip(chosen.tolist(), record["children"], strict=True):
        after = encoding.text(host_batches.take(edges.children, edge))
        result = sign * int(edges.outcome[edge])
        mine = [texts[child[1]], child[1], after, result]
        if child != mine:
            return different(f"move {child[0]}", child, mine)
        if bool(edges.is_over[edge]) != (result != 0):
            return different(f"move {child[0]}, end of the game", result != 0, edges.is_over[edge])
        if notation.text_to_action(rules, game, child[0]) != child[1]:
            return different(f"action of {child[0]}", child[1], "another one")
    return EQUAL
