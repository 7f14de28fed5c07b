"""Positions of recorded games. Shared by the tests of the notation."""

import functools

from benchmarks import host_batches
from benchmarks.golden.core.records import read_records
from benchmarks.golden.tribes.games import FIELDS, games_of
from benchmarks.golden.tribes.recorded_game import RecordedGame, read_game
from jaxgames.tribes.state import TribesState
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "tribes"


@functools.cache
def game(file: str, name: str) -> RecordedGame:
    """Returns a committed game, such as number 10 of `mixed`."""
    lines = read_records(COMMITTED / f"games_{file}.jsonl.gz", FIELDS)
    games = games_of(lines)
    return read_game(next(one["lines"] for one in games if one["id"] == name))


def position(file: str, name: str, decision: int) -> TribesState:
    """Returns the position before a decision of a committed game; -1: at its end."""
    return host_batches.take(game(file, name).states, decision)
