"""Checks of single positions of Murus Gallicus, in all variants: moves, successors and move counts.

A position in the records is the board and the side to act.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    different,
    not_checked,
)
from jaxgames.murus_gallicus import notation, position
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS
from jaxgames.search.exhaustive import host_batches, perft
from jaxgames.search.exhaustive.host_batches import Batch

TRANSITION_FIELDS = {"fen": str, "variant": str, "children": [list]}
PERFT_FIELDS = {"fen": str, "variant": str, "perft": [int]}

Check = Callable[[MurusGallicus, list[Record], Batch], list[Verdict]]


def check_perft(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares the numbers of move sequences."""
    return check_positions(records, functools.partial(_check_perft, settings))


def check_transitions(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares all legal moves, their texts, the positions after them and the results."""
    del settings
    return check_positions(records, _check_transitions)


def check_positions(records: Sequence[Record], check: Check) -> list[Verdict]:
    """Reads the position of each record, and checks positions of one variant together.

    Args:
        records: of one file; without `variant` they follow the default rules.
        check: gets the rules, the readable records and the batch of their positions.
    """
    verdicts: list[Any] = [None] * len(records)
    groups: dict[str, dict[int, Any]] = {}
    for i, record in enumerate(records):
        variant = record.get("variant", "default")
        if variant not in VARIANTS:
            verdicts[i] = different("variant", variant, f"only {', '.join(VARIANTS)}")
            continue
        read = _read(MurusGallicus(variant=variant), record["fen"])
        if isinstance(read, Verdict):
            verdicts[i] = read
        else:
            groups.setdefault(variant, {})[i] = read
    for variant, games in groups.items():
        chosen = [records[i] for i in games]
        checked = check(
            MurusGallicus(variant=variant), chosen, host_batches.stack([*games.values()])
        )
        for i, verdict in zip(games, checked, strict=True):
            verdicts[i] = verdict
    return verdicts


def position_text(rules: MurusGallicus, game: Any) -> str:
    """Returns the position as records have it: without the plies played."""
    return " ".join(notation.state_to_text(rules, game).split()[:2])


def _read(rules: MurusGallicus, text: str) -> Any:
    """Returns the position, or the verdict on a record whose position cannot be read."""
    try:
        game = notation.text_to_state(rules, text)
    except ValueError as error:
        return different("position", repr(text), f"an error ({error})")
    end = position.ending(rules, game)
    if end is not None:
        return different("position", "a game in progress", f"its end ({end})")
    written = position_text(rules, game)
    return game if written == text else different("position", repr(text), repr(written))


def _check_perft(
    settings: CheckSettings, rules: MurusGallicus, records: list[Record], games: Batch
) -> list[Verdict]:
    depths = np.array([_depth(record, settings) for record in records])
    verdicts = [EQUAL] * len(records)
    for depth in np.unique(depths):
        group = np.flatnonzero(depths == depth)
        counts, _ = perft.perft(
            rules, host_batches.take(games, group), int(depth), count_ends=False
        )
        for row, i in enumerate(group):
            listed, mine = records[i]["perft"], counts[row].tolist()
            if listed[:depth] != mine:
                verdicts[i] = different("perft", listed[:depth], mine)
            elif depth < len(listed):
                reason = f"counts deeper than {depth} plies (equal so far)"
                verdicts[i] = not_checked(reason)
    return verdicts


def _depth(record: Record, settings: CheckSettings) -> int:
    depth = len(record["perft"])
    return depth if settings.max_depth is None else min(depth, settings.max_depth)


def _check_transitions(rules: MurusGallicus, records: list[Record], games: Batch) -> list[Verdict]:
    edges = perft.expand(rules, games)
    return [
        _compare_children(rules, record, host_batches.take(games, i), edges, i)
        for i, record in enumerate(records)
    ]


def _compare_children(
    rules: MurusGallicus, record: Record, game: Any, edges: perft.Edges, number: int
) -> Verdict:
    """Compares the complete list of moves; the first difference counts."""
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
        after = position_text(rules, host_batches.take(edges.children, edge))
        result = sign * int(edges.outcome[edge])
        mine = [texts[child[1]], child[1], after, result]
        if child != mine:
            return different(f"move {child[0]}", child, mine)
        if bool(edges.is_over[edge]) != (result != 0):
            return different(f"move {child[0]}, end of the game", result != 0, edges.is_over[edge])
        if notation.text_to_action(rules, game, child[0]) != child[1]:
            return different(f"action of {child[0]}", child[1], "another one")
    return EQUAL
