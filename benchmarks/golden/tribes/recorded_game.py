"""A golden game of Tribes, prepared for a replay: actions, draws, and the states in between."""

import copy
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.golden.core.records import Record
from benchmarks.golden.tribes.actions import Choice, Type, encode
from jaxgames.batching import trees
from jaxgames.internal.checks import Document
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.technologies import ALL_TECHNOLOGIES
from jaxgames.tribes.tables.tribes import LevelUp, Outcome
from jaxgames.tribes.text import position_reading
from jaxgames.tribes.text.position_text import PHASES

Draw = tuple[int, int]  # bound and value


class RecordedGame(NamedTuple):
    """The decisions of a game.

    Row `i` of `states` is before decision `i`, the last row at the end.
    """

    head: Record  # the first line
    decisions: list[Record]  # the lines of type A
    choices: list[Choice]
    draws: list[list[Draw]]  # of each decision; only those that the game makes too
    states: TribesState


def read_game(lines: Sequence[Record]) -> RecordedGame:
    """Returns the decisions of a game and the states around them.

    The game may break off before its result.
    """
    head = lines[0]
    decisions = [line for line in lines if line["k"] == "A"]
    states = trees.stack([position_reading.state_of(d) for d in documents(lines)])
    known = states.tribes.technologies
    has_fog = head["obs"] == "partial"
    return RecordedGame(
        head=head,
        decisions=decisions,
        choices=[encode(line["a"], head["n"]) for line in decisions],
        draws=[
            draws_of(line, bool(known[row, line["p"]] == ALL_TECHNOLOGIES), has_fog)
            for row, line in enumerate(decisions)
        ],
        states=states,
    )


def draws_of(line: Record, knows_all: bool, has_fog: bool) -> list[Draw]:
    """Returns the recorded draws of a decision that the game makes too.

    Without fog explorers reveal nothing, and the game draws nothing for them. In the records, a
    tribe that knows all technologies and finds one more in ruins draws again until it finds
    something else; the game needs only the last of these draws.

    Args:
        line: the decision.
        knows_all: whether the tribe knows all technologies.
        has_fog: whether there is fog.
    """
    draws: list[Draw] = [(bound, value) for bound, value in line.get("r", [])]
    kind, _, _, option = line["a"]
    explores = kind == Type.LEVEL_UP and option == LevelUp.EXPLORER
    if kind == Type.EXAMINE:
        draws = list(
            itertools.dropwhile(lambda draw: knows_all and draw[1] == Outcome.RESEARCH, draws)
        )
        explores = draws[0][1] == Outcome.EXPLORER
    if explores and not has_fog:
        return draws[:1] if kind == Type.EXAMINE else []
    return draws


def documents(lines: Sequence[Record]) -> Iterator[Document]:
    """Yields the position before each decision and the position at the end, as documents.

    All documents are the same object, which changes between them.
    """
    head = lines[0]
    start = copy.deepcopy(head["init"])
    document: dict[str, Any] = {
        "side": head["n"],
        "phase": PHASES[Stage.SOURCE],
        "selected": None,
        "over": 0,
        "tribe_ids": [name.lower() for name in head["tribes"]],
        **start,
        "tiles": np.array(start["tiles"]),
    }
    if "vis" in start:
        document["vis"] = [list(row) for row in start["vis"]]
    for line in lines[1:]:
        if line["k"] == "A":
            yield document
        _apply(document, line.get("d", {}))
        if line["k"] == "S":
            document |= {"tick": line["t"], "active": line["p"]}
        elif line["k"] == "R":
            document |= {"tick": line["tick"], "over": 1, "ranking": line["ranking"]}
    yield document


def _apply(document: Document, changes: Record) -> None:
    for tribe, row in changes.get("T", {}).items():
        document["tribes"][int(tribe)] = row
    for name, key in (("cities", "C"), ("units", "U")):
        for label, row in changes.get(key, {}).items():
            document[name][label] = row
            if row is None:
                del document[name][label]
    for tile, row in changes.get("X", {}).items():
        document["tiles"][int(tile)] = row
    for tribe, tiles in changes.get("V", {}).items():
        for tile in tiles:
            document["vis"][int(tribe)][tile] = "1"
