"""Checks of single Onitama positions: move counts, and positions in which no piece can move."""

import functools

import numpy as np

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    combine,
    different,
    not_checked,
)
from benchmarks.golden.onitama.variant import Variant
from jaxgames.onitama.moves import NUM_SLOTS
from jaxgames.onitama.rules import PASS
from jaxgames.search.exhaustive import host_batches, perft
from jaxgames.search.exhaustive.host_batches import Batch

PERFT_FIELDS = {"fen": str, "perft": [int], "ended": [int]}
NO_MOVE_FIELDS = PERFT_FIELDS | {"moves": [dict]}


def check_perft(variant: Variant, records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares the numbers of move sequences, and of those that end the game."""
    check = functools.partial(_check_perft, variant, settings)
    return variant.check_positions(records, "fen", check)


def check_no_move(
    variant: Variant, records: list[Record], settings: CheckSettings
) -> list[Verdict]:
    """Compares mask, moves and successors where only the passes are legal, and move counts."""

    def check(records: list[Record], games: Batch) -> list[Verdict]:
        passes = _check_passes(variant, records, games)
        counts = _check_perft(variant, settings, records, games)
        return [combine(*verdicts) for verdicts in zip(passes, counts, strict=True)]

    return variant.check_positions(records, "fen", check)


def _check_perft(
    variant: Variant, settings: CheckSettings, records: list[Record], games: Batch
) -> list[Verdict]:
    depths = np.array([_depth(record, settings) for record in records])
    verdicts = [EQUAL] * len(records)
    for depth in np.unique(depths):
        group = np.flatnonzero(depths == depth)
        counts, ended = perft.perft(variant.rules, host_batches.take(games, group), int(depth))
        for row, i in enumerate(group):
            verdicts[i] = _compare(records[i], counts[row].tolist(), ended[row].tolist())
    return verdicts


def _depth(record: Record, settings: CheckSettings) -> int:
    depth = len(record["perft"])
    return depth if settings.max_depth is None else min(depth, settings.max_depth)


def _compare(record: Record, counts: list[int], ended: list[int]) -> Verdict:
    if len(record["perft"]) != len(record["ended"]):
        return different("depth", len(record["ended"]), f"{len(record['perft'])} in perft")
    depth = len(counts)
    for name, values in (("perft", counts), ("ended", ended)):
        if record[name][:depth] != values:
            return different(name, record[name][:depth], values)
    if depth < len(record["perft"]):
        return not_checked(f"counts deeper than {depth} plies (equal so far)")
    return EQUAL


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
