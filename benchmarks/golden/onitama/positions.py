"""Checks of Onitama positions in which no piece can move."""

import numpy as np

from benchmarks import host_batches
from benchmarks.golden.core import perft
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, Record, Verdict, combine, different
from benchmarks.golden.onitama.variant import Variant
from benchmarks.host_batches import Batch
from jaxgames.onitama.moves import NUM_SLOTS
from jaxgames.onitama.rules import PASS


def check_no_move(
    variant: Variant, records: list[Record], settings: CheckSettings
) -> list[Verdict]:
    """Compares mask, moves and successors where only the passes are legal, and move counts."""

    def check(records: list[Record], games: Batch) -> list[Verdict]:
        passes = _check_passes(variant, records, games)
        counts = variant.check_perft(settings, records, games)
        return [combine(*verdicts) for verdicts in zip(passes, counts, strict=True)]

    return variant.check_positions(records, check)


def _check_passes(variant: Variant, records: list[Record], games: Batch) -> list[Verdict]:
    masks = perft.legal_masks(variant.rules, games)
    edges = perft.expand(variant.rules, games)
    verdicts = []
    for i, record in enumerate(records):
        legal = np.flatnonzero(masks[i]).tolist()
        if legal != [PASS + slot for slot in range(NUM_SLOTS)]:
            verdicts.append(different("legal actions", "only the passes", legal))
            continue
        game = host_batches.take(games, i)
        mine = [
            {
                "move": variant.notation.action_to_text(variant.rules, game, action),
                "action": action,
                "next": variant.text(host_batches.take(edges.children, edge)),
            }
            for edge, action in zip(np.flatnonzero(edges.parents == i), legal, strict=True)
        ]
        listed = sorted(record["moves"], key=lambda move: str(move.get("action")))
        verdicts.append(EQUAL if listed == mine else different("moves", record["moves"], mine))
    return verdicts
