"""Positions of recorded games. Shared by the tests of the notation."""

import functools
import pathlib

from benchmarks.golden import batches, tribes_games
from benchmarks.golden.records import read_records
from benchmarks.golden.tribes_script import Script, script_of
from jaxgames.tribes.state import TribesState

COMMITTED = pathlib.Path(__file__).resolve().parents[2] / "golden" / "tribes"


@functools.cache
def script(file: str, name: str) -> Script:
    """Returns a committed game, such as number 10 of `mixed`."""
    lines = read_records(COMMITTED / f"games_{file}.jsonl.gz", tribes_games.FIELDS)
    games = tribes_games.games_of(lines)
    return script_of(next(game["lines"] for game in games if game["id"] == name))


def position(file: str, name: str, decision: int) -> TribesState:
    """Returns the position before a decision of a committed game; -1: at its end."""
    return batches.take(script(file, name).states, decision)
